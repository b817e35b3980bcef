#include "core/coupling/balance_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace hyb {
namespace {

using Eigen::Index;

constexpr std::array<std::string_view, 5> kEndWords = {"balanced", "too many iterations",
                                                       "the averages do not become steady", "a command is at its bound",
                                                       "the commands cannot be told apart by what they do"};

/// Columns of every row before those of the signals.
constexpr std::size_t kFirstColumns = 10;

}  // namespace

BalanceSweep::BalanceSweep(BalanceModel model, const BalanceSolverSettings& solver,
                           std::vector<SignalKind> command_kinds)
    : HarmonicDirector(std::move(model), std::move(command_kinds)), solver_(solver, decision_.command.size()) {
  row_.assign(segments().columns.size(), 0.0);
  result_ = row_;
  BalanceSweep::reset();
}

void BalanceSweep::reset() noexcept {
  HarmonicDirector::reset();
  solver_.reset();
  ended_.store(0);
  converged_.store(0);
}

void BalanceSweep::decide() noexcept {
  if (restarted_) solver_.restartEvaluation();
  model_.evaluate(decision_.point, offered_);
  const BalanceSolver::Next next = solver_.take(model_.residual());
  if (solver_.bestIsNow()) keepResult();
  decision_.residual = model_.residual().norm();
  decision_.iterations = solver_.iterations();
  setTarget();
  decision_.kind = next == BalanceSolver::Next::average ? Decision::Kind::average : Decision::Kind::apply;
  if (next == BalanceSolver::Next::end) endPoint();
  decision_.command = solver_.command();
}

/// What was measured at the best V so far: amplitude and phase of what both sides have.
void BalanceSweep::keepResult() noexcept {
  std::size_t at = kFirstColumns;
  for (Index i = 0; i < model_.motion().rows(); ++i)
    result_[at++] =
        100.0 * model_.errorBound(decision_.point, i, model_.residual().norm()) / std::abs(model_.motion()(i, 0));
  putSignals(result_, at, solver_.best());
}

void BalanceSweep::endPoint() noexcept {
  const BalanceEnd end = solver_.end();
  const double hz = model_.frequency_hz(decision_.point);
  const bool converged = end == BalanceEnd::converged;
  row_ = result_;
  const double first[kFirstColumns] = {static_cast<double>(decision_.point + 1),
                                       0.0,
                                       0.0,
                                       converged ? 1.0 : 0.0,
                                       hz,
                                       static_cast<double>(end),
                                       static_cast<double>(solver_.iterations()),
                                       static_cast<double>(solver_.evaluations()),
                                       static_cast<double>(solver_.averages()),
                                       solver_.residual()};
  std::copy(std::begin(first), std::end(first), row_.begin());
  keepRow();
  ended_.fetch_add(1);
  if (converged) converged_.fetch_add(1);
  if (end == BalanceEnd::singular) {
    const Index harmonic = solver_.leastPair() / model_.motion().rows();
    const int order = model_.order(harmonic);
    tell(Event{0, EventCode::matrix_singular, Severity::warning, order, order * hz, solver_.apart(), {}});
  }
  Event done{0,
             EventCode::point_done,
             converged ? Severity::info : Severity::warning,
             static_cast<std::int32_t>(decision_.point) + 1,
             hz,
             solver_.residual(),
             {}};
  done.setText(kEndWords[static_cast<std::size_t>(end)]);
  tell(done);
  solver_.beginPoint();
  decision_.kind = ++decision_.point < model_.points() ? Decision::Kind::next_point : Decision::Kind::finish;
  if (decision_.kind == Decision::Kind::next_point) decision_.frequency_hz = model_.frequency_hz(decision_.point);
}

SegmentTable BalanceSweep::segments() const {
  SegmentTable table;
  table.most = model_.points();
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
                    0}};
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
  const std::size_t ended = ended_.load(), converged = converged_.load();
  return std::to_string(converged) + " of " + std::to_string(model_.points()) + " frequencies balanced" +
         (ended < model_.points() ? ", " + std::to_string(ended) + " tried" : "");
}

}  // namespace hyb
