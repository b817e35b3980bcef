#include "core/project/command_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/figure_text.h"

namespace hyb {
namespace {

// A command leads its actuator and contains amplified sensor noise. For one tick it may be several times as fast as the
// actuator. It must not go further than the actuator can follow within a few milliseconds.
constexpr double kCommandSpeeds = 4.0;
constexpr double kMadeGood_s = 2e-3;
constexpr double kBrakingTime_s = 0.01;  // from the velocity limit to rest
// If only the range is known: time from one end to the other.
constexpr double kFastestCrossing_s = 0.02;
constexpr double kFewestCrossingTicks = 20.0;  // of a force or voltage, which may be intended noise

struct Known {
  double value;
  std::string source;
};

class Derivation {
 public:
  Derivation(const Project& project, std::size_t i)
      : project_(project), axis_(project.axes[i]), number_(static_cast<int>(i) + 1) {
    const std::vector<ActuatorSpec>& actuators = project.twin.actuators;
    if (!actuators.empty()) actuator_ = &actuators[actuators.size() == 1 ? 0 : std::min(i, actuators.size() - 1)];
  }

  std::optional<Known> rate() const {
    if (!moves() || declared("command-rate")) return {};
    if (const auto speed = velocity())
      return Known{kCommandSpeeds * speed->value, figureText(kCommandSpeeds) + " times " + speed->source};
    if (const auto all = range()) return Known{2.0 * all->value / kFastestCrossing_s, all->source + crossing()};
    return {};
  }

  std::optional<Known> step() const {
    if (declared("command-step")) return {};
    const double tick_s = 1.0 / project_.loop.rate_hz;
    if (moves())
      if (const auto speed = velocity())
        return Known{(tick_s + kMadeGood_s) * speed->value,
                     "way in one tick and " + quantityText(kMadeGood_s, "s") + " at " + speed->source};
    const auto all = range();
    if (!all) return {};
    const double by_time = 2.0 * all->value * tick_s / kFastestCrossing_s,
                 by_ticks = 2.0 * all->value / kFewestCrossingTicks;
    if (moves() || by_time >= by_ticks) return Known{by_time, all->source + crossing()};
    return Known{by_ticks,
                 all->source + ", from end to end in no fewer than " + figureText(kFewestCrossingTicks) + " ticks"};
  }

  /// Infinite: no braking limit.
  double braking() const {
    constexpr double kNoValue = std::numeric_limits<double>::infinity();
    if (!moves()) return kNoValue;
    if (actuator_ != nullptr && std::isfinite(actuator_->acceleration_limit_m_per_s2))
      return actuator_->acceleration_limit_m_per_s2;
    if (const auto speed = velocity()) return speed->value / kBrakingTime_s;
    const Limit* const given = acting("command-rate");
    if (given != nullptr) return given->threshold / kBrakingTime_s;
    const auto fastest = rate();
    return fastest ? fastest->value / kBrakingTime_s : kNoValue;
  }

 private:
  bool moves() const { return facts(axis_.command).stands; }
  std::string crossing() const { return ", from end to end in no less than " + quantityText(kFastestCrossing_s, "s"); }
  bool declared(const char* quantity) const {
    return std::ranges::any_of(project_.limits, [&](const Limit& limit) {
      return limit.quantity->name == quantity && limit.covers(number_, axis_);
    });
  }
  /// The tightest limit that does more than indicate; null if there is none.
  const Limit* acting(const char* quantity) const {
    const Limit* found = nullptr;
    for (const Limit& limit : project_.limits)
      if (limit.quantity->name == quantity && limit.action >= Action::hold && limit.covers(number_, axis_) &&
          (found == nullptr || limit.threshold < found->threshold))
        found = &limit;
    return found;
  }
  std::optional<Known> ofLimit(const char* quantity, SignalKind kind) const {
    const Limit* const limit = acting(quantity);
    if (limit == nullptr || limit->on() != kind) return {};
    return Known{limit->threshold,
                 "the limit on " + words(*limit->quantity) + " of " + quantityText(limit->threshold, limit->unit(), 4)};
  }
  std::optional<Known> ofActuator(double ActuatorSpec::*setting, std::string_view name, std::string_view unit) const {
    if (actuator_ == nullptr || !std::isfinite(actuator_->*setting)) return {};
    return Known{actuator_->*setting,
                 "the actuator's " + std::string(name) + " of " + quantityText(actuator_->*setting, unit, 4)};
  }
  std::optional<Known> velocity() const {
    if (auto own = ofActuator(&ActuatorSpec::velocity_limit_m_per_s, "velocity limit", facts(axis_.command).rate_unit))
      return own;
    return ofLimit("velocity", axis_.command);
  }
  /// In both directions.
  std::optional<Known> range() const {
    if (auto command = ofLimit("command", axis_.command)) return command;
    if (moves()) return ofActuator(&ActuatorSpec::stroke_m, "stroke", facts(axis_.command).unit);
    if (axis_.command != axis_.force()) return {};
    if (auto force = ofActuator(&ActuatorSpec::force_limit_n, "force limit", facts(axis_.command).unit)) return force;
    return ofLimit("force", axis_.command);
  }

  const Project& project_;
  const AxisSignals& axis_;
  int number_;
  const ActuatorSpec* actuator_ = nullptr;
};

/// One limit on all axes if the bound is equal on all with this kind of command; otherwise one for each.
void append(const std::vector<std::optional<Known>>& bounds, const char* quantity, Project& project) {
  const std::vector<AxisSignals>& axes = project.axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (!bounds[i]) continue;
    bool first = true, common = true;
    for (std::size_t j = 0; j < axes.size(); ++j) {
      if (axes[j].command != axes[i].command) continue;
      const bool same = bounds[j] && bounds[j]->value == bounds[i]->value && bounds[j]->source == bounds[i]->source;
      common = common && same;
      first = first && j >= i;
    }
    if (common && !first) continue;
    Limit limit;
    limit.quantity = limitQuantity(quantity);
    limit.interface = common ? 0 : static_cast<int>(i) + 1;
    limit.threshold = bounds[i]->value;
    limit.action = Action::ramp;
    limit.kind = axes[i].command;
    limit.origin = bounds[i]->source;
    project.command_bounds.push_back(std::move(limit));
  }
}

}  // namespace

void boundCommands(Project& project) {
  std::vector<std::optional<Known>> rates, steps;
  project.loop.braking.clear();
  project.command_bounds.clear();
  for (std::size_t i = 0; i < project.axes.size(); ++i) {
    const Derivation derived(project, i);
    rates.push_back(derived.rate());
    steps.push_back(derived.step());
    project.loop.braking.push_back(derived.braking());
  }
  append(rates, "command-rate", project);
  append(steps, "command-step", project);
}

void leaveCommandsUnbounded(Project& project) {
  project.command_bounds.clear();
  project.loop.braking.clear();
  project.loop.tuning_fade_s = 0.0;
}

std::vector<Limit> watchedLimits(const Project& project) {
  std::vector<Limit> all = project.limits;
  all.insert(all.end(), project.command_bounds.begin(), project.command_bounds.end());
  return all;
}

double largestMotion(const Project& project, std::size_t i) {
  double most = std::numeric_limits<double>::infinity();
  for (const Limit& limit : watchedLimits(project))
    if (limit.action >= Action::hold && limit.covers(static_cast<int>(i) + 1, project.axes[i]) &&
        (limit.quantity->values == &SafetySample::command || limit.quantity->values == &SafetySample::measured))
      most = std::min(most, limit.threshold);
  return most;
}

bool commandIsBounded(const Project& project, std::size_t i) {
  return std::ranges::any_of(watchedLimits(project), [&](const Limit& limit) {
    return limit.quantity->of_change && limit.action >= Action::hold &&
           limit.covers(static_cast<int>(i) + 1, project.axes[i]);
  });
}

std::vector<ChangeBounds> changeBounds(Project project) {
  std::erase_if(project.limits, [](const Limit& limit) { return limit.action < Action::hold; });
  boundCommands(project);
  const std::vector<Limit> limits = watchedLimits(project);
  std::vector<ChangeBounds> all;
  for (std::size_t i = 0; i < project.axes.size(); ++i) {
    const SignalKindFacts& signal = facts(project.axes[i].command);
    constexpr double kUnbounded = std::numeric_limits<double>::infinity();
    ChangeBounds bounds{kUnbounded, kUnbounded, std::string(signal.unit), std::string(signal.rate_unit), {}};
    for (const Limit& limit : limits) {
      if (!limit.quantity->of_change || !limit.covers(static_cast<int>(i) + 1, project.axes[i])) continue;
      double& bound = limit.quantity->rate ? bounds.rate : bounds.step;
      bound = std::min(bound, limit.threshold);
      bounds.words += (bounds.words.empty() ? "" : "; ") + words(limit) + " " +
                      quantityText(limit.threshold, limit.unit(), 3) +
                      (limit.origin.empty() ? "" : " (" + limit.origin + ")");
    }
    all.push_back(std::move(bounds));
  }
  return all;
}

std::string derivedBoundWords(const Project& project) {
  std::string text;
  const std::vector<Limit>& bounds = project.command_bounds;
  for (std::size_t l = 0; l < bounds.size(); ++l) {
    text +=
        (text.empty() ? "" : ", ") + words(bounds[l]) + " " + quantityText(bounds[l].threshold, bounds[l].unit(), 3);
    const bool last = l + 1 == bounds.size() || bounds[l + 1].origin != bounds[l].origin;
    if (last) text += " (" + bounds[l].origin + ")";  // once for all bounds with the same origin
  }
  return text;
}

std::string brakingWords(const Project& project) {
  std::string text, last;
  for (std::size_t i = 0; i < project.loop.braking.size(); ++i) {
    const double braking = project.loop.braking[i];
    if (!std::isfinite(braking)) continue;
    const std::string one = figureText(braking) + " " + std::string(facts(project.axes[i].command).unit) + "/s2";
    if (one == last) continue;
    text += (text.empty() ? "" : ", ") + one;
    last = one;
  }
  return text;
}

}  // namespace hyb
