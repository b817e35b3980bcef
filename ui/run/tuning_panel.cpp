#include "ui/run/tuning_panel.h"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <algorithm>
#include <cmath>

#include "ui/plot/quantity_text.h"

namespace hyb::ui {

namespace {

/// Shows no more digits than the value has.
class TrimmedSpinBox : public QDoubleSpinBox {
 public:
  using QDoubleSpinBox::QDoubleSpinBox;
  QString textFromValue(double value) const override {
    QString text = QDoubleSpinBox::textFromValue(value);
    const QString point = locale().decimalPoint();
    if (!text.contains(point)) return text;
    while (text.endsWith(QLatin1Char('0'))) text.chop(1);
    if (text.endsWith(point)) text.chop(point.size());
    return text;
  }
};

}  // namespace

TuningPanel::TuningPanel(QWidget* parent) : QScrollArea(parent) {
  setFrameShape(NoFrame);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Tuning"));
  setTunables({});
}

void TuningPanel::setTunables(const std::vector<Tunable>& tunables) {
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
    auto* field = new TrimmedSpinBox;
    constexpr double kWidest = 1e12;
    const double low = std::clamp(tunable.min * unit.factor, -kWidest, kWidest);
    const double high = std::clamp(tunable.max * unit.factor, -kWidest, kWidest);
    field->setProperty("factor", unit.factor);
    field->setDecimals(4);
    field->setRange(low, high);
    field->setValue(tunable.value * unit.factor);
    field->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    field->setKeyboardTracking(false);
    field->setMinimumHeight(24);
    if (!unit.text.isEmpty()) field->setSuffix(QChar(0x2009) + unit.text);
    QString name = QString::fromStdString(tunable.name);
    name.replace(QLatin1Char('_'), QLatin1Char(' '));
    const QString description = tr("%1 From %2 to %3%4.")
                                    .arg(QString::fromStdString(tunable.description), numberText(low), numberText(high),
                                         unit.text.isEmpty() ? QString() : QLatin1Char(' ') + unit.text);
    field->setToolTip(description);
    field->setAccessibleName(name);
    field->setAccessibleDescription(description);
    field->setEnabled(!locked_);
    connect(field, &QDoubleSpinBox::valueChanged, this,
            [this, t, factor = unit.factor](double value) { Q_EMIT tuned(t, value / factor); });
    auto* label = new QLabel(name);
    label->setBuddy(field);
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
  for (QDoubleSpinBox* field : fields_) field->setEnabled(!locked);
}

void TuningPanel::setValue(std::size_t index, double value) {
  if (index >= fields_.size()) return;
  const QSignalBlocker quiet(fields_[index]);
  fields_[index]->setValue(value * fields_[index]->property("factor").toDouble());
}

}  // namespace hyb::ui
