#include "core/assess/rig_excitation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/figure_text.h"
#include "core/base/json.h"
#include "core/excitation/band_signal.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "core/run/unattended.h"

namespace hyb {
namespace {

constexpr double kFade_s = 1.0;       // soft start and end
constexpr double kLeastTo_hz = 20.0;  // upper end of the identified band, if the rate allows it
constexpr double kMostOfRate = 0.05;  // relative to the rate: 20 ticks per cycle
constexpr double kUsed = 0.3;         // share of limits and actuator that a proposal uses
constexpr double kFirst_m = 1e-3, kMost_m = 1e-2;
constexpr double kRehearsedPeriods = 2.0;  // the signal repeats afterwards
constexpr double kLongest_s = 3600.0;
constexpr std::size_t kRing = 1024;

Json bandSettings(const RigExcitation& asked) {
  return {{"from_hz", asked.from_hz}, {"to_hz", asked.to_hz}, {"period_s", asked.period_s}};
}

Json sweepSettings(const RigExcitation& asked) {
  return {{"start_hz", asked.from_hz},
          {"end_hz", asked.to_hz},
          {"duration_s", asked.duration_s + kFade_s},
          {"spacing", "linear"}};
}

Json steppedSettings(const RigExcitation& asked) {
  return {{"from_hz", asked.from_hz},   {"to_hz", asked.to_hz},     {"count", asked.count},
          {"settle_s", asked.settle_s}, {"periods", asked.periods}, {"spacing", "linear"}};
}

constexpr std::array<RigExcitationKind, 4> kKinds{{{"band-sines", true, false, bandSettings},
                                                   {"sweep", false, false, sweepSettings},
                                                   {"band-noise", true, false, bandSettings},
                                                   {"stepped-sine", false, true, steppedSettings}}};

SteppedSineSpec steppedSpec(const RigExcitation& asked) {
  return {asked.amplitude, asked.from_hz, asked.to_hz, asked.count, false, asked.settle_s, asked.periods};
}

/// Soft start: that of a stepped sine ends while its first frequency settles.
double fadeOf(const RigExcitation& asked) {
  const std::vector<SineStep> steps = stepsOf(asked);
  return steps.empty() ? kFade_s : std::min(kFade_s, steps.front().measured_s);
}

/// Rounded to whole ticks and whole periods; the duration of a stepped sine is that of its steps.
RigExcitation inWholeTicks(RigExcitation asked, double rate_hz) {
  if (const std::vector<SineStep> steps = stepsOf(asked); !steps.empty()) {
    asked.duration_s = steps.back().end_s - fadeOf(asked);
    return asked;
  }
  if (!rigExcitationKinds()[asked.kind].repeats) return asked;
  asked.period_s = std::max(1.0, std::round(asked.period_s * rate_hz)) / rate_hz;
  asked.duration_s = asked.period_s * std::max(1.0, std::round(asked.duration_s / asked.period_s));
  return asked;
}

void checkAsked(const Project& project, const RigExcitation& asked) {
  Checks checks;
  const double rate_hz = project.loop.rate_hz;
  if (asked.axis >= project.axes.size()) {
    checks.fault("actuator", "is number " + std::to_string(asked.axis + 1) + ", but the cut has " +
                                 std::to_string(project.axes.size()) + "; choose another actuator.");
  } else if (const AxisSignals& axis = project.axes[asked.axis]; axis.command != axis.motion) {
    checks.fault("actuator", "takes a " + std::string(facts(axis.command).name) +
                                 ", but this identification needs an actuator that follows a motion. The coupling "
                                 "scheme of this project identifies the response itself.");
  } else if (axis.motion != SignalKind::displacement) {
    checks.fault("actuator", "makes a " + std::string(facts(axis.motion).name) +
                                 ", for which no signal exists; choose an actuator for a displacement.");
  }
  if (!(std::isfinite(asked.amplitude) && asked.amplitude > 0.0))
    checks.fault("amplitude", "is " + quantityText(asked.amplitude, "m") + "; give more than 0 mm.");
  const bool sound = asked.from_hz > 0.0 && asked.from_hz < asked.to_hz && asked.to_hz < 0.5 * rate_hz;
  if (!sound)
    checks.fault("band", "is " + figureText(asked.from_hz) + " to " + figureText(asked.to_hz) +
                             " Hz; its start must be above 0 Hz, and its end between the start and half the rate (" +
                             figureText(0.5 * rate_hz) + " Hz).");
  double duration_s = asked.duration_s;
  if (sound && rigExcitationKinds()[asked.kind].steps) {
    Checks of_steps;
    checkSteppedSine(of_steps, steppedSpec(asked));
    try {
      of_steps.throwIfAny();
      duration_s = stepsOf(asked).back().end_s;
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues())
        checks.fault(issue.where == "/settle_s"  ? "settling"
                     : issue.where == "/periods" ? "measured periods"
                                                 : "frequencies",
                     issue.message + ".");
    }
  }
  if (!(duration_s > 0.0 && duration_s <= kLongest_s))
    checks.fault("duration", "is " + figureText(duration_s) + " s; give more than 0 and at most " +
                                 figureText(kLongest_s, 4) + " s.");
  if (sound && rigExcitationKinds()[asked.kind].repeats) {
    Checks of_band;
    checkBand(of_band, {asked.amplitude, asked.from_hz, asked.to_hz, asked.period_s});
    checks.collect([&] {
      try {
        of_band.throwIfAny();
      } catch (const InputError& error) {
        throw InputError("period", error.issues().front().message + ".");
      }
    });
    if (of_band.ok() && asked.period_s > asked.duration_s)
      checks.fault("period", "is " + figureText(asked.period_s) + " s, longer than the duration; shorten it.");
  }
  checks.throwIfAny();
}

double highest_hz(const SignalSpec& signal) {
  struct {
    double operator()(const SineSpec& sine) const { return sine.frequency_hz; }
    double operator()(const MultiSineSpec& sum) const {
      double most = 0.0;
      for (const SineSpec& sine : sum.components) most = std::max(most, sine.frequency_hz);
      return most;
    }
    double operator()(const SteppedSineSpec& stepped) const { return std::max(stepped.from_hz, stepped.to_hz); }
    double operator()(const SweepSpec& sweep) const { return std::max(sweep.start_hz, sweep.end_hz); }
    double operator()(const SquareSpec& square) const { return square.frequency_hz; }
    double operator()(const StepSpec&) const { return 0.0; }
    double operator()(const GroundMotionSignal&) const { return 0.5 * kLeastTo_hz; }
  } constexpr of;
  return std::visit(of, signal.shape);
}

bool outlives(const Limit& limit, const std::vector<Channel>& gone) {
  if (limit.quantity->of_gap) return false;
  return !limit.quantity->of_column || std::ranges::find(gone, limit.channel, &Channel::name) == gone.end();
}

/// Largest command and command rate of a test that only excites.
PistonDemand ofSignal(const Project& exciting, std::size_t axis) {
  const Excitation excitation = buildExcitation(exciting, buildPartition(exciting));
  ExcitationValue now = excitation.zero();
  PistonDemand demand{exciting.axes[axis].name};
  const auto ticks = static_cast<std::int64_t>(exciting.loop.duration_s * exciting.loop.rate_hz);
  for (std::int64_t k = 1; k <= ticks; ++k) {
    const double t = static_cast<double>(k) / exciting.loop.rate_hz;
    const SignalValue fade = excitationFade(exciting.loop, t, t);
    excitation.at(t, fade.value, fade.rate, now);
    demand.stroke_m = std::max(demand.stroke_m, std::abs(now.signal[0]));
    demand.velocity_m_per_s = std::max(demand.velocity_m_per_s, std::abs(now.signal_rate[0]));
  }
  return demand;
}

}  // namespace

std::span<const RigExcitationKind> rigExcitationKinds() noexcept { return kKinds; }

std::vector<SineStep> stepsOf(const RigExcitation& asked) {
  return kKinds[asked.kind].steps ? stepsOf(steppedSpec(asked)) : std::vector<SineStep>();
}

ExcitingTest excitingTest(const Project& project, const RigExcitation& wanted) {
  checkAsked(project, wanted);
  const RigExcitation asked = inWholeTicks(wanted, project.loop.rate_hz);
  const RigExcitationKind& kind = kKinds[asked.kind];
  ExcitingTest test;
  Json& document = test.document = project.document;
  Json signal = kind.settings(asked);
  signal.update({{"name", "excitation"}, {"kind", kind.signal}, {"amplitude_m", asked.amplitude}});
  document["excitation"] = {{"signals", Json::array({std::move(signal)})}, {"loads", Json::array()}};
  document["coupling"] = {{"scheme", "excite"}, {"interface", asked.axis + 1}, {"signal", 1}};
  document["compensation"] = {{"method", "none"}};
  Json& meta = document["meta"];
  meta["description"] = "Of the project \"" + text(meta, "title") + "\".";
  meta["title"] = "Identify " + project.axes[asked.axis].name;
  document["rig"].erase("faults");

  const std::vector<Channel> gone = project.coupling->channels(project.axes.size());
  if (document.contains("safety")) {
    Json kept = Json::array();
    const Json& limits = document["safety"]["limits"];
    for (std::size_t l = 0; l < project.limits.size(); ++l)
      if (outlives(project.limits[l], gone))
        kept.push_back(limits.at(l));
      else
        test.unwatched.push_back(words(project.limits[l]));
    document["safety"]["limits"] = std::move(kept);
  }
  Json& loop = document["loop"];
  for (const char* key : {"trials", "measured_from_s", "force_source"}) loop.erase(key);
  const double fade_s = fadeOf(asked);
  loop.update({{"duration_s", asked.duration_s + fade_s + kFade_s}, {"soft_start_s", fade_s}, {"soft_end_s", kFade_s}});
  Json& analysis = document["analysis"];
  analysis.erase("face");
  analysis["start_s"] = fade_s;
  return test;
}

RigForecast forecast(const Project& exciting, const RigExcitation& asked, const std::function<bool()>& going) {
  Project twin = unattended(exciting);
  twin.rig.use = RigUse::twin;
  if (rigExcitationKinds()[asked.kind].repeats)
    twin.loop.duration_s = std::min(twin.loop.duration_s,
                                    kRehearsedPeriods * asked.period_s + twin.loop.soft_start_s + twin.loop.soft_end_s);
  const std::unique_ptr<Loop> loop = buildUnattendedLoop(twin);
  RowRing ring(loop->layout().width(), kRing);
  loop->attachRecorder(&ring, nullptr, nullptr);
  loop->arm();
  loop->post({Request::Kind::start, -1, 0.0, {}, {}});

  RigForecast found;
  found.demand = ofSignal(twin, asked.axis);
  std::vector<double> rows;
  for (bool ticking = true; ticking;) {
    for (std::size_t k = 0; ticking && k < kRing; ++k) ticking = loop->tick(1);
    const std::size_t count = ring.pop(rows, kRing), force = loop->layout().force(asked.axis);
    for (std::size_t r = 0; r < count; ++r)
      found.demand.force_n = std::max(found.demand.force_n, std::abs(rows[r * ring.width() + force]));
    if (going && !going()) {
      found.refusals.emplace_back("The excitation was not tested on the twin.");
      return found;
    }
  }
  const PistonDemand& demand = found.demand;
  if (const std::vector<ActuatorSpec>& all = twin.twin.actuators; !all.empty()) {
    const ActuatorSpec& actuator = all[all.size() == 1 ? 0 : asked.axis];
    found.refusals = beyondActuators({demand}, {actuator}, "reduce the amplitude, or use a lower band");
    found.used =
        std::max({demand.stroke_m / actuator.stroke_m, demand.velocity_m_per_s / actuator.velocity_limit_m_per_s,
                  demand.force_n / actuator.force_limit_n});
  }
  const SafetyChain& safety = loop->safety();
  for (std::size_t l = 0; l < safety.limits().size(); ++l)
    if (safety.limits()[l].quantity->ofAxis())
      found.used = std::max(found.used, safety.monitors()[l].peak.load() / safety.monitors()[l].threshold.load());
  if (loop->endReason() != EndReason::completed)
    found.refusals.push_back("This test ends early on the twin: " + endSentence(*loop) +
                             ". Reduce the amplitude, or use a lower band.");
  return found;
}

RigExcitation proposedExcitation(const Project& project, std::size_t axis, const std::function<bool()>& going) {
  constexpr double kMostLines = 0.95 * kMostBandLines;
  RigExcitation asked;
  asked.axis = axis;
  double highest = 0.0;
  for (const SignalSpec& signal : project.excitation.signals) highest = std::max(highest, highest_hz(signal));
  asked.to_hz = std::min(std::max(kLeastTo_hz, 2.0 * std::ceil(highest)), kMostOfRate * project.loop.rate_hz);
  asked.from_hz = std::min(asked.from_hz, asked.to_hz / 40.0);
  asked.period_s = std::max(2.0 / asked.from_hz, 1.0);
  if ((asked.to_hz - asked.from_hz) * asked.period_s > kMostLines)
    asked.period_s = kMostLines / (asked.to_hz - asked.from_hz);
  asked.duration_s = 8.0 * asked.period_s;
  asked.amplitude = kFirst_m;
  asked = inWholeTicks(asked, project.loop.rate_hz);
  constexpr int kTries = 6;
  for (int attempt = 0; attempt < kTries && (!going || going()); ++attempt) {
    RigExcitation once = asked;
    once.duration_s = once.period_s;
    const RigForecast found = forecast(parseProject(excitingTest(project, once).document, project.folder), once, going);
    const bool right = found.refusals.empty() && (found.used == 0.0 || (attempt > 0 && found.used <= 1.2 * kUsed));
    if (right) break;
    const double wanted = found.used > 0.0 ? asked.amplitude * kUsed / found.used : 0.3 * asked.amplitude;
    // Rounded down to two digits for a readable value.
    const double digit = std::pow(10.0, std::floor(std::log10(wanted)) - 1.0);
    asked.amplitude = std::min(kMost_m, std::floor(wanted / digit) * digit);
  }
  return asked;
}

}  // namespace hyb
