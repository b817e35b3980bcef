#include "core/harmonic/harmonic_balance.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/excitation/signal.h"
#include "core/harmonic/balance_sweep.h"
#include "core/harmonic/harmonic_average.h"
#include "core/harmonic/harmonic_test.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;
using Eigen::Index;

constexpr double kFewestTicksOfHarmonic = 8.0;  // in a period
constexpr double kAdoptedAfter = 0.25;          // periods after the end of an average

std::vector<Channel> balanceChannels() {
  return {{"frequency", "Hz", "first harmonic of the command", 0},
          {"point", "", "number of the frequency, from 1; 0: all are finished", 0},
          {"iteration", "", "steps of the solver at this frequency", 0},
          {"residual", "", "residual at the interface, of the last average", 0}};
}

class HarmonicBalance final : public CouplingScheme {
 public:
  HarmonicBalance(std::unique_ptr<HarmonicDirector> director, std::vector<AxisSignals> axes,
                  const HarmonicAverages& averages, double step_s)
      : axes_(std::move(axes)),
        step_s_(step_s),
        periods_(averages.periods),
        owned_(std::move(director)),
        sweep_(*owned_),
        averages_(averages.overlapping ? 2 : 1,
                  HarmonicAverage(sweep_.model().readings(), sweep_.model().harmonics(), averages.hann)) {
    phase_.setZero(sweep_.model().harmonics());
    for (Eigen::VectorXd* v : {&from_, &to_, &now_, &slope_, &target_from_, &target_to_, &target_now_, &target_slope_})
      v->setZero(2 * static_cast<Index>(axes_.size()) * phase_.size());
  }

  std::size_t interfaces() const noexcept override { return axes_.size(); }
  std::vector<AxisSignals> axisSignals() const override { return axes_; }

  void reset() override {
    sweep_.reset();
    to_.setZero();
    target_to_.setZero();
    cycles_ = 0.0;
    finishing_ = false;
    residual_ = 0.0;
    iterations_ = 0;
    adopt_in_ = -1;
    late_ = 0;
    enterPoint(sweep_.decision());
    restart();
  }
  /// Rows of a stopped test: it continues at the next frequency.
  bool acceptsLearnt(std::size_t numbers) const noexcept override { return numbers % row_length_ == 0; }
  void setLearnt(std::span<const double> rows) override {
    sweep_.goOn(rows);
    enterPoint(sweep_.decision());
    to_ = sweep_.decision().command;
    restart();
  }
  /// From rest the amplitudes fade in again, and the average restarts.
  void restart() noexcept override {
    from_.setZero();
    target_from_.setZero();
    faded_ = 0;
    restarted_ = true;
    beginAverage();
  }

  void update(const RigState& state, const ExcitationValue& /*excitation*/, CouplingOutput& output) noexcept override {
    advancePhase();
    if (!finishing_) {
      average(state);
      if (adopt_in_ >= 0) countDownToAdoption();
    }
    command(output);
    if (finishing_ && faded_ >= fade_ticks_) sweep_.finish();
  }

  Director* director() noexcept override { return &sweep_; }
  std::vector<Adapted> adapted() const override {
    std::vector<Adapted> all;
    for (Index h = 0; h < phase_.size(); ++h)
      for (std::size_t a = 1; a <= interfaces(); ++a) {
        const int order = sweep_.model().order(h);
        const std::string own = std::to_string(a) + "_h" + std::to_string(order),
                          title = "command " + std::to_string(a) + ", harmonic " + std::to_string(order);
        for (const auto& [part, words] : {std::pair{"re", "real"}, {"im", "imaginary"}})
          all.push_back({"command_" + own + "_" + part, std::string(facts(axes_[a - 1].command).unit),
                         "amplitude of " + title + ", " + words + " part", title + " " + part,
                         "Harmonics of the commands"});
      }
    return all;
  }
  void readAdapted(std::span<double> values) const noexcept override {
    std::copy(now_.begin(), now_.end(), values.begin());
  }
  std::vector<Channel> channels() const override { return balanceChannels(); }
  void readChannels(std::span<double> values) const noexcept override {
    values[0] = frequency_hz_;
    values[1] = finishing_ ? 0.0 : static_cast<double>(number_);
    values[2] = iterations_;
    values[3] = residual_;
  }

 private:
  double reading(const RigState& state, Index c) const noexcept {
    if (c < state.readings.size()) return state.readings[c];
    const auto count = static_cast<Index>(axes_.size());
    return c < count ? state.measured[c] : state.force[c - count];
  }

  void enterPoint(const HarmonicDirector::Decision& decision) noexcept {
    number_ = decision.number;
    origin_ = cycles_;
    ticks_ = 0;
    frequency_hz_ = decision.frequency_hz;
    period_ticks_ = 1.0 / (frequency_hz_ * step_s_);
    fade_ticks_ = std::max<std::int64_t>(1, std::llround(period_ticks_));
  }
  void beginAverage() noexcept {
    averages_[0].begin(periods_ * period_ticks_);
    second_in_ = std::llround(0.5 * averages_[0].ticks());
  }
  void average(const RigState& state) noexcept {
    if (averages_.size() > 1 && second_in_ > 0 && second_in_-- == 1) averages_[1].begin(averages_[0].ticks());
    for (std::size_t n = 0; n < averages_.size(); ++n) {
      if (n > 0 && second_in_ > 0) break;
      if (!averages_[n].add(phase_, [&](Index c) noexcept { return reading(state, c); })) continue;
      if (adopt_in_ < 0) {
        sweep_.offer(averages_[n].harmonics(), restarted_);
        restarted_ = false;
        adopt_in_ = std::llround(kAdoptedAfter * period_ticks_);
      }
      averages_[n].begin(averages_[n].ticks());
    }
  }

  void advancePhase() noexcept {
    ++ticks_;
    ++faded_;
    const double cycles = origin_ + frequency_hz_ * (static_cast<double>(ticks_) * step_s_);
    cycles_ = cycles - std::floor(cycles);
    const Complex first = std::polar(1.0, kTwoPi * cycles_);
    Complex phase(1.0, 0.0);
    int order = 0;
    for (Index h = 0; h < phase_.size(); ++h) {
      for (; order < sweep_.model().order(h); ++order)
        phase = {phase.real() * first.real() - phase.imag() * first.imag(),
                 phase.real() * first.imag() + phase.imag() * first.real()};
      phase_[h] = phase;
    }
  }

  /// Counts down to the tick at which a decision is adopted, and waits there for a late decision.
  void countDownToAdoption() noexcept {
    if (adopt_in_ > 0) {
      --adopt_in_;
      return;
    }
    const HarmonicDirector::Decision* const decision = sweep_.take();
    if (decision == nullptr) {
      if (late_++ == 0) sweep_.tellLate(number_, false, 0);
      return;
    }
    if (late_ > 0) sweep_.tellLate(number_, true, late_);
    late_ = 0;
    adopt_in_ = -1;
    residual_ = decision->residual;
    iterations_ = decision->iterations;
    fadeTo(decision->kind == HarmonicDirector::Decision::Kind::finish ? nullptr : &decision->command, decision->target);
    finishing_ = decision->kind == HarmonicDirector::Decision::Kind::finish;
    if (decision->kind == HarmonicDirector::Decision::Kind::next_point || decision->frequency_hz != frequency_hz_)
      enterPoint(*decision);
    if (decision->kind != HarmonicDirector::Decision::Kind::average)
      beginAverage();  // otherwise the next one is already running
  }

  /// Fades from the present amplitudes; null: to 0.
  void fadeTo(const Eigen::VectorXd* command, const Eigen::VectorXd& target) noexcept {
    blend();
    from_ = now_;
    target_from_ = target_now_;
    if (command != nullptr) {
      to_ = *command;
      target_to_ = target;
    } else {
      to_.setZero();
      target_to_.setZero();
    }
    faded_ = 0;
  }

  void blend() noexcept {
    if (faded_ > fade_ticks_) return;  // constant amplitudes
    const SignalValue share = cosineFade(static_cast<double>(faded_), static_cast<double>(fade_ticks_));
    now_ = from_ + share.value * (to_ - from_);
    slope_ = share.rate / step_s_ * (to_ - from_);
    target_now_ = target_from_ + share.value * (target_to_ - target_from_);
    target_slope_ = share.rate / step_s_ * (target_to_ - target_from_);
  }

  void command(CouplingOutput& output) noexcept {
    blend();
    play(now_, slope_, output.command.position, output.command.rate);
    output.command.fundamental = kTwoPi * frequency_hz_;
    play(target_now_, target_slope_, output.target, output.target_rate);
  }

  /// Re(psi e^{j k w t}) of each axis, and its rate.
  void play(const Eigen::VectorXd& pairs, const Eigen::VectorXd& slopes, Eigen::VectorXd& value,
            Eigen::VectorXd& rate) const noexcept {
    value.setZero();
    rate.setZero();
    const auto count = static_cast<Index>(axes_.size());
    for (Index h = 0, at = 0; h < phase_.size(); ++h) {
      const double c = phase_[h].real(), s = phase_[h].imag(), w = kTwoPi * frequency_hz_ * sweep_.model().order(h);
      for (Index a = 0; a < count; ++a, at += 2) {
        value[a] += pairs[at] * c - pairs[at + 1] * s;
        rate[a] += slopes[at] * c - slopes[at + 1] * s - w * (pairs[at] * s + pairs[at + 1] * c);
      }
    }
  }

  std::vector<AxisSignals> axes_;
  double step_s_;
  int periods_;
  std::unique_ptr<HarmonicDirector> owned_;
  HarmonicDirector& sweep_;
  std::size_t row_length_ = sweep_.segments().columns.size();
  std::vector<HarmonicAverage> averages_;  // one, or two half a window apart
  std::int64_t second_in_ = 0;             // ticks to the start of the second one
  int number_ = 1;                         // of the frequency
  double frequency_hz_ = 1.0, period_ticks_ = 1.0;
  double origin_ = 0.0, cycles_ = 0.0;  // of the first harmonic: at the start of the frequency; now
  std::int64_t ticks_ = 0;              // at this frequency
  std::int64_t fade_ticks_ = 1, faded_ = 0;
  std::int64_t adopt_in_ = -1, late_ = 0;  // ticks; -1: no decision is pending
  bool restarted_ = false, finishing_ = false;
  double residual_ = 0.0;
  int iterations_ = 0;
  Eigen::VectorXcd phase_;                                               // [h]: e^{j k w t}
  Eigen::VectorXd from_, to_, now_, slope_;                              // amplitudes of the command, [2 i h]
  Eigen::VectorXd target_from_, target_to_, target_now_, target_slope_;  // of the target
};

std::vector<AxisSignals> voltageSignals(const std::vector<Dof>& interface) {
  std::vector<AxisSignals> signals = motionSignals(interface);
  for (AxisSignals& axis : signals) axis.command = SignalKind::voltage;
  return signals;
}

class HarmonicBalanceSpec final : public CouplingSpec {
 public:
  explicit HarmonicBalanceSpec(HarmonicBalanceSettings settings) : settings_(std::move(settings)) {}
  std::string_view name() const noexcept override { return "harmonic-balance"; }
  bool tracks() const noexcept override { return false; }
  std::unique_ptr<CouplingScheme> make(SchemeContext context) const override {
    const std::vector<AxisSignals> axes = voltageSignals(context.partition.interface);
    auto sweep = std::make_unique<BalanceSweep>(BalanceModel(atPlaces(), context.partition, context.reduction,
                                                             context.sensors, context.force_sensors, context.fixture),
                                                settings_.solver, settings_.campaign, settings_.model.frequencies_hz,
                                                std::vector<SignalKind>(axes.size(), SignalKind::voltage));
    return harmonicTest(std::move(sweep), axes, settings_.averages, context.step_s);
  }
  void check(std::size_t /*interfaces*/, const IntegratorSpec& /*integrator*/, Checks& checks) const override {
    const BalanceModelSettings& model = settings_.model;
    const BalanceSolverSettings& solver = settings_.solver;
    checkHarmonicModel(model, checks);
    if (solver.most_averages < solver.least_averages)
      checks.fault("/average/most", "is " + std::to_string(solver.most_averages) + ", below the least of " +
                                        std::to_string(solver.least_averages) + "; raise it.");
    constexpr std::size_t most_frequencies = 20000;
    const std::size_t frequencies = BalancePlan(settings_.campaign, model.frequencies_hz, 0).most();
    if (!model.frequencies_hz.empty() && frequencies > most_frequencies)
      checks.fault("/campaign", "may have up to " + std::to_string(frequencies) +
                                    " frequencies in all, more than 20000; reduce levels, repeats or frequencies.");
    if (solver.first_step > solver.bound)
      checks.fault("/solver/first_step_v", solver.first_step, "V",
                   "must not be above the bound of " + Checks::text(solver.bound, "V"));
    if (solver.first_factor == 0.0)
      checks.fault("/solver/first_factor", "is 0, which cancels the first Jacobian; enter another factor.");
  }
  void checkCut(const Partition& partition, const PartitionSpec& cut, Checks& checks) const override {
    if (settings_.model.frequencies_hz.empty()) return;
    for (std::size_t h = 1; h < settings_.model.harmonics.size(); ++h)
      if (settings_.model.harmonics[h] <= settings_.model.harmonics[h - 1]) return;
    checks.collect([&] { BalanceModel(atPlaces(), partition, cut.numerical, cut.sensors, cut.force_sensors); });
  }
  void checkLoop(double step_s, double /*duration_s*/, Checks& checks) const override {
    if (settings_.model.frequencies_hz.empty()) return;
    checkHarmonicTicks(settings_.model,
                       *std::max_element(settings_.model.frequencies_hz.begin(), settings_.model.frequencies_hz.end()),
                       step_s, checks);
  }
  std::vector<AxisSignals> axisSignals(const std::vector<Dof>& interface) const override {
    return voltageSignals(interface);
  }
  std::vector<Channel> channels(std::size_t /*interfaces*/) const override { return balanceChannels(); }
  std::vector<int> harmonicOrders() const override { return settings_.model.harmonics; }
  bool usesExcitation() const noexcept override { return false; }
  std::optional<PeriodAverages> periodAverages() const override {
    PeriodAverages averages = hyb::periodAverages(settings_.averages, settings_.model.harmonics);
    averages.range_hz = atPlaces().frequencies_hz;
    if (!settings_.model.of_forces) averages.tolerance_m = settings_.solver.tolerance;
    return averages;
  }
  std::optional<SweepReference> sweepReference(const Partition& partition, const PartitionSpec& cut,
                                               std::size_t points) const override {
    return BalanceModel::assembled(settings_.model, partition, cut, points);
  }

 private:
  /// The model at all possible frequencies.
  BalanceModelSettings atPlaces() const {
    BalanceModelSettings model = settings_.model;
    model.frequencies_hz = BalancePlan::places(model.frequencies_hz, settings_.campaign.refine);
    return model;
  }

  HarmonicBalanceSettings settings_;
};

}  // namespace

std::unique_ptr<CouplingScheme> harmonicTest(std::unique_ptr<HarmonicDirector> director, std::vector<AxisSignals> axes,
                                             const HarmonicAverages& averages, double step_s) {
  return std::make_unique<HarmonicBalance>(std::move(director), std::move(axes), averages, step_s);
}

void readAverages(const Json& settings, HarmonicAverages& averages) {
  const Json average = settings.value("average", Json::object());
  read(average, "periods", averages.periods);
  averages.hann = average.value("window", "hann") == "hann";
  read(average, "overlapping", averages.overlapping);
  const Json hum = average.value("hum", Json::object());
  read(hum, "frequency_hz", averages.hum_hz);
  read(hum, "force_n", averages.hum_n);
  read(hum, "motion_m", averages.hum_m);
}

PeriodAverages periodAverages(const HarmonicAverages& averages, const std::vector<int>& harmonics) {
  PeriodAverages seen;
  seen.periods = averages.periods;
  seen.hann = averages.hann;
  seen.harmonics = harmonics;
  seen.hum_hz = averages.hum_hz;
  seen.hum_n = averages.hum_n;
  seen.hum_m = averages.hum_m;
  return seen;
}

std::vector<Channel> harmonicTestChannels() { return balanceChannels(); }

void readHarmonicModel(const Json& settings, BalanceModelSettings& model) {
  read(settings, "harmonics", model.harmonics);
  for (const Json& entry : settings.value("loads", Json::array())) {
    BalanceLoad& load = model.loads.emplace_back();
    load.dof = text(entry, "dof");
    read(entry, "amplitude_n", load.amplitude);
    read(entry, "phase_deg", load.phase_deg);
    read(entry, "harmonic", load.harmonic);
  }
  for (const Json& entry : settings.value("channels", Json::array())) {
    BalanceChannel& channel = model.channels.emplace_back();
    channel.sensor = text(entry, "sensor");
    channel.filters = parseLowPasses(entry.value("filters", Json::array()));
    read(entry, "delay_s", channel.delay_s);
  }
  if (const auto beam = settings.find("beam"); beam != settings.end()) {
    read(*beam, "mass_kg_per_m", model.beam.mass_kg_per_m);
    read(*beam, "bending_stiffness_n_m2", model.beam.bending_stiffness_n_m2);
  }
}

void checkHarmonicModel(const BalanceModelSettings& model, Checks& checks) {
  for (std::size_t h = 1; h < model.harmonics.size(); ++h)
    if (model.harmonics[h] <= model.harmonics[h - 1])
      checks.fault("/harmonics/" + std::to_string(h),
                   "is " + std::to_string(model.harmonics[h]) +
                       ", not above the previous one; enter each harmonic once, in ascending order.");
  for (std::size_t c = 0; c < model.channels.size(); ++c) {
    Checks found;
    checkLowPasses(found, model.channels[c].filters);
    checks.take(found, "/channels/" + std::to_string(c) + "/filters");
  }
}

void checkHarmonicTicks(const BalanceModelSettings& model, double highest_hz, double step_s, Checks& checks) {
  for (std::size_t h = 0; h < model.harmonics.size(); ++h) {
    const double hz = highest_hz * model.harmonics[h], ticks = 1.0 / (hz * step_s);
    if (!(ticks >= kFewestTicksOfHarmonic))
      checks.fault("/harmonics/" + std::to_string(h), "reaches " + Checks::text(hz, "Hz") + ", " +
                                                          Checks::text(ticks, "") +
                                                          " ticks per period, but a command needs at least 8; remove "
                                                          "it, lower the frequencies, or raise /loop/rate_hz.");
  }
}

CouplingSpecPtr harmonicBalance(HarmonicBalanceSettings settings) {
  return std::make_shared<const HarmonicBalanceSpec>(std::move(settings));
}

CouplingSpecPtr parseHarmonicBalance(const Json& settings) {
  HarmonicBalanceSettings parsed;
  BalanceModelSettings& model = parsed.model;
  BalanceSolverSettings& solver = parsed.solver;
  readHarmonicModel(settings, model);
  const Json sweep = settings.value("sweep", Json::object());
  read(sweep, "frequencies_hz", model.frequencies_hz);
  if (sweep.contains("count")) {
    const double from_hz = sweep.at("from_hz"), to_hz = sweep.at("to_hz");
    const int count = sweep.at("count");
    for (int k = 0; k < count; ++k)
      model.frequencies_hz.push_back(count > 1 ? from_hz + k * (to_hz - from_hz) / (count - 1) : from_hz);
  }
  const Json campaign = settings.value("campaign", Json::object());
  read(campaign, "levels", parsed.campaign.levels);
  read(campaign, "repeats", parsed.campaign.repeats);
  read(campaign, "back", parsed.campaign.back);
  const Json refine = campaign.value("refine", Json::object());
  read(refine, "most", parsed.campaign.refine.most);
  read(refine, "halvings", parsed.campaign.refine.halvings);
  read(refine, "bend", parsed.campaign.refine.bend);
  readAverages(settings, parsed.averages);
  const Json average = settings.value("average", Json::object());
  read(average, "least", solver.least_averages);
  read(average, "most", solver.most_averages);
  const Json residual = settings.value("residual", Json::object());
  model.of_forces = residual.value("of", "force") == "force";
  const char* const unit = model.of_forces ? "" : "_m";
  if (!model.of_forces) {
    solver.tolerance = 2e-5;
    solver.steadiness = 1.3e-5;
  }
  read(residual, ("tolerance" + std::string(unit)).c_str(), solver.tolerance);
  read(residual, ("steadiness" + std::string(unit)).c_str(), solver.steadiness);
  read(residual, "length_m", model.length_m);
  const Json given = settings.value("solver", Json::object());
  read(given, "method", solver.method);
  parsed.campaign.extrapolate = given.value("start", "neighbour") == "line";
  read(given, "first_step_v", solver.first_step);
  read(given, "bound_v", solver.bound);
  read(given, "step_bound_v", solver.step_bound);
  read(given, "iterations", solver.iterations);
  read(given, "refresh_after", solver.refresh_after);
  solver.both_phases = given.value("perturb", "both-phases") == "both-phases";
  read(given, "first_factor", solver.first_factor);
  return harmonicBalance(std::move(parsed));
}

}  // namespace hyb
