#pragma once
#include <QMetaObject>
#include <QObject>
#include <QThreadPool>
#include <functional>
#include <utility>

namespace hyb::ui {

/// Runs work on a worker thread, one piece at a time, and delivers only the newest result. A new request replaces a
/// waiting one. For use from the GUI thread; the work must not throw.
class LatestTask {
 public:
  using Deliver = std::function<void()>;  // runs in the GUI thread
  using Work = std::function<Deliver()>;  // runs in the worker

  LatestTask() { pool_.setMaxThreadCount(1); }
  ~LatestTask() {
    pool_.waitForDone();
    if (busy_) --under_way_;
  }

  void submit(Work work) {
    ++newest_;
    if (busy_)
      waiting_ = std::move(work);
    else
      start(std::move(work));
  }
  /// Drops the work under way.
  void cancel() {
    ++newest_;
    waiting_ = nullptr;
  }
  bool busy() const { return busy_; }
  /// Number of busy tasks in the program; at 0 the window is complete.
  static int underWay() { return under_way_; }

 private:
  void start(Work work) {
    busy_ = true;
    ++under_way_;
    pool_.start([this, ticket = newest_, work = std::move(work)] {
      QMetaObject::invokeMethod(
          &anchor_, [this, ticket, deliver = work()] { finish(ticket, deliver); }, Qt::QueuedConnection);
    });
  }
  void finish(std::uint64_t ticket, const Deliver& deliver) {
    busy_ = false;
    --under_way_;
    if (waiting_) start(std::exchange(waiting_, nullptr));
    if (ticket == newest_) deliver();
  }

  inline static int under_way_ = 0;

  QObject anchor_;
  std::uint64_t newest_ = 0;
  bool busy_ = false;
  Work waiting_;
  QThreadPool pool_;
};

}  // namespace hyb::ui
