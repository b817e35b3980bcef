#include "ui/rig/live_response.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace hyb::ui {
namespace {

constexpr int kWork_ms = 250;
constexpr double kMostMissed = 1000.0;  // ticks

}  // namespace

struct LiveResponse::Shared {
  struct Piece {
    std::vector<double> input, output;
    bool follows = true;  // follows the previous row without a gap
  };
  std::mutex mutex;
  std::vector<Piece> waiting;
  // Owned by the worker.
  CrossSpectra spectra;
  std::vector<SineStep> steps;
  std::vector<double> input, output;  // of a stepped sine, from first_s on without a gap
  double first_s = 0.0, rate_hz;
  bool broken = false;  // rows are missing; the run file has them
  std::size_t lines = 0;

  explicit Shared(const Test& test) : spectra(test.segments), steps(test.steps), rate_hz(test.segments.rate_hz) {
    first_s = test.fade_s + 1.0 / rate_hz;  // the first tick of the excitation is 0
  }
  /// True: there is something new.
  bool add(const std::vector<Piece>& pieces) {
    if (steps.empty()) {
      const std::size_t before = spectra.segments();
      for (const Piece& piece : pieces) {
        if (!piece.follows) spectra.interrupt();
        spectra.add(piece.input, piece.output);
      }
      return spectra.segments() != before;
    }
    for (const Piece& piece : pieces) {
      broken = broken || (!piece.follows && !input.empty());
      if (broken) return false;
      input.insert(input.end(), piece.input.begin(), piece.input.end());
      output.insert(output.end(), piece.output.begin(), piece.output.end());
    }
    const double now_s = first_s + static_cast<double>(input.size()) / rate_hz;
    const auto ended = static_cast<std::size_t>(
        std::ranges::count_if(steps, [&](const SineStep& step) { return step.end_s <= now_s; }));
    return std::exchange(lines, ended) != ended;
  }
  SteppedResponse response(double from_hz, double to_hz) const {
    if (!steps.empty()) return steppedResponse(input, output, rate_hz, first_s, steps);
    SteppedResponse found;
    found.response = spectra.response().within(from_hz, to_hz);
    return found;
  }
};

LiveResponse::LiveResponse(QObject* parent) : QObject(parent) {
  refresh_.setInterval(kWork_ms);
  connect(&refresh_, &QTimer::timeout, this, &LiveResponse::work);
}

void LiveResponse::begin(const RowLayout& layout, const Test& test) {
  test_ = test;
  width_ = layout.width();
  excitation_ = layout.excitation();
  command_ = layout.command(test.axis);
  measured_ = layout.measured(test.axis);
  moves_from_s_ = next_tick_ = -1.0;
  shared_ = std::make_shared<Shared>(test);
  refresh_.start();
}

void LiveResponse::take(std::span<const double> rows) {
  if (!shared_) return;
  Shared::Piece piece;
  const auto hand = [&] {
    if (piece.input.empty()) return;
    const std::scoped_lock lock(shared_->mutex);
    shared_->waiting.push_back(std::exchange(piece, {}));
  };
  for (std::size_t at = 0; at + width_ <= rows.size(); at += width_) {
    const std::span<const double> row = rows.subspan(at, width_);
    const double time_s = row[RowLayout::kTime];
    if (moves_from_s_ < 0.0 && row[excitation_] != 0.0) moves_from_s_ = time_s;
    const double since_s = time_s - moves_from_s_ - test_.fade_s;
    const bool counts =
        moves_from_s_ >= 0.0 && since_s >= 0.0 && since_s < test_.duration_s && coupled(row[RowLayout::kFlags]);
    // Rows skipped by a late tick are interpolated linearly, as for all figures of a run.
    const double missed = row[RowLayout::kTick] - next_tick_;
    const bool follows = next_tick_ >= 0.0 && missed >= 0.0 && missed <= kMostMissed;
    next_tick_ = row[RowLayout::kTick] + 1.0;
    const double input = std::exchange(last_input_, row[command_]),
                 output = std::exchange(last_output_, row[measured_]);
    if (counts && follows) {
      for (double k = 1.0; k <= missed + 1.0; k += 1.0) {
        const double share = k / (missed + 1.0);
        piece.input.push_back(input + share * (row[command_] - input));
        piece.output.push_back(output + share * (row[measured_] - output));
      }
      continue;
    }
    hand();
    piece.follows = false;
  }
  hand();
}

void LiveResponse::work() {
  if (task_.busy()) return;  // otherwise new requests would replace each result before it is shown
  task_.submit([this, shared = shared_, from_hz = test_.from_hz, to_hz = test_.to_hz]() -> LatestTask::Deliver {
    std::vector<Shared::Piece> pieces;
    {
      const std::scoped_lock lock(shared->mutex);
      pieces.swap(shared->waiting);
    }
    if (!shared->add(pieces)) return [] {};
    return [this, shared, response = shared->response(from_hz, to_hz)] {
      if (shared == shared_) Q_EMIT updated(response);
    };
  });
}

void LiveResponse::end() {
  refresh_.stop();
  shared_.reset();
  task_.cancel();
}

}  // namespace hyb::ui
