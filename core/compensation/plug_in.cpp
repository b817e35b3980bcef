#include "core/compensation/plug_in.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "core/base/allocation_guard.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/compensation/plug_in_library.h"

namespace hyb {
namespace {

constexpr int kTrialTicks = 2000, kComparedTicks = 200;
constexpr std::uint32_t kMostLearnt = 1u << 17u;  // numbers; copied within a tick

struct PlugInSettings {
  PlugInBytesPtr read;
  std::string where;               // pointer to these settings in the project: "/compensation"
  std::vector<double> parameters;  // as given in the project; once loaded all of them, in the library's order
  double budget_s = 0.0;           // for one tick
  MethodContext context;
  // Once loaded:
  std::shared_ptr<const PlugInLibrary> library = {};
  PlugInWatchPtr watch = {};
  std::size_t number = 0;  // number of the library in the watch
};

/// Calls functions of the library. An exception from the library is distinguished from other failures.
class Calls {
 public:
  explicit Calls(const PlugInSettings& settings)
      : table_(settings.library->table()), watch_(*settings.watch), number_(settings.number) {}
  const hyb_compensator& table() const noexcept { return table_; }
  PlugInWatch& watch() const noexcept { return watch_; }
  std::size_t number() const noexcept { return number_; }
  /// False: it threw; the watch is informed.
  template <typename Function, typename... Arguments>
  bool operator()(PlugInCall call, Function function, Arguments... arguments) const noexcept {
    const PlugInWatch::Inside inside(watch_, number_, call);
    try {
      function(arguments...);
    } catch (...) {
      watch_.fail(PlugInFault::threw, number_, call);
      return false;
    }
    return true;
  }
  /// Result of the function; `otherwise` if it threw.
  template <typename Result, typename Function, typename... Arguments>
  Result ask(PlugInCall call, Result otherwise, Function function, Arguments... arguments) const noexcept {
    Result result = otherwise;
    (*this)(call, [&] { result = function(arguments...); });
    return result;
  }

 private:
  const hyb_compensator& table_;
  PlugInWatch& watch_;
  std::size_t number_;
};

/// An instance created by the library.
class Instance {
 public:
  explicit Instance(const PlugInSettings& settings) : calls_(settings) {
    const hyb_loop loop{static_cast<std::uint32_t>(settings.context.axes.count), settings.context.step_s,
                        settings.parameters.data()};
    std::array<char, 300> why{};
    self_ = calls_.ask(PlugInCall::create, static_cast<void*>(nullptr), calls_.table().create, &loop, why.data(),
                       why.size() - 1);
    if (calls_.watch().failed())
      throw InputError(settings.where + "/library", calls_.watch().sentence() + "; it must return NULL instead");
    if (self_ == nullptr)
      throw InputError(settings.where + "/library",
                       "refuses these settings: " + std::string(why[0] != '\0' ? why.data() : "no reason given"));
    if (calls_.table().learnt_count)
      learnt_ = calls_.ask(PlugInCall::learnt_count, std::uint32_t{0}, calls_.table().learnt_count, self_);
  }
  ~Instance() {
    if (!calls_.watch().givenUp()) calls_(PlugInCall::destroy, calls_.table().destroy, self_);
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  void* get() const noexcept { return self_; }
  std::uint32_t learnt() const noexcept { return learnt_; }
  const Calls& calls() const noexcept { return calls_; }

 private:
  Calls calls_;
  void* self_ = nullptr;
  std::uint32_t learnt_ = 0;  // number of learnt values
};

/// Computing time of this thread, s.
double computed_s() noexcept {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Time that one call may take, s.
double shareOfCall_s(const PlugInSettings& settings) { return std::max(settings.context.step_s, settings.budget_s); }

class PlugInCompensator final : public Compensator {
 public:
  explicit PlugInCompensator(const PlugInSettings& settings)
      : settings_(settings),
        table_(settings.library->table()),
        instance_(settings),
        call_(instance_.calls()),
        share_s_(shareOfCall_s(settings)) {
    const auto axes = static_cast<Eigen::Index>(settings.context.axes.count);
    last_.position.setZero(axes);
    last_.rate.setZero(axes);
  }

  void reset() override {
    call_(PlugInCall::reset, table_.reset, instance_.get());
    last_.position.setZero();
    behind_s_ = 0.0;
  }
  void restart() noexcept override { call_(PlugInCall::restart, table_.restart, instance_.get()); }
  /// Called once for each period, including missed ones, as required by the interface. Computing time beyond the
  /// periods is accumulated; time used by other programs does not count.
  void update(const InterfaceState& state, Command& command) noexcept override {
    const double before_s = computed_s();
    call_(PlugInCall::update, table_.update, instance_.get(), state.target.data(), state.target_rate.data(),
          state.measured.data(), command.position.data(), command.rate.data());
    behind_s_ = std::max(0.0, behind_s_ + (computed_s() - before_s) - share_s_);
    if (behind_s_ > PlugInWatch::kPatience_s && !call_.watch().trial()) fail(PlugInFault::slow, behind_s_);
    // The library is not responsible for results of a reading that is NaN.
    if (state.target.allFinite() && state.target_rate.allFinite() && state.measured.allFinite()) judge(command);
    if (call_.watch().failed()) {  // ends the test in this tick, without another reason
      command.position = last_.position;
      command.rate.setZero();
    } else {
      last_.position = command.position;
    }
  }
  std::vector<Tunable> tunables() const override {
    std::vector<Tunable> tunables;
    for (std::uint32_t p = 0; table_.tune != nullptr && p < table_.parameter_count; ++p) {
      const hyb_parameter& one = table_.parameters[p];
      tunables.push_back({settings_.context.axes.name(one.name), one.units ? one.units : "", settings_.parameters[p],
                          "/parameters", one.min, one.max, one.description ? one.description : ""});
    }
    return tunables;
  }
  void tune(std::size_t index, double value) noexcept override {
    call_(PlugInCall::tune, table_.tune, instance_.get(), static_cast<std::uint32_t>(index), value);
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
    if (table_.adapted_count > 0) call_(PlugInCall::read_adapted, table_.read_adapted, instance_.get(), values.data());
  }
  std::size_t learnt() const noexcept override { return instance_.learnt(); }
  void readLearnt(std::span<double> values) const noexcept override {
    if (!values.empty()) call_(PlugInCall::read_learnt, table_.read_learnt, instance_.get(), values.data());
  }
  void setLearnt(std::span<const double> values) noexcept override {
    if (!values.empty()) call_(PlugInCall::set_learnt, table_.set_learnt, instance_.get(), values.data());
  }

 private:
  void fail(PlugInFault fault, double value) noexcept {
    call_.watch().fail(fault, call_.number(), PlugInCall::update, value);
  }
  void judge(const Command& command) noexcept {
    for (Eigen::Index i = 0; i < command.position.size(); ++i) {
      const double interface = static_cast<double>(settings_.context.axes.first) + static_cast<double>(i) + 1.0;
      if (!std::isfinite(command.position[i])) return fail(PlugInFault::no_number, interface);
      if (!std::isfinite(command.rate[i])) return fail(PlugInFault::no_number_rate, interface);
    }
  }

  PlugInSettings settings_;
  const hyb_compensator& table_;
  Instance instance_;
  const Calls& call_;
  double share_s_, behind_s_ = 0.0;
  Command last_;  // last command that was a number
};

/// The library as named in the project. None of its code runs; loaded() returns one that runs.
class NamedPlugIn final : public CompensationMethod {
 public:
  explicit NamedPlugIn(PlugInSettings settings) : settings_(std::move(settings)) {}
  std::unique_ptr<Compensator> make() const override {
    throw InputError(
        settings_.where + "/library",
        "\"" + settings_.read->of.file.string() + "\" is not loaded here; only a test, a replay or a study runs it");
  }
  std::vector<PlugInFile> notLoaded() const override { return {settings_.read->of}; }
  CompensationMethodPtr loaded(const PlugInWatchPtr& watch) const override;

  std::vector<std::string> remarks() const override {
    const PlugInFile& of = settings_.read->of;
    return {of.file.filename().string() + ", SHA-256 " + of.sha256.substr(0, 16) + "..., " +
                (isAccepted(of) ? "accepted." : "not accepted yet."),
            leftOutWords(*this) + " Its parameters are named and checked when a test is armed."};
  }
  std::vector<std::pair<std::string, std::string>> provenance() const override {
    return provenanceOf(settings_.read->of, settings_.context.axes);
  }

  static std::vector<std::pair<std::string, std::string>> provenanceOf(const PlugInFile& of, const Axes& axes) {
    const std::string key = axes.name("compensation_library");
    return {{key, of.file.string()}, {key + "_sha256", of.sha256}};
  }

 private:
  PlugInSettings settings_;
};

class PlugInMethod final : public CompensationMethod {
 public:
  explicit PlugInMethod(PlugInSettings settings) : settings_(std::move(settings)), table_(settings_.library->table()) {
    const Instance asked(settings_);
    const Calls& call = asked.calls();
    if (asked.learnt() > kMostLearnt)
      throw InputError(place(), "learns " + std::to_string(asked.learnt()) + " numbers (learnt_count); at most " +
                                    std::to_string(kMostLearnt) + " can be restored");
    for (std::size_t i = 0; i < settings_.context.axes.count; ++i) {
      const auto axis = static_cast<std::uint32_t>(i);
      std::vector<double>& taps = taps_.emplace_back(table_.taps ? 4096 : 0);
      if (table_.taps)
        taps.resize(
            std::min<std::size_t>(taps.size(), call.ask(PlugInCall::taps, std::uint32_t{0}, table_.taps, asked.get(),
                                                        axis, taps.data(), static_cast<std::uint32_t>(taps.size()))));
      lead_s_.push_back(table_.lead_s ? call.ask(PlugInCall::lead_s, 0.0, table_.lead_s, asked.get(), axis) : 0.0);
      const auto finite = [](double value) { return std::isfinite(value); };
      if (!finite(lead_s_.back()) || !std::all_of(taps.begin(), taps.end(), finite))
        throw InputError(place(), "returns a value that is not a number for its taps or its lead");
    }
    if (settings_.watch->failed()) throw InputError(place(), settings_.watch->sentence());
  }
  std::unique_ptr<Compensator> make() const override { return std::make_unique<PlugInCompensator>(settings_); }
  std::vector<double> taps(std::size_t axis) const override { return taps_[axis]; }
  double lead_s(std::size_t axis) const override { return lead_s_[axis]; }
  bool adapts() const noexcept override { return table_.adapted_count > 0; }

  std::vector<std::string> remarks() const override {
    std::vector<std::string> lines{std::string(table_.name ? table_.name : "unnamed") + ", SHA-256 " +
                                   settings_.library->file().sha256.substr(0, 16) + "..."};
    for (std::uint32_t p = 0; p < table_.parameter_count; ++p) {
      const hyb_parameter& one = table_.parameters[p];
      const std::string units = one.units ? one.units : "";
      lines.push_back("Parameter " + std::to_string(p + 1) + ", " + one.name + ": " +
                      Checks::text(settings_.parameters[p], units) + " (" + Checks::text(one.min, "") + " to " +
                      Checks::text(one.max, units) + "). " + (one.description ? one.description : ""));
    }
    if (!table_.taps) lines.emplace_back("It does not provide its taps: stability and margins exclude it.");
    return lines;
  }

  std::vector<std::pair<std::string, std::string>> provenance() const override {
    return NamedPlugIn::provenanceOf(settings_.library->file(), settings_.context.axes);
  }

  // Slow and fast sines with a lagging specimen, followed by readings that are NaN.
  void tryOut() const override {
    struct Trial {
      explicit Trial(PlugInWatch& of) : watch(of) { watch.setTrial(true); }
      ~Trial() { watch.setTrial(false); }
      PlugInWatch& watch;
    } const trial(*settings_.watch);
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
      const PlugInFault fault = settings_.watch->fault();
      if (fault != PlugInFault::none && fault != PlugInFault::no_number && fault != PlugInFault::no_number_rate)
        refuse(words(fault, settings_.watch->failedCall(), settings_.watch->failedValue()));
      if (fault != PlugInFault::none || !command.position.allFinite() || !command.rate.allFinite())
        refuse(k < kTrialTicks - 100
                   ? "returns a value that is not a number"
                   : "does not recover from a reading that is not a number; it must hold or continue");
      if (spent_s > 2.0 * kTrialTicks * settings_.budget_s) break;  // clearly too slow: do not keep the user waiting
      if (allocated > 0) refuse("allocates memory inside the tick; allocate everything in create()");
    }
    const double mean_s = spent_s / kTrialTicks;
    if (mean_s > settings_.budget_s)
      refuse("takes " + Checks::text(1e6 * mean_s, "µs") + " per tick or more; the limit is " +
             Checks::text(1e6 * settings_.budget_s, "µs") + " (/compensation/budget_us)");
    if (!learnt.empty()) putBack(compensator, state, command, learnt);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(place(), "\"" + settings_.library->file().file.string() + "\" " + why);
  }
  std::string place() const { return settings_.where + "/library"; }

  void move(InterfaceState& state, int k, bool readings) const {
    const double omega = k < kTrialTicks / 2 ? 0.01 : 0.2, phase = omega * k;  // per tick
    state.target.setConstant(1e-3 * std::sin(phase));
    state.target_rate.setConstant(1e-3 * omega / settings_.context.step_s * std::cos(phase));
    state.measured.setConstant(readings ? 0.9e-3 * std::sin(phase - 5.0 * omega) : kNoValue);
  }

  // A fresh instance with the learnt values of `taught` must return the same command for the same motion.
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
          "behaves differently after its learnt values were restored (read_learnt, set_learnt); they must contain "
          "everything that restart() keeps");
  }

  PlugInSettings settings_;
  const hyb_compensator& table_;
  std::vector<std::vector<double>> taps_;  // [i]
  std::vector<double> lead_s_;             // [i]
};

CompensationMethodPtr NamedPlugIn::loaded(const PlugInWatchPtr& watch) const {
  PlugInSettings settings = settings_;
  settings.watch = watch;
  settings.number = watch->add(settings.read->of.file, shareOfCall_s(settings), settings.read);
  Checks checks;
  {
    const PlugInWatch::Inside inside(*watch, settings.number, PlugInCall::load);
    settings.library = PlugInLibrary::load(*settings.read, settings.where + "/library", checks);
  }
  checks.throwIfAny();
  watch->keep(settings.number, settings.library);
  const hyb_compensator& table = settings.library->table();
  const std::string where = settings.where + "/parameters";
  if (settings.parameters.size() > table.parameter_count)
    throw InputError(where, "has " + std::to_string(settings.parameters.size()) + " entries, but the library takes " +
                                std::to_string(table.parameter_count));
  for (std::size_t p = settings.parameters.size(); p < table.parameter_count; ++p)
    settings.parameters.push_back(table.parameters[p].initial);
  for (std::uint32_t p = 0; p < table.parameter_count; ++p) {
    const hyb_parameter& one = table.parameters[p];
    checks.between(where + "/" + std::to_string(p), settings.parameters[p], one.min, one.max,
                   one.units ? one.units : "");
  }
  checks.throwIfAny();
  return std::make_shared<const PlugInMethod>(std::move(settings));
}

}  // namespace

CompensationMethodPtr parsePlugIn(const Json& settings, const MethodContext& context, Checks& checks) {
  PlugInSettings parsed;
  parsed.context = context;
  parsed.where = context.axes.all ? "/compensation" : "/compensation/" + std::to_string(context.axes.first);
  double budget_us = 0.1e6 * context.step_s;
  read(settings, "budget_us", budget_us);
  parsed.budget_s = 1e-6 * budget_us;
  parsed.read = readPlugIn(context.folder / text(settings, "library"), "/library", checks);
  read(settings, "parameters", parsed.parameters);
  if (!checks.ok()) return nullptr;
  return std::make_shared<const NamedPlugIn>(std::move(parsed));
}

}  // namespace hyb
