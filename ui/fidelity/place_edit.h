#pragma once
#include <QWidget>
#include <string>
#include <vector>

#include "ui/fidelity/places.h"

class QCheckBox;
class QComboBox;

namespace hyb::ui {

/// Chooses a value of the project by title or by JSON pointer. Optionally it takes the same value of every entry of a
/// list.
class PlaceEdit : public QWidget {
  Q_OBJECT
 public:
  explicit PlaceEdit(QWidget* parent = nullptr);
  /// Sets the choices and keeps the present choice. `project` must outlive this or the next call.
  void setPlaces(const Json& project, const std::vector<Place>& places);
  void setPointers(const std::vector<std::string>& pointers);
  std::vector<std::string> pointers() const;
  /// The place of the first pointer, if it is a known place.
  const Place* place() const;
  QComboBox* chooser() const { return chooser_; }

 Q_SIGNALS:
  void changed();

 private:
  std::vector<std::string> typed() const;
  void follow();

  const Json* project_ = nullptr;
  std::vector<Place> places_;
  QComboBox* chooser_;
  QCheckBox* all_;
  std::vector<std::string> alike_;
};

}  // namespace hyb::ui
