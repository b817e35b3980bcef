#include "ui/plot/power_view.h"

#include <QComboBox>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/base/widgets.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/quantity_text.h"
#include "ui/plot/time_plot.h"

namespace hyb::ui {
PowerView::PowerView(TimeView* view, QWidget* parent)
    : QWidget(parent),
      view_(view),
      power_(new TimePlot(tr("Power"), view)),
      damping_(new TimePlot(tr("Injected damping"), view)),
      energy_(new TimePlot(tr("Energy"), view)),
      interface_(new TitleCombo) {
  power_->setEmptyText(tr("Power at the interface: into the specimen, and fed in by the transfer system."));
  damping_->setEmptyText(tr("Damping injected by passivity control, and its force."));
  energy_->setEmptyText(tr("Energies since the start: fed in by the transfer system, taken out by the damping."));
  interface_->setAccessibleName(tr("Interface whose power is shown"));
  interface_->setToolTip(interface_->accessibleName());
  interface_->hide();
  auto* parts = new Splitter(Qt::Vertical, nullptr, Splitter::Handle::thin);
  parts->setChildrenCollapsible(false);
  for (TimePlot* plot : {power_, damping_, energy_}) parts->addWidget(addPanel(plot));
  damping_panel_ = panels_[1];
  panels_.front()->addControl(interface_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(parts);
  connect(interface_, &QComboBox::currentIndexChanged, this, &PowerView::showInterface);
}

PowerView::~PowerView() = default;

PlotPanel* PowerView::addPanel(PlotView* plot) {
  panels_.push_back(new PlotPanel(plot));
  return panels_.back();
}

void PowerView::setRows(const RowLayout& layout) {
  for (TimePlot* plot : {power_, damping_, energy_}) plot->setSource(nullptr);
  showRows(layout);
}

void PowerView::setRun(const std::shared_ptr<const RunHistory>& run, const std::shared_ptr<const RunHistory>& second) {
  for (TimePlot* plot : {power_, damping_, energy_}) plot->setSource(run, second);
  if (run) return showRows(run->layout());
  refresh();
}

void PowerView::showRows(const RowLayout& layout) {
  layout_ = std::make_unique<RowLayout>(layout);
  if (static_cast<std::size_t>(interface_->count()) != layout.interfaces()) {
    const QSignalBlocker quiet(interface_);
    interface_->clear();
    for (std::size_t i = 0; i < layout.interfaces(); ++i) interface_->addItem(QString::number(i + 1));
    interface_->setVisible(layout.interfaces() > 1);
  }
  showInterface();
}

void PowerView::showInterface() {
  if (!layout_) return;
  const auto i = static_cast<std::size_t>(std::max(0, interface_->currentIndex()));
  const std::string number = std::to_string(i + 1);
  const auto named = [&](const char* stem) { return layout_->find(stem + number).value_or(RunHistory::kNoValue); };
  std::vector<TimeCurve> power{{tr("into the specimen"), RunHistory::interfacePower(*layout_, i), Role::force}};
  std::vector<TimeCurve> energy{{tr("energy error, all interfaces"), RunHistory::energyError(*layout_), Role::force}};
  acts_ = named("passivity_damping_");
  const bool controlled = acts_ != RunHistory::kNoValue;
  if (controlled) {
    power.push_back({tr("fed in"), named("power_error_"), Role::measured});
    energy.push_back({tr("fed in"), named("power_error_energy_"), Role::measured});
    energy.push_back({tr("taken out"), named("passivity_energy_"), Role::command});
    damping_->setAxisUnit(false, "kg/s", 1e-3);
    damping_->setAxisUnit(true, "N", 1e-6);
    damping_->setCurves({{tr("damping"), acts_, Role::command},
                         {tr("force"), named("passivity_force_"), Role::force, Qt::SolidLine, true}});
  }
  power_->setAxisUnit(false, "W", 1e-9);
  energy_->setAxisUnit(false, "J", 1e-9);
  power_->setCurves(std::move(power));
  energy_->setCurves(std::move(energy));
  damping_panel_->setVisible(controlled);
  for (TimePlot* plot : {power_, damping_, energy_}) plot->setPhases(acts_);
  panels_.front()->setFootnote(
      controlled ? tr("shaded: active, the transfer system feeds power in and the damping acts") : QString(),
      tr("Outside the shaded parts no damping acts. Pauses of a few ticks are shaded, too."));
  refresh();
}

void PowerView::refresh() {
  if (!isVisible()) return;
  for (PlotPanel* panel : panels_) {
    panel->plot()->refresh();
    if (panel->isVisible()) panel->updateReading();
  }
}

}  // namespace hyb::ui
