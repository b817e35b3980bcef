#pragma once
#include <QFrame>

#include "ui/base/widgets.h"
#include "ui/fidelity/place_edit.h"

class QLabel;
class QLineEdit;
class QStackedWidget;

namespace hyb::ui {

class NumberEdit;
class RandomEdit;

/// Values as a list, as from, to and count, or drawn: "values" or "range" of a study's variation, or the distribution
/// of a random setting.
class ValuesEdit : public QWidget {
  Q_OBJECT
 public:
  explicit ValuesEdit(QWidget* parent = nullptr);
  void setUnit(const QString& unit);
  void setPlaceholder(const QString& text);
  /// Writes "values", "range" or "distribution" into `entry`; writes nothing if the field is empty.
  void writeTo(Json& entry) const;
  void show(const Json& entry);
  bool isRandom() const;

 Q_SIGNALS:
  void changed();

 private:
  QComboBox *form_, *spacing_;
  QStackedWidget* pages_;
  RandomEdit* random_;
  QLineEdit* list_;
  NumberEdit *from_, *to_, *count_;
  QLabel* unit_;
  QString given_unit_;
};

/// One variation or random setting of a study: place, values and errors.
class VariationEdit : public Panel {
  Q_OBJECT
 public:
  explicit VariationEdit(QWidget* parent = nullptr);
  void setPlaces(const Json& project, const std::vector<Place>& places);
  Json json() const;
  void show(const Json& entry);
  void setProblem(const QString& text);
  PlaceEdit* placeEdit() const { return place_; }
  bool isRandom() const { return values_->isRandom(); }

 Q_SIGNALS:
  void changed();
  void removeRequested();

 private:
  PlaceEdit* place_;
  ValuesEdit* values_;
  QLineEdit* name_;
  QLabel* problem_;
};

}  // namespace hyb::ui
