#include "core/harmonic/balance_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/checks.h"
#include "core/base/figure_text.h"

namespace hyb {
namespace {

using Eigen::Index;

constexpr std::array<std::string_view, 6> kEndWords = {"balanced",
                                                       "too many iterations",
                                                       "the averages do not become steady",
                                                       "a command is at its bound",
                                                       "the effects of the commands cannot be separated",
                                                       "a command has no effect above the noise"};

/// Columns of every row before those of the signals.
constexpr std::size_t kFirstColumns = 14;
constexpr std::size_t kConverged = 3, kFrequency = 4, kEnd = 5, kLevel = 11, kTakenOver = 13;

}  // namespace

BalanceSweep::BalanceSweep(BalanceModel model, const BalanceSolverSettings& solver,
                           const BalanceCampaignSettings& campaign, const std::vector<double>& frequencies_hz,
                           std::vector<SignalKind> command_kinds)
    : HarmonicDirector(std::move(model), std::move(command_kinds)),
      plan_(campaign, frequencies_hz, decision_.command.size()),
      solver_(solver, decision_.command.size()),
      first_step_v_(solver.first_step) {
  row_.assign(segments().columns.size(), 0.0);
  result_ = row_;
  BalanceSweep::reset();
}

void BalanceSweep::reset() noexcept {
  HarmonicDirector::reset();
  solver_.reset();
  plan_.reset();
  ended_.store(0);
  converged_.store(0);
  unheard_.store(0);
  taken_over_.clear();
  taken_over_told_ = 0;
  place();
}

/// Next frequency and loads of the plan.
void BalanceSweep::place() noexcept {
  planned_.store(plan_.planned());
  model_.setLevel(plan_.level());
  decision_.number = plan_.number();
  decision_.frequency_hz = model_.frequency_hz(plan_.place());
}

std::size_t BalanceSweep::signalsAt() const noexcept { return kFirstColumns + model_.dofs().size(); }

bool BalanceSweep::takeSegment(std::span<double> row) noexcept {
  if (taken_over_told_ < taken_over_.size()) {
    std::copy_n(taken_over_.begin() + static_cast<std::ptrdiff_t>(taken_over_told_), row.size(), row.begin());
    taken_over_told_ += row.size();
    return true;
  }
  return HarmonicDirector::takeSegment(row);
}

void BalanceSweep::decide() noexcept {
  if (restarted_) solver_.restartEvaluation();
  model_.evaluate(plan_.place(), offered_);
  const BalanceSolver::Next next = solver_.take(model_.residual());
  if (solver_.bestIsNow()) keepResult();
  decision_.residual = model_.residual().norm();
  decision_.iterations = solver_.iterations();
  setTarget();
  decision_.kind = next == BalanceSolver::Next::average ? Decision::Kind::average : Decision::Kind::apply;
  if (next == BalanceSolver::Next::end) endPoint();
  decision_.command = solver_.command();
}

/// Stores the values measured at the best V so far: amplitude and phase of both sides.
void BalanceSweep::keepResult() noexcept {
  std::size_t at = kFirstColumns;
  for (Index i = 0; i < model_.motion().rows(); ++i)
    result_[at++] =
        100.0 * model_.errorBound(plan_.place(), i, model_.residual().norm()) / std::abs(model_.motion()(i, 0));
  putSignals(result_, at, solver_.best());
}

/// From row_.
void BalanceSweep::keepInPlan(bool balanced, const Eigen::VectorXd& amplitudes) noexcept {
  plan_.keep(balanced, firstMotion(row_, signalsAt()), amplitudes);
  ended_.fetch_add(1);
  if (balanced) converged_.fetch_add(1);
}

void BalanceSweep::endPoint() noexcept {
  const BalanceEnd end = solver_.end();
  const double hz = decision_.frequency_hz;
  const bool converged = end == BalanceEnd::converged;
  row_ = result_;
  const double first[kFirstColumns] = {static_cast<double>(plan_.number()),
                                       0.0,
                                       0.0,
                                       converged ? 1.0 : 0.0,
                                       hz,
                                       static_cast<double>(end),
                                       static_cast<double>(solver_.iterations()),
                                       static_cast<double>(solver_.evaluations()),
                                       static_cast<double>(solver_.averages()),
                                       solver_.residual(),
                                       static_cast<double>(plan_.pass()),
                                       plan_.level(),
                                       plan_.added() ? 1.0 : 0.0,
                                       0.0};
  std::copy(std::begin(first), std::end(first), row_.begin());
  keepRow();
  keepInPlan(converged, solver_.command());
  if (end == BalanceEnd::singular) {
    const Index harmonic = solver_.leastPair() / model_.motion().rows();
    const int order = model_.order(harmonic);
    tell(Event{0, EventCode::matrix_singular, Severity::warning, order, order * hz, solver_.apart(), {}});
  }
  Event done{0,
             EventCode::point_done,
             converged ? Severity::info : Severity::warning,
             static_cast<std::int32_t>(plan_.number()),
             hz,
             solver_.residual(),
             {}};
  done.setText(kEndWords[static_cast<std::size_t>(end)]);
  tell(done);
  decision_.kind = Decision::Kind::finish;
  if (end == BalanceEnd::unheard) {
    unheard_change_ = solver_.apart();
    unheard_.store(static_cast<int>(solver_.leastPair() % model_.motion().rows()) + 1);
    ends_ = EndReason::not_identified;
    return;
  }
  if (!plan_.next()) return;
  decision_.kind = Decision::Kind::next_point;
  solver_.beginPoint(plan_.start());
  place();
}

void BalanceSweep::goOn(std::span<const double> rows) {
  const std::size_t width = row_.size();
  const auto fault = [](const std::string& what) { throw InputError("/coupling/sweep", what); };
  for (std::size_t from = 0; from + width <= rows.size(); from += width) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(from), width, row_.begin());
    if (row_[kEnd] == static_cast<double>(BalanceEnd::unheard)) break;  // that frequency is repeated after a repair
    const double hz = model_.frequency_hz(plan_.place());
    if (std::abs(row_[kFrequency] - hz) > 1e-9 * hz || row_[kLevel] != plan_.level())
      fault("has other frequencies or levels than the test to continue: its frequency " +
            std::to_string(plan_.number()) + " is " + Checks::text(row_[kFrequency], "Hz") + " and not " +
            Checks::text(hz, "Hz") + "; use the project of that test.");
    row_[kTakenOver] = 1.0;
    taken_over_.insert(taken_over_.end(), row_.begin(), row_.end());
    readCommand(row_, signalsAt(), decision_.command);
    keepInPlan(row_[kConverged] == 1.0, decision_.command);
    if (!plan_.next()) fault("is already complete in the test to continue: all its frequencies have been measured.");
    solver_.beginPoint(plan_.start());
  }
  place();
  decision_.command = solver_.command();
}

SegmentTable BalanceSweep::segments() const {
  SegmentTable table;
  table.most = plan_.most();
  table.axis = "frequency";
  std::string ends;
  for (std::size_t e = 0; e < kEndWords.size(); ++e)
    ends += (e > 0 ? ", " : "") + std::to_string(e) + ": " + std::string(kEndWords[e]);
  table.columns = {{"point", "", "number of the frequency, from 1", 0},
                   {"first_tick", "", "tick of its first row", 0},
                   {"last_tick", "", "tick of its last row", 0},
                   {"converged", "", "1: its residual got below the tolerance", 0},
                   {"frequency", "Hz", "first harmonic", 0},
                   {"end", "", "how it ended: " + ends, 0},
                   {"iterations", "", "of the solver; a new Jacobian counts as four", 0},
                   {"evaluations", "", "of the residual, each at one set of commands", 0},
                   {"averages", "", "all of them", 0},
                   {"residual", model_.ofForces() ? "" : "m",
                    model_.ofForces() ? "force that is missing at the interface, over that of the load"
                                      : "motion between both sides of the interface",
                    0},
                   {"pass", "", "through the frequencies, from 1", 0},
                   {"level", "", "factor of the loads", 0},
                   {"added", "", "1: put between those asked for, because the response bends there", 0},
                   {"taken_over", "", "1: measured in an earlier test, from which this one went on", 0}};
  const std::vector<Dof>& dofs = model_.dofs();
  const auto number = [](std::size_t i) { return std::to_string(i + 1); };
  for (std::size_t i = 0; i < dofs.size(); ++i)
    table.columns.push_back({"error_bound_" + number(i), "%",
                             dofs[i].name + ": largest error of its motion that the residual can hide",
                             static_cast<int>(i) + 1});
  addSignalColumns(table);
  table.signal = "motion_1_h" + std::to_string(model_.order(0));
  return table;
}

std::string BalanceSweep::summary() const {
  const std::size_t ended = ended_.load(), converged = converged_.load(), planned = planned_.load();
  std::string text = std::to_string(converged) + " of " + std::to_string(planned) + " frequencies balanced" +
                     (ended < planned ? ", " + std::to_string(ended) + " tried" : "");
  const int unheard = unheard_.load();
  if (unheard == 0) return text;
  return "actuator " + std::to_string(unheard) + " does not respond: " + quantityText(first_step_v_, "V", 3) +
         " more change the residual at the interface by " +
         quantityText(unheard_change_, model_.ofForces() ? "" : "m", 2) +
         ", which is within the noise. Check its amplifier, wiring and sensors, or increase the perturbation "
         "(/coupling/solver/first_step_v). " +
         text;
}

}  // namespace hyb
