#pragma once
#include <QWidget>
#include <utility>
#include <vector>

#include "core/base/json_fwd.h"

class QCheckBox;
class QComboBox;
class QLineEdit;
class QStackedWidget;

namespace hyb::ui {

class NumberEdit;

/// Distribution of a random setting, as the schema of studies describes it: kind, its numbers, and whether the number
/// is a factor.
class RandomEdit : public QWidget {
  Q_OBJECT
 public:
  explicit RandomEdit(QWidget* parent = nullptr);
  /// Writes "distribution" and "factor" into `entry`.
  void writeTo(Json& entry) const;
  void show(const Json& entry);
  bool isFactor() const;

 Q_SIGNALS:
  void changed();

 private:
  struct Field {
    const char* key;
    NumberEdit* number;  // null: a list
    QLineEdit* list;
  };
  QComboBox* kind_;
  QCheckBox* factor_;
  QStackedWidget* pages_;
  std::vector<std::vector<Field>> fields_;  // of each kind
};

/// Number and design of the samples of all random settings: "samples" of a study.
class SamplesEdit : public QWidget {
  Q_OBJECT
 public:
  explicit SamplesEdit(QWidget* parent = nullptr);
  Json json() const;
  void show(const Json& samples);

 Q_SIGNALS:
  void changed();

 private:
  void updateControls();
  NumberEdit *count_, *seed_, *replicates_;
  QComboBox* design_;
  QCheckBox* indices_;
};

}  // namespace hyb::ui
