#pragma once
#include <QLineEdit>
#include <optional>

namespace hyb::ui {

/// A number with its unit inside the field: the one widget in which the window takes numbers. What is typed is read by
/// readNumber(), whatever the language of the desktop. It is never narrower than its number; where its place is all the
/// same, it shows "…" in place of a part of the number, and the tooltip has the whole.
class NumberField : public QLineEdit {
  Q_OBJECT
 public:
  explicit NumberField(const QString& unit, QWidget* parent = nullptr);
  /// What is typed, where it can be read as a number (in bounds or not).
  std::optional<double> typed() const;
  /// Why the text cannot stand; empty: it can.
  virtual QString problem() const = 0;
  QString unit() const { return unit_; }
  void setUnit(const QString& unit);
  /// As QWidget::setMinimumWidth(), which would let the field become narrower than its number.
  void setLeastWidth(int width_px);
  /// The text finds room.
  bool showsAll() const;
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void fit();
  int textWidth() const;
  int frameWidth() const;  ///< of all around the text, px
  QString unit_;
  int least_px_ = 0;
};

/// A number of a panel. What is typed is taken by Enter or when the field is left, and only where it is a number in
/// bounds: else the text stands marked and value() stays, and good() tells the panel to wait. Up and Down step.
class ValueField : public NumberField {
  Q_OBJECT
 public:
  ValueField(const QString& name, const QString& unit, double least, double most, double value = 0.0,
             QWidget* parent = nullptr);
  double value() const { return held_; }
  /// Shows it with six figures, and holds what it shows.
  void setValue(double value);
  void setRange(double least, double most);
  void setWhole(bool whole) { whole_ = whole; }
  /// Words that stand for the least value, which may be left empty then.
  void setLeastWords(const QString& words);
  bool good() const { return good_; }
  QString problem() const override;
  /// What stands in the field is not what holds.
  bool pending() const;
  /// `tip` beside what is wrong with the text, where something is.
  void setTip(const QString& tip);

 Q_SIGNALS:
  void valueChanged(double value);
  void textChecked();  ///< good() or pending() may have changed

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  /// Takes what is typed, where it can stand.
  void take();
  void showHeld();

 private:
  void check();
  std::optional<double> meant() const;  ///< by the text, empty text included
  QString written(double value) const;
  void step(double way);
  double least_, most_, held_ = 0.0;
  bool whole_ = false, good_ = true;
  QString words_, tip_;
};

/// QWidget::setMinimumWidth() for an editor that may be a number.
void setLeastWidth(QWidget* editor, int width_px);

/// Sets the dynamic property "mark" ("error", "warning", "ok" or empty) that the style sheet draws.
void setMark(QWidget* widget, const char* mark);

}  // namespace hyb::ui
