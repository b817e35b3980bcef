#include "ui/plot/periodic_pages.h"

#include <QTabWidget>
#include <utility>

#include "ui/plot/learning_view.h"
#include "ui/plot/sweep_view.h"

namespace hyb::ui {

PeriodicPages::PeriodicPages(QTabWidget* pages)
    : QObject(pages), pages_(pages), sweep_(new SweepView), learning_(new LearningView) {
  pages->addTab(sweep_, tr("Sweep"));
  pages->addTab(learning_, tr("Learning"));
  connect(sweep_, &SweepView::referenceReady, this, [this] { setPageVisible(sweep_, sweep_->shows()); });
  setPageVisible(sweep_, false);
  setPageVisible(learning_, false);
}

void PeriodicPages::setPageVisible(QWidget* page, bool visible) {
  pages_->setTabVisible(pages_->indexOf(page), visible);
}

void PeriodicPages::show(SweepList list, const Project* project, bool over) {
  sweep_->showSweep(std::move(list), project, over);
  setPageVisible(sweep_, sweep_->shows());
}

void PeriodicPages::announce(const Project& project) {
  show(SweepList(), &project, false);
  sweep_->setHistory(nullptr);
  LearningRecord record(project, RowLayout(1, {}, false, {}));
  setPageVisible(learning_, record.any());
  learning_->showRecord(std::move(record));
}

void PeriodicPages::attach(const Project& project, const RowLayout& layout, std::shared_ptr<const RunHistory> history) {
  show(SweepList(project.loop.rate_hz, layout.segmentColumns(), layout.mostSegments()), &project, false);
  sweep_->setHistory(std::move(history));
  LearningRecord record(project, layout);
  setPageVisible(learning_, record.any());
  learning_->showRecord(std::move(record));
}

void PeriodicPages::push(std::span<const double> rows) { learning_->push(rows); }
void PeriodicPages::append(std::vector<std::vector<double>> segments) { sweep_->append(std::move(segments)); }

void PeriodicPages::frame() {
  sweep_->followRun();
  learning_->refresh();
}

bool PeriodicPages::begun() const { return sweep_->sweep().count() > 0 || learning_->record().now_s() > 0.0; }

void PeriodicPages::end() {
  sweep_->end();
  learning_->refreshNow();
}

void PeriodicPages::showRun(const LoadedRun& run) {
  show(run.sweep, run.project && run.sweep.any() ? &*run.project : nullptr, true);
  sweep_->offerGoingOn();
  replaceRows(run);
}

void PeriodicPages::replaceRows(const LoadedRun& run) {
  sweep_->setHistory(run.history);
  LearningRecord record;
  if (run.project) record = LearningRecord(*run.project, run.history->layout());
  record.read(*run.history);
  setPageVisible(learning_, record.any());
  learning_->showRecord(std::move(record));
}

}  // namespace hyb::ui
