#include "core/harmonic/harmonic_director.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;

constexpr std::size_t kSignalColumns = 10;  // of each DOF and harmonic: putSignals()
constexpr std::size_t kCommandColumn = 8;   // index of the first command column among them

double degrees(Complex z) noexcept { return std::arg(z) * 180.0 / kPi; }
Complex fromColumns(const std::vector<double>& row, std::size_t at) noexcept {
  return std::polar(row[at], row[at + 1] * kPi / 180.0);
}

}  // namespace

HarmonicDirector::HarmonicDirector(BalanceModel model, std::vector<SignalKind> command_kinds)
    : model_(std::move(model)), command_kinds_(std::move(command_kinds)), told_(kMostTold) {
  offered_.setZero(model_.readings(), model_.harmonics());
  decision_.command.setZero(2 * static_cast<Index>(command_kinds_.size()) * model_.harmonics());
  decision_.target = decision_.command;
}

void HarmonicDirector::reset() noexcept {
  state_.store(State::idle);
  decision_.number = 1;
  decision_.frequency_hz = model_.frequency_hz(0);
  decision_.command.setZero();
  decision_.target.setZero();
  ends_ = EndReason::completed;
  row_ready_ = row_waits_ = late_waits_ = finished_ = false;
  told_count_ = told_taken_ = 0;
}

void HarmonicDirector::goOn(std::span<const double> rows) {
  if (!rows.empty())
    throw InputError("/coupling", "follows a path, which cannot be continued from a run file; start a new test.");
}

void HarmonicDirector::offer(const Eigen::MatrixXcd& readings, bool restarted) noexcept {
  offered_ = readings;
  restarted_ = restarted;
  state_.store(State::due, std::memory_order_release);
}

const HarmonicDirector::Decision* HarmonicDirector::take() noexcept {
  if (held_.load(std::memory_order_relaxed) || state_.load(std::memory_order_acquire) != State::done) return nullptr;
  state_.store(State::idle, std::memory_order_relaxed);
  row_waits_ = row_ready_;
  row_ready_ = false;
  told_taken_ = 0;
  return &decision_;
}

void HarmonicDirector::tellLate(int number, bool taken, std::int64_t periods) noexcept {
  late_ = Event{0,
                taken ? EventCode::result_taken : EventCode::result_late,
                taken ? Severity::info : Severity::warning,
                static_cast<std::int32_t>(number),
                static_cast<double>(periods),
                0.0,
                {}};
  late_waits_ = true;
}

bool HarmonicDirector::takeEvent(Event& event) noexcept {
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

bool HarmonicDirector::takeSegment(std::span<double> row) noexcept {
  if (!row_waits_) return false;
  row_waits_ = false;
  std::copy(row_.begin(), row_.end(), row.begin());
  return true;
}

bool HarmonicDirector::work() noexcept {
  if (state_.load(std::memory_order_acquire) != State::due) return false;
  told_count_ = told_taken_ = 0;
  decide();
  state_.store(State::done, std::memory_order_release);
  return true;
}

void HarmonicDirector::setTarget() noexcept {
  for (Index k = 0; k < decision_.target.size() / 2; ++k) {
    const Complex z = model_.target()(k % model_.target().rows(), k / model_.target().rows());
    decision_.target[2 * k] = z.real();
    decision_.target[2 * k + 1] = z.imag();
  }
}

void HarmonicDirector::addSignalColumns(SegmentTable& table) const {
  const std::vector<Dof>& dofs = model_.dofs();
  const auto number = [](std::size_t i) { return std::to_string(i + 1); };
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
}

void HarmonicDirector::putSignals(std::vector<double>& row, std::size_t at,
                                  const Eigen::VectorXd& command) const noexcept {
  const auto put = [&](Complex z) {
    row[at++] = std::abs(z);
    row[at++] = degrees(z);
  };
  const Index count = model_.motion().rows();
  for (Index h = 0; h < model_.harmonics(); ++h)
    for (Index i = 0; i < count; ++i) {
      put(model_.motion()(i, h));
      put(model_.computedMotion()(i, h));
      put(model_.force()(i, h));
      put(model_.computedForce()(i, h));
      const Index pair = 2 * (h * count + i);
      put({command[pair], command[pair + 1]});
    }
}

Complex HarmonicDirector::firstMotion(const std::vector<double>& row, std::size_t at) noexcept {
  return fromColumns(row, at);
}

void HarmonicDirector::readCommand(const std::vector<double>& row, std::size_t at, Eigen::VectorXd& command) noexcept {
  at += kCommandColumn;
  for (Index pair = 0; pair < command.size(); pair += 2, at += kSignalColumns) {
    const Complex v = fromColumns(row, at);
    command[pair] = v.real();
    command[pair + 1] = v.imag();
  }
}

}  // namespace hyb
