#include "ui/run/fault_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/number_field.h"
#include "ui/plot/quantity_text.h"

namespace hyb::ui {
namespace {

QString titleOf(std::string_view name) {
  QString text = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())).replace(u'-', u' ');
  return text.left(1).toUpper() + text.mid(1);
}

}  // namespace

FaultPanel::FaultPanel(QWidget* parent)
    : QWidget(parent),
      kind_(new QComboBox),
      interface_(new QComboBox),
      sensor_(new QComboBox),
      value_(new ValueField(tr("Value of the fault"), {}, 0.0, 1.0)),
      value_label_(new QLabel(tr("Value"))),
      what_(new QLabel),
      begin_(new QPushButton(tr("Begin fault"))),
      end_(new QPushButton(tr("End fault"))),
      list_(new QListWidget) {
  for (const FaultFacts& facts : faultKinds()) {
    kind_->addItem(titleOf(facts.name));
    kind_->setItemData(kind_->count() - 1, QString::fromUtf8(facts.what), Qt::ToolTipRole);
  }
  kind_->setAccessibleName(tr("Kind of fault"));
  kind_->setObjectName(QStringLiteral("fault-kind"));
  interface_->setAccessibleName(tr("Interface of the fault"));
  sensor_->setAccessibleName(tr("Sensor of the fault"));
  sensor_->addItems({tr("Displacement"), tr("Force")});
  value_->setObjectName(QStringLiteral("fault-value"));
  value_label_->setBuddy(value_);
  what_->setWordWrap(true);
  what_->setProperty("muted", true);
  what_->setFont(figureFont(0.9));
  begin_->setObjectName(QStringLiteral("fault-begin"));
  end_->setObjectName(QStringLiteral("fault-end"));
  list_->setAccessibleName(tr("Active faults"));
  list_->setFrameShape(QFrame::NoFrame);
  list_->setMaximumHeight(64);
  list_->setFont(figureFont(0.9));

  auto* where = new QHBoxLayout;
  where->addWidget(interface_, 1);
  where->addWidget(sensor_, 1);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(8);
  grid->setVerticalSpacing(4);
  grid->setColumnStretch(1, 1);
  grid->addWidget(kind_, 0, 0, 1, 2);
  grid->addLayout(where, 1, 0, 1, 2);
  grid->addWidget(value_label_, 2, 0);
  grid->addWidget(value_, 2, 1);
  grid->addWidget(begin_, 3, 0);
  grid->addWidget(end_, 3, 1);
  auto* box = new QVBoxLayout(this);
  box->setContentsMargins(0, 4, 0, 0);
  box->setSpacing(4);
  box->addLayout(grid);
  box->addWidget(what_);
  box->addWidget(list_, 1);
  box->addStretch();

  connect(kind_, &QComboBox::currentIndexChanged, this, &FaultPanel::showKind);
  connect(sensor_, &QComboBox::currentIndexChanged, this, &FaultPanel::showKind);
  connect(value_, &ValueField::textChecked, this, &FaultPanel::showState);
  connect(list_, &QListWidget::currentRowChanged, this, &FaultPanel::showState);
  connect(begin_, &QPushButton::clicked, this, [this] {
    const FaultFacts& facts = faultKinds()[static_cast<std::size_t>(kind_->currentIndex())];
    FaultSpec fault;
    fault.kind = facts.kind;
    fault.interface = facts.place == FaultPlace::connection ? 0 : interface_->currentIndex();
    if (facts.place == FaultPlace::sensor) fault.sensor = static_cast<FaultSensor>(sensor_->currentIndex());
    const DisplayUnit unit = displayUnit(facts.units[static_cast<std::size_t>(fault.sensor)]);
    if (facts.min < facts.max) fault.value = value_->value() / unit.factor;
    if (std::find(under_way_.begin(), under_way_.end(), fault) != under_way_.end()) return;
    Q_EMIT faultRequested(fault, true);
  });
  connect(end_, &QPushButton::clicked, this, [this] {
    const int row = list_->currentRow();
    if (row < 0) return;
    Q_EMIT faultRequested(under_way_[static_cast<std::size_t>(row)], false);
  });
  begin(1);
  showKind();
}

void FaultPanel::begin(std::size_t interfaces) {
  under_way_.clear();
  list_->clear();
  const int chosen = std::max(0, interface_->currentIndex());
  interface_->clear();
  interface_->addItem(tr("Every interface"));
  for (std::size_t i = 1; i <= interfaces; ++i) interface_->addItem(tr("Interface %1").arg(i));
  interface_->setCurrentIndex(std::min(chosen, interface_->count() - 1));
  showState();
}

void FaultPanel::take(const Event& event) {
  const bool begins = event.code == EventCode::fault_injected;
  if (!begins && event.code != EventCode::fault_ended) return;
  if (event.severity != Severity::info || event.index < 0) return;  // refused: nothing has changed
  FaultSpec fault;
  fault.kind = static_cast<FaultKind>(event.index);
  fault.interface = static_cast<int>(event.bound);
  fault.value = event.value;
  if (std::string_view(event.text.data()) == name(FaultSensor::force)) fault.sensor = FaultSensor::force;
  const auto found = std::find(under_way_.begin(), under_way_.end(), fault);
  if (begins && found == under_way_.end()) {
    under_way_.push_back(fault);
    list_->addItem(nameOf(fault));
    list_->setCurrentRow(list_->count() - 1);
  } else if (!begins && found != under_way_.end()) {
    delete list_->takeItem(static_cast<int>(found - under_way_.begin()));
    under_way_.erase(found);
  }
  showState();
}

void FaultPanel::setLocked(bool locked) {
  locked_ = locked;
  showState();
}

void FaultPanel::showKind() {
  const FaultFacts& facts = faultKinds()[static_cast<std::size_t>(std::max(0, kind_->currentIndex()))];
  const bool of_sensor = facts.place == FaultPlace::sensor, has_value = facts.min < facts.max;
  const std::size_t sensor = of_sensor ? static_cast<std::size_t>(sensor_->currentIndex()) : 0;
  const DisplayUnit unit = displayUnit(facts.units[sensor]);
  sensor_->setVisible(of_sensor);
  interface_->setVisible(facts.place != FaultPlace::connection);
  value_->setVisible(has_value);
  value_label_->setVisible(has_value);
  value_label_->setText(*facts.units[sensor] == '\0' ? tr("Probability") : tr("Value"));
  if (has_value) {
    value_->setRange(facts.min * unit.factor, facts.max * unit.factor);
    value_->setUnit(unit.text);
    value_->setValue(facts.usual[sensor] * unit.factor);
  }
  what_->setText(QString::fromUtf8(facts.what));
}

void FaultPanel::showState() {
  begin_->setEnabled(!locked_ && (value_->isHidden() || value_->good()));
  end_->setEnabled(!locked_ && list_->currentRow() >= 0);
}

QString FaultPanel::nameOf(const FaultSpec& fault) const {
  const FaultFacts& facts = faultFacts(fault.kind);
  QString text = titleOf(facts.name);
  if (facts.place == FaultPlace::sensor) text += QLatin1Char(' ') + titleOf(name(fault.sensor)).toLower();
  if (fault.interface > 0) text += QStringLiteral(" %1").arg(fault.interface);
  if (facts.min < facts.max)
    text += QStringLiteral(": ") +
            quantityText(fault.value, displayUnit(facts.units[static_cast<std::size_t>(fault.sensor)]));
  return text;
}

}  // namespace hyb::ui
