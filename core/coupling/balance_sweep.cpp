#include "core/coupling/balance_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/checks.h"
#include "core/figure.h"
#include "core/numbers.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;

constexpr std::array<std::string_view, 6> kEndWords = {"balanced",
                                                       "too many iterations",
                                                       "the averages do not become steady",
                                                       "a command is at its bound",
                                                       "the commands cannot be told apart by what they do",
                                                       "a command is not heard above the noise"};

/// Columns of every row before those of the signals.
constexpr std::size_t kFirstColumns = 14;
constexpr std::size_t kConverged = 3, kFrequency = 4, kEnd = 5, kLevel = 11, kTakenOver = 13;
constexpr std::size_t kOfDof = 10;     // columns of each DOF and harmonic
constexpr std::size_t kOfCommand = 8;  // the first of its command among them

double degrees(Complex z) noexcept { return std::arg(z) * 180.0 / kPi; }

}  // namespace

BalanceSweep::BalanceSweep(BalanceModel model, const BalanceSolverSettings& solver,
                           const BalanceCampaignSettings& campaign, const std::vector<double>& frequencies_hz,
                           std::vector<SignalKind> command_kinds)
    : model_(std::move(model)),
      plan_(campaign, frequencies_hz, 2 * static_cast<Index>(command_kinds.size()) * model_.harmonics()),
      solver_(solver, 2 * static_cast<Index>(command_kinds.size()) * model_.harmonics()),
      command_kinds_(std::move(command_kinds)),
      first_step_v_(solver.first_step),
      told_(2) {
  offered_.setZero(model_.readings(), model_.harmonics());
  decision_.command.setZero(solver_.command().size());
  decision_.target = decision_.command;
  row_.assign(segments().columns.size(), 0.0);
  result_ = row_;
  reset();
}

void BalanceSweep::reset() noexcept {
  solver_.reset();
  state_.store(State::idle);
  plan_.reset();
  ended_.store(0);
  converged_.store(0);
  planned_.store(plan_.planned());
  unheard_.store(0);
  ends_ = EndReason::completed;
  taken_over_.clear();
  taken_over_told_ = 0;
  model_.setLevel(plan_.level());
  decision_.point = plan_.place();
  decision_.number = plan_.number();
  decision_.command.setZero();
  decision_.target.setZero();
  row_ready_ = row_waits_ = late_waits_ = finished_ = false;
  told_count_ = told_taken_ = 0;
}

void BalanceSweep::offer(const Eigen::MatrixXcd& readings, bool restarted) noexcept {
  offered_ = readings;
  restarted_ = restarted;
  state_.store(State::due, std::memory_order_release);
}

const BalanceSweep::Decision* BalanceSweep::take() noexcept {
  if (held_.load(std::memory_order_relaxed) || state_.load(std::memory_order_acquire) != State::done) return nullptr;
  state_.store(State::idle, std::memory_order_relaxed);
  row_waits_ = row_ready_;
  row_ready_ = false;
  told_taken_ = 0;
  return &decision_;
}

void BalanceSweep::tellLate(int point, bool taken, std::int64_t periods) noexcept {
  late_ = Event{0,
                taken ? EventCode::result_taken : EventCode::result_late,
                taken ? Severity::info : Severity::warning,
                static_cast<std::int32_t>(point),
                static_cast<double>(periods),
                0.0,
                {}};
  late_waits_ = true;
}

bool BalanceSweep::takeEvent(Event& event) noexcept {
  if (late_waits_) {
    event = late_;
    late_waits_ = false;
    return true;
  }
  if (state_.load(std::memory_order_relaxed) != State::idle || told_taken_ >= told_count_) return false;
  event = told_[told_taken_++];
  if (told_taken_ == told_count_) told_count_ = told_taken_ = 0;
  return true;
}

bool BalanceSweep::takeSegment(std::span<double> row) noexcept {
  if (taken_over_told_ < taken_over_.size()) {
    std::copy_n(taken_over_.begin() + static_cast<std::ptrdiff_t>(taken_over_told_), row.size(), row.begin());
    taken_over_told_ += row.size();
    return true;
  }
  if (!row_waits_) return false;
  row_waits_ = false;
  std::copy(row_.begin(), row_.end(), row.begin());
  return true;
}

bool BalanceSweep::work() noexcept {
  if (state_.load(std::memory_order_acquire) != State::due) return false;
  decide();
  state_.store(State::done, std::memory_order_release);
  return true;
}

void BalanceSweep::decide() noexcept {
  if (restarted_) solver_.restartEvaluation();
  model_.evaluate(decision_.point, offered_);
  const BalanceSolver::Next next = solver_.take(model_.residual());
  if (solver_.bestIsNow()) keepResult();
  decision_.residual = model_.residual().norm();
  decision_.iterations = solver_.iterations();
  for (Index k = 0; k < decision_.target.size() / 2; ++k) {
    const Complex z = model_.target()(k % model_.target().rows(), k / model_.target().rows());
    decision_.target[2 * k] = z.real();
    decision_.target[2 * k + 1] = z.imag();
  }
  decision_.kind = next == BalanceSolver::Next::average ? Decision::Kind::average : Decision::Kind::apply;
  if (next == BalanceSolver::Next::end) endPoint();
  decision_.command = solver_.command();
}

/// What was measured at the best V so far: amplitude and phase of what both sides have.
void BalanceSweep::keepResult() noexcept {
  std::size_t at = kFirstColumns;
  const auto put = [&](Complex z) {
    result_[at++] = std::abs(z);
    result_[at++] = degrees(z);
  };
  const Index count = model_.motion().rows();
  for (Index i = 0; i < count; ++i)
    result_[at++] =
        100.0 * model_.errorBound(decision_.point, i, model_.residual().norm()) / std::abs(model_.motion()(i, 0));
  for (Index h = 0; h < model_.harmonics(); ++h)
    for (Index i = 0; i < count; ++i) {
      put(model_.motion()(i, h));
      put(model_.computedMotion()(i, h));
      put(model_.force()(i, h));
      put(model_.computedForce()(i, h));
      const Index pair = 2 * (h * count + i);
      put({solver_.best()[pair], solver_.best()[pair + 1]});
    }
}

/// Of row_.
void BalanceSweep::keepInPlan(bool balanced, const Eigen::VectorXd& amplitudes) noexcept {
  const std::size_t at = kFirstColumns + command_kinds_.size();
  const Complex response = std::polar(row_[at], row_[at + 1] * kPi / 180.0);
  plan_.keep(balanced, response, amplitudes);
  ended_.fetch_add(1);
  if (balanced) converged_.fetch_add(1);
}

void BalanceSweep::endPoint() noexcept {
  const BalanceEnd end = solver_.end();
  const double hz = model_.frequency_hz(decision_.point);
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
  row_ready_ = true;
  keepInPlan(converged, solver_.command());
  told_count_ = told_taken_ = 0;
  if (end == BalanceEnd::singular) {
    const Index harmonic = solver_.leastPair() / model_.motion().rows();
    const int order = model_.order(harmonic);
    told_[told_count_++] =
        Event{0, EventCode::matrix_singular, Severity::warning, order, order * hz, solver_.apart(), {}};
  }
  Event& done = told_[told_count_++];
  done = Event{0,
               EventCode::point_done,
               converged ? Severity::info : Severity::warning,
               static_cast<std::int32_t>(plan_.number()),
               hz,
               solver_.residual(),
               {}};
  done.setText(kEndWords[static_cast<std::size_t>(end)]);
  if (end == BalanceEnd::unheard) {
    unheard_change_ = solver_.apart();
    unheard_.store(static_cast<int>(solver_.leastPair() % model_.motion().rows()) + 1);
    ends_ = EndReason::not_identified;
    decision_.kind = Decision::Kind::finish;
    return;
  }
  if (!plan_.next()) {
    decision_.kind = Decision::Kind::finish;
    return;
  }
  planned_.store(plan_.planned());
  solver_.beginPoint(plan_.start());
  model_.setLevel(plan_.level());
  decision_.point = plan_.place();
  decision_.number = plan_.number();
  decision_.kind = Decision::Kind::next_point;
}

void BalanceSweep::goOn(std::span<const double> rows) {
  const std::size_t width = row_.size(), count = command_kinds_.size();
  const auto fault = [](const std::string& what) { throw InputError("/coupling/sweep", what); };
  for (std::size_t from = 0; from + width <= rows.size(); from += width) {
    std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(from), width, row_.begin());
    if (row_[kEnd] == static_cast<double>(BalanceEnd::unheard)) break;  // for that one, it is mended
    const double hz = model_.frequency_hz(plan_.place());
    if (std::abs(row_[kFrequency] - hz) > 1e-9 * hz || row_[kLevel] != plan_.level())
      fault("begins with other frequencies or levels than the test that it is to go on from, whose frequency " +
            std::to_string(plan_.number()) + " is " + Checks::text(row_[kFrequency], "Hz") + " and not " +
            Checks::text(hz, "Hz") + "; take the project of that test.");
    row_[kTakenOver] = 1.0;
    taken_over_.insert(taken_over_.end(), row_.begin(), row_.end());
    for (Index pair = 0; pair < decision_.command.size(); pair += 2) {
      const std::size_t at = kFirstColumns + count + static_cast<std::size_t>(pair / 2) * kOfDof + kOfCommand;
      const Complex v = std::polar(row_[at], row_[at + 1] * kPi / 180.0);
      decision_.command[pair] = v.real();
      decision_.command[pair + 1] = v.imag();
    }
    keepInPlan(row_[kConverged] == 1.0, decision_.command);
    if (!plan_.next())
      fault("is complete in the test that it is to go on from: all its frequencies have been measured.");
    solver_.beginPoint(plan_.start());
  }
  planned_.store(plan_.planned());
  model_.setLevel(plan_.level());
  decision_.point = plan_.place();
  decision_.number = plan_.number();
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
  for (Index h = 0; h < model_.harmonics(); ++h)
    for (std::size_t i = 0; i < dofs.size(); ++i) {
      const std::string own = "_" + number(i) + "_h" + std::to_string(model_.order(h));
      const SignalKind motion = kindOf(dofs[i].motion), force = facts(motion).partner;
      const auto add = [&](const char* name, SignalKind kind, const std::string& what) {
        const std::string words = what + ", harmonic " + std::to_string(model_.order(h));
        table.columns.push_back(
            {name + own, std::string(facts(kind).unit), words + ": amplitude", static_cast<int>(i) + 1});
        table.columns.push_back(
            {name + ("_phase" + own), "deg", words + ": phase to cos w t", static_cast<int>(i) + 1});
      };
      add("motion", motion, dofs[i].name + ", measured");
      add("motion_computed", motion, dofs[i].name + ", of the computed side under the measured force");
      add("force", force, dofs[i].name + ", measured force of the physical on the numerical substructure");
      add("force_computed", force, dofs[i].name + ", force that the computed side needs for the measured motion");
      add("command", command_kinds_[i], "command of actuator " + number(i));
    }
  table.signal = "motion_1_h" + std::to_string(model_.order(0));
  return table;
}

std::string BalanceSweep::summary() const {
  const std::size_t ended = ended_.load(), converged = converged_.load(), planned = planned_.load();
  const std::string text = std::to_string(converged) + " of " + std::to_string(planned) + " frequencies balanced" +
                           (ended < planned ? ", " + std::to_string(ended) + " tried" : "");
  const int unheard = unheard_.load();
  if (unheard == 0) return text;
  return "actuator " + std::to_string(unheard) + " does not answer: " + quantityText(first_step_v_, "V", 3) +
         " more change what is missing at the interface by " +
         quantityText(unheard_change_, model_.ofForces() ? "" : "m", 2) +
         ", no more than the noise does; look at its amplifier, its wiring and its sensors, or perturb by more "
         "(/coupling/solver/first_step_v). " +
         text;
}

}  // namespace hyb
