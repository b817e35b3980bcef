#include <algorithm>

#include "core/base/numbers.h"
#include "core/loop/loop.h"
#include "core/loop/loop_work.h"

namespace hyb {

/// First period of a segment other than the first one.
void Loop::enterSegment() noexcept {
  Work& w = *work_;
  if (w.trials->open()) finishTrial();  // its last period was missed
  w.fade_origin = 0;
  if (w.programme.now().at_rest) {  // from the last written position of the actuators
    takeOver();
    w.safe.letDown(bounds());
    excitation_.at(0.0, 0.0, 0.0, w.excitation_now);
    w.output.reference.setZero();
    return;
  }
  if (w.waits > 0) push(EventCode::trial_ready, Severity::info, w.programme.now().trial, static_cast<double>(w.waits));
  w.waits = 0;
  director_work_.store(DirectorWork::none, std::memory_order_relaxed);
  scheme_->adopt();
  scheme_->restart();
  w.offset.setZero();
  w.offset_columns.setZero();
  beginTrial();
}

bool Loop::workForDirector() noexcept {
  if (director_ != nullptr && director_->work()) return true;
  if (director_work_.load(std::memory_order_acquire) != DirectorWork::due) return false;
  scheme_->learn();
  director_work_.store(DirectorWork::done, std::memory_order_release);
  return true;
}

/// The pause before a trial is over, but its learnt values are not available yet.
bool Loop::waitsForDirector() noexcept {
  Work& w = *work_;
  if (!w.programme.now().at_rest || w.programme.ticks() < w.programme.now().ticks) return false;
  if (director_work_.load(std::memory_order_acquire) != DirectorWork::due &&
      !director_held_.load(std::memory_order_relaxed))
    return false;
  if (w.waits++ == 0) push(EventCode::trial_late, Severity::warning, w.programme.now().trial + 1);
  return true;
}

void Loop::beginTrial() noexcept {
  Work& w = *work_;
  const int trial = w.programme.now().trial;
  w.trials->begin(trial, w.tick);
  scheme_->readLearnt(w.trials->learnt());
  scheme_->readAdapted(w.adapted);
  status_.trial.store(trial, std::memory_order_relaxed);
}

void Loop::pushSegment() noexcept {
  for (RowRing* const ring : {segment_rows_, display_segments_})
    if (ring != nullptr) ring->push(work_->segment_row);
}

/// Row of a finished segment from a director: number, first and last tick, and its other columns.
void Loop::keepSegment() noexcept {
  Work& w = *work_;
  w.segment_row[1] = static_cast<double>(w.segment_from);
  w.segment_row[2] = static_cast<double>(w.tick);
  w.segment_from = w.tick + 1;
  pushSegment();
}

/// Ends a running trial, stores its result, and decides on the next one.
void Loop::finishTrial() noexcept {
  Work& w = *work_;
  if (!w.trials || !w.trials->open()) return;
  TrialDirector& trials = *w.trials;
  const TrialResult& result = trials.finish();
  push(EventCode::trial_done, result.whole ? Severity::info : Severity::warning, result.trial,
       result.whole ? result.error_percent : kNoValue);
  fillTrialRow(result, w.segment_row);
  auto to = w.segment_row.end() - static_cast<std::ptrdiff_t>(w.kept.size());
  for (const std::size_t a : w.kept) *to++ = w.adapted[a];
  pushSegment();
  const bool to_learn = scheme_->endTrial(result.whole);
  if (!trials.over()) {
    if (to_learn) director_work_.store(DirectorWork::due, std::memory_order_release);
    return;
  }
  if (trials.stop() != TrialStop::none)
    push(EventCode::trials_stopped, trials.stop() == TrialStop::rises ? Severity::warning : Severity::info,
         static_cast<int>(trials.stop()), trials.stopValue());
  status_.trials_stopped.store(trials.stop(), std::memory_order_relaxed);
  if (!trials.worthRestoring()) return;
  scheme_->setLearnt(trials.bestLearnt());
  push(EventCode::learnt_restored, Severity::info, trials.best(), trials.bestError_percent());
}

}  // namespace hyb
