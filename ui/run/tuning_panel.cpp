#include "ui/run/tuning_panel.h"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <algorithm>
#include <cmath>

#include "core/project/schema.h"
#include "ui/document/field_editors.h"
#include "ui/document/schema_tools.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

constexpr int kDigits = 6, kDecimals = 9;

}  // namespace

/// A value that is given to the running test by Enter alone: arrows, digits and keys that went astray only change what
/// stands in the field, and leaving it puts the value back that holds. Shows six figures, and no more than the value
/// has.
class TunedField : public QDoubleSpinBox {
  Q_OBJECT
 public:
  using QDoubleSpinBox::QDoubleSpinBox;
  void showHeld(double value) {
    setValue(value);
    held_ = this->value();
  }
  /// Something stands in the field that does not hold.
  bool pending() const { return text() != prefix() + textFromValue(held_) + suffix(); }
  QString textFromValue(double value) const override {
    const int before = value == 0.0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
    QString text = locale().toString(value, 'f', std::clamp(kDigits - 1 - before, 0, decimals()));
    text.remove(locale().groupSeparator());
    const QString point = locale().decimalPoint();
    if (!text.contains(point)) return text;
    while (text.endsWith(QLatin1Char('0'))) text.chop(1);
    if (text.endsWith(point)) text.chop(point.size());
    return text;
  }

 Q_SIGNALS:
  void entered(double value);
  void done();  // by Enter, changed or not

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) return QDoubleSpinBox::keyPressEvent(event);
    event->accept();
    if (event->isAutoRepeat()) return;
    if (pending()) {
      interpretText();
      if (const double wanted = value(); wanted != held_) {
        held_ = wanted;
        Q_EMIT entered(wanted);
      }
    }
    Q_EMIT done();
  }
  void focusOutEvent(QFocusEvent* event) override {
    if (event->reason() != Qt::PopupFocusReason) {
      setValue(held_);
      // Text that says the same number in other digits, or that cannot be read, goes as well.
      lineEdit()->setText(prefix() + textFromValue(held_) + suffix());
    }
    QDoubleSpinBox::focusOutEvent(event);
  }

 private:
  double held_ = 0.0;
};

TuningPanel::TuningPanel(QWidget* parent) : QScrollArea(parent) {
  setFrameShape(NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Tuning"));
  setTunables({}, {});
}

void TuningPanel::setTunables(const std::vector<Tunable>& tunables, const Json& project) {
  auto* page = new QWidget;
  auto* form = new QFormLayout(page);
  form->setContentsMargins(0, 0, 4, 0);
  form->setVerticalSpacing(4);
  form->setHorizontalSpacing(8);
  fields_.clear();
  if (tunables.empty()) {
    auto* none =
        new QLabel(tr("Parameters of the compensator appear here when the test is armed. "
                      "They can be changed while it runs; each change is recorded."));
    none->setProperty("muted", true);
    none->setWordWrap(true);
    form->addRow(none);
  }
  for (std::size_t t = 0; t < tunables.size(); ++t) {
    const Tunable& tunable = tunables[t];
    const DisplayUnit unit = displayUnit(tunable.units);
    auto* field = new TunedField;
    constexpr double kWidest = 1e12;
    const double low = std::clamp(tunable.min * unit.factor, -kWidest, kWidest);
    const double high = std::clamp(tunable.max * unit.factor, -kWidest, kWidest);
    field->setProperty("factor", unit.factor);
    field->setDecimals(kDecimals);
    field->setRange(low, high);
    field->showHeld(tunable.value * unit.factor);
    field->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    field->setKeyboardTracking(false);
    field->setMinimumHeight(24);
    if (!unit.text.isEmpty()) field->setSuffix(QChar(0x2009) + unit.text);
    QString name = QString::fromStdString(tunable.name);
    name.replace(QLatin1Char('_'), QLatin1Char(' '));
    const QString description =
        tr("%1 From %2 to %3%4. Enter applies it; leaving the field does not.")
            .arg(tunable.words.empty() ? schemaText(schemaOf(project, tunable.field), "description")
                                       : QString::fromStdString(tunable.words),
                 numberText(low), numberText(high), unit.text.isEmpty() ? QString() : QLatin1Char(' ') + unit.text);
    field->setToolTip(description);
    field->setAccessibleName(name);
    field->setAccessibleDescription(description);
    field->setEnabled(!locked_);
    connect(field, &TunedField::entered, this,
            [this, t, factor = unit.factor](double value) { Q_EMIT tuned(t, value / factor); });
    connect(field, &TunedField::done, this, [this] { setFocus(Qt::OtherFocusReason); });  // Space is STOP again
    auto* label = new QLabel(name);
    label->setBuddy(field);
    connect(field, &QDoubleSpinBox::textChanged, label, [field, label, name] {
      label->setText(field->pending() ? tr("%1: Enter applies").arg(name) : name);
      setMark(label, field->pending() ? "warning" : "");
    });
    label->setToolTip(description);
    form->addRow(label, field);
    fields_.push_back(field);
  }
  setWidget(page);
  page->setAutoFillBackground(false);
  viewport()->setAutoFillBackground(false);
}

void TuningPanel::setLocked(bool locked) {
  locked_ = locked;
  for (TunedField* field : fields_) field->setEnabled(!locked);
}

void TuningPanel::setValue(std::size_t index, double value) {
  if (index >= fields_.size()) return;
  fields_[index]->showHeld(value * fields_[index]->property("factor").toDouble());
}

}  // namespace hyb::ui

#include "tuning_panel.moc"
