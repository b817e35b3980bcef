#pragma once
#include <QLineEdit>
#include <optional>

namespace hyb::ui {

/// A number with its unit inside the field: the only widget for numbers in the window. readNumber() reads the text,
/// independent of the language of the desktop. The field is never narrower than its number. If its place is narrower
/// all the same, it shows "…" for a part of the number, and the tooltip shows all.
class NumberField : public QLineEdit {
  Q_OBJECT
 public:
  explicit NumberField(const QString& unit, QWidget* parent = nullptr);
  /// The typed number, in bounds or not.
  std::optional<double> typed() const;
  /// Error of the text; empty: valid.
  virtual QString problem() const = 0;
  QString unit() const { return unit_; }
  void setUnit(const QString& unit);
  /// As QWidget::setMinimumWidth(), which would let the field become narrower than its number.
  void setLeastWidth(int width_px);
  /// True if the text fits.
  bool showsAll() const;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void fit();
  int textWidth() const;
  int frameWidth() const;  ///< width of the frame around the text, px
  QString unit_;
  int least_px_ = 0;
};

/// A number of a panel. Enter or leaving the field accepts a number in bounds. Otherwise the text stays marked, value()
/// does not change, and good() is false. Up and Down step.
class ValueField : public NumberField {
  Q_OBJECT
 public:
  ValueField(const QString& name, const QString& unit, double least, double most, double value = 0.0,
             QWidget* parent = nullptr);
  double value() const { return held_; }
  /// Shows the value with six digits and stores the shown value.
  void setValue(double value);
  void setRange(double least, double most);
  void setWhole(bool whole) { whole_ = whole; }
  /// Text for the least value; an empty field then means the least value.
  void setLeastWords(const QString& words);
  bool good() const { return good_; }
  QString problem() const override;
  /// The text differs from the value in force.
  bool pending() const;
  /// Tooltip, shown in addition to an error of the text.
  void setTip(const QString& tip);

 Q_SIGNALS:
  void valueChanged(double value);
  void textChecked();  ///< good() or pending() may have changed

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  /// Accepts the text if it is valid.
  void take();
  void showHeld();

 private:
  void check();
  std::optional<double> meant() const;  ///< value of the text, empty text included
  QString written(double value) const;
  void step(double way);
  double least_, most_, held_ = 0.0;
  bool whole_ = false, good_ = true;
  QString words_, tip_;
};

/// QWidget::setMinimumWidth() for an editor that may be a NumberField.
void setLeastWidth(QWidget* editor, int width_px);

/// Sets the dynamic property "mark" ("error", "warning", "ok" or empty) that the style sheet draws.
void setMark(QWidget* widget, const char* mark);

}  // namespace hyb::ui
