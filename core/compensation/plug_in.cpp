#include "core/compensation/plug_in.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "core/allocation_guard.h"
#include "core/compensation/plug_in_library.h"
#include "core/json.h"
#include "core/numbers.h"

namespace hyb {
namespace {

constexpr int kTrialTicks = 2000, kComparedTicks = 200;
constexpr std::uint32_t kMostLearnt = 1u << 17u;  // numbers; they are copied within a tick

struct PlugInSettings {
  std::shared_ptr<const PlugInLibrary> library;
  std::vector<double> parameters;  // all of them, in the library's order
  double budget_s = 0.0;           // for one tick
  MethodContext context;
};

/// An instance that the library made.
class Instance {
 public:
  explicit Instance(const PlugInSettings& settings) : table_(settings.library->table()) {
    const hyb_loop loop{static_cast<std::uint32_t>(settings.context.axes.count), settings.context.step_s,
                        settings.parameters.data()};
    std::array<char, 300> why{};
    try {
      self_ = table_.create(&loop, why.data(), why.size() - 1);
    } catch (...) {
      throw InputError("/library", "threw an exception out of create(); it must return NULL instead");
    }
    if (self_ == nullptr)
      throw InputError("/library",
                       "refuses these settings: " + std::string(why[0] != '\0' ? why.data() : "it does not say why"));
    if (table_.learnt_count) learnt_ = table_.learnt_count(self_);
  }
  ~Instance() { table_.destroy(self_); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  void* get() const noexcept { return self_; }
  std::uint32_t learnt() const noexcept { return learnt_; }

 private:
  const hyb_compensator& table_;
  void* self_ = nullptr;
  std::uint32_t learnt_ = 0;  // numbers that make up what it learns
};

class PlugInCompensator final : public Compensator {
 public:
  explicit PlugInCompensator(const PlugInSettings& settings)
      : settings_(settings), table_(settings.library->table()), instance_(settings) {}

  void reset() override { table_.reset(instance_.get()); }
  void restart() noexcept override { table_.restart(instance_.get()); }
  void update(const InterfaceState& state, Command& command) noexcept override {
    try {
      table_.update(instance_.get(), state.target.data(), state.target_rate.data(), state.measured.data(),
                    command.position.data(), command.rate.data());
    } catch (...) {
      command.position.setConstant(kNone);
    }
  }
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> tunables;
    for (std::uint32_t p = 0; table_.tune != nullptr && p < table_.parameter_count; ++p) {
      const hyb_parameter& one = table_.parameters[p];
      tunables.push_back({settings_.context.axes.name(one.name), one.units ? one.units : "", settings_.parameters[p],
                          one.min, one.max, "/parameters", one.description ? one.description : ""});
    }
    return tunables;
  }
  void tune(std::size_t index, double value) noexcept override {
    table_.tune(instance_.get(), static_cast<std::uint32_t>(index), value);
  }
  std::vector<Adapted> adapted() const override {
    const Axes& axes = settings_.context.axes;
    std::vector<Adapted> adapted;
    for (std::size_t i = 0; i < axes.count; ++i)
      for (std::uint32_t a = 0; a < table_.adapted_count; ++a) {
        const hyb_adapted& one = table_.adapted[a];
        adapted.push_back(
            {axes.name(one.name, i), one.units ? one.units : "",
             (one.description ? one.description : std::string(one.name)) + " of interface " + axes.number(i)});
      }
    return adapted;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    if (table_.adapted_count > 0) table_.read_adapted(instance_.get(), values.data());
  }
  std::size_t learnt() const noexcept override { return instance_.learnt(); }
  void readLearnt(std::span<double> values) const noexcept override {
    if (!values.empty()) table_.read_learnt(instance_.get(), values.data());
  }
  void setLearnt(std::span<const double> values) noexcept override {
    if (!values.empty()) table_.set_learnt(instance_.get(), values.data());
  }

 private:
  PlugInSettings settings_;
  const hyb_compensator& table_;
  Instance instance_;
};

/// Time that this thread itself has computed, s.
double computed_s() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class PlugInMethod final : public CompensationMethod {
 public:
  explicit PlugInMethod(PlugInSettings settings) : settings_(std::move(settings)), table_(settings_.library->table()) {
    const Instance asked(settings_);
    if (asked.learnt() > kMostLearnt)
      throw InputError("/library", "learns " + std::to_string(asked.learnt()) + " numbers (learnt_count), at most " +
                                       std::to_string(kMostLearnt) + " can be put back");
    for (std::size_t i = 0; i < settings_.context.axes.count; ++i) {
      const auto axis = static_cast<std::uint32_t>(i);
      std::vector<double>& taps = taps_.emplace_back(table_.taps ? 4096 : 0);
      if (table_.taps)
        taps.resize(std::min<std::size_t>(
            taps.size(), table_.taps(asked.get(), axis, taps.data(), static_cast<std::uint32_t>(taps.size()))));
      lead_s_.push_back(table_.lead_s ? table_.lead_s(asked.get(), axis) : 0.0);
      const auto finite = [](double value) { return std::isfinite(value); };
      if (!finite(lead_s_.back()) || !std::all_of(taps.begin(), taps.end(), finite))
        throw InputError("/library", "answers with what is not a number when asked for its taps or its lead");
    }
  }
  std::unique_ptr<Compensator> make() const override { return std::make_unique<PlugInCompensator>(settings_); }
  std::vector<double> taps(std::size_t axis) const override { return taps_[axis]; }
  double lead_s(std::size_t axis) const override { return lead_s_[axis]; }
  bool adapts() const noexcept override { return table_.adapted_count > 0; }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> lines{std::string(table_.name ? table_.name : "unnamed") + ", SHA-256 " +
                                   settings_.library->sha256().substr(0, 16) + "..."};
    for (std::uint32_t p = 0; p < table_.parameter_count; ++p) {
      const hyb_parameter& one = table_.parameters[p];
      const std::string units = one.units ? one.units : "";
      lines.push_back("Parameter " + std::to_string(p + 1) + ", " + one.name + ": " +
                      Checks::text(settings_.parameters[p], units) + " (" + Checks::text(one.min, "") + " to " +
                      Checks::text(one.max, units) + "). " + (one.description ? one.description : ""));
    }
    if (!table_.taps) lines.emplace_back("It does not tell its taps: stability and margins leave it out.");
    return lines;
  }

  std::vector<std::pair<std::string, std::string>> provenance() const override {
    const std::string key = settings_.context.axes.name("compensation_library");
    return {{key, settings_.library->file().string()}, {key + "_sha256", settings_.library->sha256()}};
  }

  // Sines of a slow and of a fast motion with a specimen that lags, then readings that are not a number.
  void tryOut() const override {
    PlugInCompensator compensator(settings_);
    const auto axes = static_cast<Eigen::Index>(settings_.context.axes.count);
    InterfaceState state{Eigen::VectorXd::Zero(axes), Eigen::VectorXd::Zero(axes), Eigen::VectorXd::Zero(axes)};
    Command command{Eigen::VectorXd::Zero(axes), Eigen::VectorXd::Zero(axes)};
    std::vector<double> adapted(static_cast<std::size_t>(axes) * table_.adapted_count), learnt(compensator.learnt());
    double spent_s = 0.0;
    std::uint64_t allocated = 0;
    for (int k = 0; k < kTrialTicks; ++k) {
      move(state, k, k < kTrialTicks - 100);
      const double before_s = computed_s();
      const AllocationGuard guard;
      compensator.update(state, command);
      compensator.readAdapted(adapted);
      if (k % (kTrialTicks / 4) == 0) {  // as seldom as between two trials
        compensator.readLearnt(learnt);
        compensator.setLearnt(learnt);
      }
      if (k == kTrialTicks / 2) compensator.restart();
      allocated += guard.count();
      spent_s += computed_s() - before_s;
      if (!command.position.allFinite() || !command.rate.allFinite())
        refuse(k < kTrialTicks - 100 ? "returns what is not a number"
                                     : "returns what is not a number once a reading is none; it must hold or go on");
      if (spent_s > 2.0 * kTrialTicks * settings_.budget_s) break;  // slow beyond doubt: do not keep people waiting
      if (allocated > 0) refuse("allocates memory inside the tick; make everything in create()");
    }
    const double mean_s = spent_s / kTrialTicks;
    if (mean_s > settings_.budget_s)
      refuse("takes " + Checks::text(1e6 * mean_s, "µs") + " a tick or more, and may take " +
             Checks::text(1e6 * settings_.budget_s, "µs") + " (/compensation/budget_us)");
    if (!learnt.empty()) putBack(compensator, state, command, learnt);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError("/compensation/library", "\"" + settings_.library->file().string() + "\" " + why);
  }

  void move(InterfaceState& state, int k, bool readings) const {
    const double omega = k < kTrialTicks / 2 ? 0.01 : 0.2, phase = omega * k;  // per tick
    state.target.setConstant(1e-3 * std::sin(phase));
    state.target_rate.setConstant(1e-3 * omega / settings_.context.step_s * std::cos(phase));
    state.measured.setConstant(readings ? 0.9e-3 * std::sin(phase - 5.0 * omega) : kNone);
  }

  // What `taught` has learnt, in a fresh instance, makes of the same motion the same command.
  void putBack(PlugInCompensator& taught, InterfaceState& state, Command& command, std::vector<double>& learnt) const {
    PlugInCompensator fresh(settings_);
    Command other = command;
    fresh.restart();
    taught.restart();
    taught.readLearnt(learnt);
    fresh.setLearnt(learnt);
    double largest = 0.0, apart = 0.0;
    for (int k = 0; k < kComparedTicks; ++k) {
      move(state, kTrialTicks / 2 + k, true);
      taught.update(state, command);
      fresh.update(state, other);
      largest = std::max(largest, command.position.cwiseAbs().maxCoeff());
      apart = std::max(apart, (command.position - other.position).cwiseAbs().maxCoeff());
    }
    if (!(apart <= 1e-9 * largest))
      refuse(
          "goes on in another way once what it has learnt was put back (read_learnt, set_learnt); they must name "
          "everything that restart() keeps");
  }

  PlugInSettings settings_;
  const hyb_compensator& table_;
  std::vector<std::vector<double>> taps_;  // [i]
  std::vector<double> lead_s_;             // [i]
};

}  // namespace

CompensationMethodPtr parsePlugIn(const Json& settings, const MethodContext& context, Checks& checks) {
  PlugInSettings parsed;
  parsed.context = context;
  double budget_us = 0.1e6 * context.step_s;
  read(settings, "budget_us", budget_us);
  parsed.budget_s = 1e-6 * budget_us;
  parsed.library = PlugInLibrary::load(context.folder / text(settings, "library"), "/library", checks);
  if (!parsed.library) return nullptr;
  read(settings, "parameters", parsed.parameters);
  const hyb_compensator& table = parsed.library->table();
  if (parsed.parameters.size() > table.parameter_count) {
    checks.fault("/parameters", "has " + std::to_string(parsed.parameters.size()) + " entries, and the library takes " +
                                    std::to_string(table.parameter_count));
    return nullptr;
  }
  for (std::size_t p = parsed.parameters.size(); p < table.parameter_count; ++p)
    parsed.parameters.push_back(table.parameters[p].initial);
  for (std::uint32_t p = 0; p < table.parameter_count; ++p) {
    const hyb_parameter& one = table.parameters[p];
    checks.between("/parameters/" + std::to_string(p), parsed.parameters[p], one.min, one.max,
                   one.units ? one.units : "");
  }
  if (!checks.ok()) return nullptr;
  try {
    return std::make_shared<const PlugInMethod>(std::move(parsed));
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues()) checks.fault(issue.where, issue.message);
    return nullptr;
  }
}

}  // namespace hyb
