#include "ui/run/tuning_panel.h"

#include <QFormLayout>
#include <QKeyEvent>
#include <QLabel>
#include <algorithm>

#include "core/project/schema.h"
#include "ui/base/number_field.h"
#include "ui/document/schema_tools.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
/// A value that only Enter sends to the running test. Accidental keys change only the text; leaving the field restores
/// the value in force.
class TunedField : public ValueField {
  Q_OBJECT
 public:
  using ValueField::ValueField;

 Q_SIGNALS:
  void entered(double value);
  void done();  // on Enter, changed or not

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    if (event->key() != Qt::Key_Return && event->key() != Qt::Key_Enter) return ValueField::keyPressEvent(event);
    event->accept();
    if (event->isAutoRepeat()) return;
    const double before = value();
    take();
    if (!good()) return;  // a refused text stays for correction
    if (value() != before) Q_EMIT entered(value());
    Q_EMIT done();
  }
  void focusOutEvent(QFocusEvent* event) override {
    if (event->reason() != Qt::PopupFocusReason) showHeld();
    ValueField::focusOutEvent(event);
  }
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
        new QLabel(tr("Parameters of the compensator appear here after Arm. You can change them while the test runs; "
                      "each change is recorded."));
    none->setProperty("muted", true);
    none->setWordWrap(true);
    form->addRow(none);
  }
  for (std::size_t t = 0; t < tunables.size(); ++t) {
    const Tunable& tunable = tunables[t];
    const DisplayUnit unit = displayUnit(tunable.units);
    constexpr double kWidest = 1e12;
    const double low = std::clamp(tunable.min * unit.factor, -kWidest, kWidest);
    const double high = std::clamp(tunable.max * unit.factor, -kWidest, kWidest);
    QString name = QString::fromStdString(tunable.name);
    name.replace(QLatin1Char('_'), QLatin1Char(' '));
    auto* field = new TunedField(name, unit.text, low, high, tunable.value * unit.factor);
    field->setProperty("factor", unit.factor);
    const QString description =
        tr("%1 From %2 to %3%4. Enter applies it; leaving the field does not.")
            .arg(tunable.words.empty() ? schemaText(schemaOf(project, tunable.field), "description")
                                       : QString::fromStdString(tunable.words),
                 numberText(low), numberText(high), unit.text.isEmpty() ? QString() : QLatin1Char(' ') + unit.text);
    field->setTip(description);
    field->setAccessibleDescription(description);
    field->setEnabled(!locked_);
    connect(field, &TunedField::entered, this,
            [this, t, factor = unit.factor](double value) { Q_EMIT tuned(t, value / factor); });
    connect(field, &TunedField::done, this, [this] { setFocus(Qt::OtherFocusReason); });  // Space is STOP again
    auto* label = new QLabel(name);
    label->setBuddy(field);
    connect(field, &ValueField::textChecked, label, [field, label, name] {
      label->setText(!field->good()     ? tr("%1: refused").arg(name)
                     : field->pending() ? tr("%1: Enter applies").arg(name)
                                        : name);
      setMark(label, !field->good() ? "error" : field->pending() ? "warning" : "");
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
  fields_[index]->setValue(value * fields_[index]->property("factor").toDouble());
}

}  // namespace hyb::ui

#include "tuning_panel.moc"
