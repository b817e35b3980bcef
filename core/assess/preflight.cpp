#include "core/assess/preflight.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/assess/hum_report.h"
#include "core/assess/learning_report.h"
#include "core/assess/led_stability.h"
#include "core/assess/piston_demand.h"
#include "core/base/figure_text.h"
#include "core/compensation/addition.h"
#include "core/project/command_bounds.h"
#include "core/project/rig_legs.h"
#include "core/rig/device_channels.h"

namespace hyb {
namespace {

constexpr double kSmallMargin = 0.2;  // of all the delay that the loop bears
constexpr int kCalibrationDays = 365;

std::string number(double value, const char* unit) { return figureText(value) + ' ' + unit; }

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::optional<std::chrono::sys_days> dayOf(const std::string& date) {
  std::array<int, 3> parts{};
  if (date.size() != 10) return {};
  constexpr std::array<std::pair<int, int>, 3> places = {{{0, 4}, {5, 2}, {8, 2}}};
  for (std::size_t p = 0; p < 3; ++p) {
    const char* const first = date.data() + places[p].first;
    if (std::from_chars(first, first + places[p].second, parts[p]).ec != std::errc()) return {};
  }
  const std::chrono::year_month_day day{std::chrono::year{parts[0]},
                                        std::chrono::month{static_cast<unsigned>(parts[1])},
                                        std::chrono::day{static_cast<unsigned>(parts[2])}};
  return day.ok() ? std::optional(std::chrono::sys_days(day)) : std::nullopt;
}

bool onRig(const Project& project) { return project.rig.use != RigUse::twin; }

/// Every important quantity has a limit that does more than indicate.
PreflightItem limits(const PreflightInput& input) {
  const Project& project = input.project;
  const bool interlocks =
      std::any_of(project.rig.channels.begin(), project.rig.channels.end(),
                  [](const ChannelSpec& channel) { return channel.role == ChannelRole::interlock; });
  const Recommended recommended = !onRig(project) ? Recommended::every_test
                                  : interlocks    ? Recommended::on_rigs_with_interlocks
                                                  : Recommended::on_rigs;
  std::vector<std::string> missing;
  for (const LimitQuantity& quantity : limitQuantities()) {
    if (quantity.recommended > recommended) continue;
    if (quantity.signal == targetOf && !project.coupling->tracks())
      continue;  // this limit is inactive while such a scheme identifies
    const auto acts = [&](auto&& on) {
      return std::any_of(project.limits.begin(), project.limits.end(), [&](const Limit& limit) {
        return limit.quantity == &quantity && limit.action >= Action::hold && on(limit);
      });
    };
    if (!acts([](const Limit&) { return true; })) {
      missing.emplace_back(quantity.name);
      continue;
    }
    for (std::size_t i = 0; quantity.ofAxis() && i < project.axes.size(); ++i)
      if (const auto axis = static_cast<int>(i) + 1;
          !acts([&](const Limit& limit) { return limit.covers(axis, project.axes[i]); }))
        missing.push_back(std::string(quantity.name) + " of interface " + std::to_string(axis) + " in " +
                          std::string(quantity.unitOf(quantity.signal(project.axes[i]))));
  }
  if (missing.empty())
    return {"limits", CheckState::ok, "Every important quantity has a limit that holds, ramps or stops."};
  return {"limits", onRig(project) ? CheckState::bad : CheckState::warning,
          "No limit holds, ramps or stops on: " + listed(missing) + ". Add them under Safety."};
}

/// Are the rates of the commands bounded, and by what?
PreflightItem commandBounds(const PreflightInput& input) {
  const Project& project = input.project;
  std::string open;
  for (std::size_t i = 0; i < project.axes.size(); ++i)
    if (!commandIsBounded(project, i)) open += (open.empty() ? "" : ", ") + std::to_string(i + 1);
  if (!open.empty())
    return {"command", onRig(project) ? CheckState::bad : CheckState::warning,
            "The rate of the command is not bounded on interface " + open +
                ": neither a velocity limit of the actuator nor a range is known. Add a limit on command step under "
                "Safety."};
  const std::string derived = derivedBoundWords(project), braking = brakingWords(project);
  std::string sentence =
      derived.empty() ? "The limits of the project bound the rate of the command." : "Derived bounds: " + derived + ".";
  if (!braking.empty()) sentence += " Hold and stop brake with " + braking + ".";
  return {"command", CheckState::ok, sentence};
}

/// Some devices have their own safe action; others only follow commands.
PreflightItem safeState(const PreflightInput& input) {
  if (!onRig(input.project)) return {"safe state", CheckState::ok, "The twin stops by itself."};
  const auto& channels = input.project.rig.channels;
  const bool moves =
      std::any_of(channels.begin(), channels.end(), [](const ChannelSpec& channel) { return isOutput(channel.role); });
  const std::string missing(input.project.rig.connection.protocol->missingStop());
  if (moves && !missing.empty())
    return {
        "safe state", CheckState::bad,
        "No command is sent on STOP, so the device keeps its last command. Enter " + missing + " under Connection."};
  return {"safe state", CheckState::ok, "The device is told to stop on STOP, on a fault and at the end."};
}

/// The test depends on the readings of this channel.
bool counts(const PreflightInput& input, const ChannelSpec& channel) {
  if (channel.role != ChannelRole::monitor) return channel.role < ChannelRole::monitor;
  const std::vector<std::string> read = input.project.coupling->reads(input.project.axes.size());
  return std::ranges::find(read, channel.name) != read.end();
}

PreflightItem calibration(const PreflightInput& input) {
  if (!onRig(input.project)) return {"calibration", CheckState::ok, "The twin needs no calibration."};
  if (input.project.rig.channels.empty())
    return {"calibration", CheckState::ok, "The rig reports SI units and uses its own calibration."};
  std::vector<std::string> without, old;
  for (const ChannelSpec& channel : input.project.rig.channels) {
    if (!counts(input, channel)) continue;
    const auto day = dayOf(channel.calibrated_on);
    if (!day)
      without.push_back(channel.name);
    else if (std::chrono::sys_days(input.today) - *day > std::chrono::days(kCalibrationDays))
      old.push_back(channel.name + " (" + channel.calibrated_on + ")");
  }
  if (without.empty() && old.empty())
    return {"calibration", CheckState::ok, "All channels were calibrated within a year."};
  std::string sentence;
  if (!without.empty()) sentence = "Channels without a calibration date: " + listed(without) + ".";
  if (!old.empty())
    sentence += (sentence.empty() ? "" : " ") + ("Calibrated more than a year ago: " + listed(old) + ".");
  return {"calibration", CheckState::warning, sentence + " Calibrate these channels, or enter the date."};
}

PreflightItem zero(const PreflightInput& input) {
  if (!onRig(input.project) || input.project.rig.channels.empty())
    return {"zero", CheckState::ok, "No sensor of this project needs zeroing."};
  std::vector<std::string> missing;
  const Json& channels = input.project.document.at("rig").at("channels");
  for (std::size_t c = 0; c < input.project.rig.channels.size(); ++c) {
    const ChannelSpec& channel = input.project.rig.channels[c];
    const bool sensor = channel.role == ChannelRole::displacement || channel.role == ChannelRole::force ||
                        (channel.role == ChannelRole::monitor && counts(input, channel));
    if (sensor && !channels[c].contains("tare")) missing.push_back(channel.name);
  }
  if (missing.empty()) return {"zero", CheckState::ok, "All sensors were zeroed."};
  return {"zero", CheckState::warning,
          "Not zeroed: " + listed(missing) + ". Zero these sensors at rest on the Rig page."};
}

/// Compares the position of the rig with the start of the test: zero motion, zero force.
PreflightItem place(const PreflightInput& input) {
  if (!onRig(input.project)) return {"place", CheckState::ok, "The twin begins at rest."};
  const std::vector<AxisReading>& readings = input.readings;
  if (std::ranges::all_of(readings, [](const AxisReading& r) { return std::isnan(r.motion) && std::isnan(r.force); }))
    return {"place", CheckState::unknown, "The position of the rig is not known before it is connected or armed."};
  const std::vector<std::string> away = awayFromRest(input.project, readings);
  if (away.empty()) return {"place", CheckState::ok, "The rig stands at the start position of the test."};
  return {"place", CheckState::warning,
          "The rig stands at " + listed(away) + "; the test starts at zero and moves the rig there within " +
              quantityText(input.project.loop.stop_ramp_s, "s") +
              " or more. Move the rig to rest, or zero the sensors there, on the Rig page."};
}

/// Largest delay of the actuators, with the lead of the compensation.
std::string delayText(const Json& report) {
  std::string text = "delay " + number(1e3 * report.at("delay_s").get<double>(), "ms");
  double lead_s = 0.0;
  std::string of_each;
  for (const Json& actuator : report.at("actuators")) {
    lead_s = std::max(lead_s, actuator.at("lead_s").get<double>());
    of_each += (of_each.empty() ? "" : ", ") + actuator.at("dof").get<std::string>() + " " +
               number(1e3 * (actuator.at("delay_s").get<double>() - actuator.at("lead_s").get<double>()), "ms");
  }
  if (report.at("actuators").size() > 1) text = "delays " + of_each;
  return lead_s > 0.0 ? text + " after prediction" : text;
}

/// What a round trip takes beyond the period that a rig that leads waits until its next reading, s; else all of it.
double beyondPeriod(const PreflightInput& input, double round_trip_s) {
  const bool leads = input.project.rig.connection.protocol && input.project.rig.connection.protocol->leads();
  return leads ? std::max(0.0, round_trip_s - 1.0 / input.project.loop.rate_hz) : round_trip_s;
}

/// Measured delay of the link, if the project gives none, s.
std::optional<double> measuredLink(const PreflightInput& input) {
  if (!onRig(input.project) || input.project.rig.connection.delay_s != 0.0 || input.link == nullptr) return {};
  return beyondPeriod(input, 1e-9 * input.link->roundTripNs(0.5));
}

/// Delay margin of the project's loop, each actuator with its own delay.
PreflightItem linearStability(const PreflightInput& input) {
  if (input.stability == nullptr)
    return {"stability", CheckState::unknown, "The stability of the loop has not been computed yet."};
  const Json& report = *input.stability;
  const Project& project = input.project;
  std::string delays = delayText(report);
  const std::optional<double> link = measuredLink(input);
  const double link_s = link.value_or(0.0);
  if (link) delays += ", link " + number(1e3 * link_s, "ms");
  if (!report.at("critical_delay_s").is_null())
    delays += "; critical delay of the cut with equal actuators " +
              number(1e3 * report.at("critical_delay_s").get<double>(), "ms");
  if (!report.at("stable").get<bool>())
    return {"stability", CheckState::bad,
            "The loop is unstable: " + delays + ". Compensate the delay, or move the cut."};
  const Json& discrete = report.at("discrete");
  if (discrete.is_object() && discrete.at("grows").get<bool>() && discrete.at("compensated").get<bool>() &&
      !project.compensation.method->adapts())
    return {"stability", CheckState::bad,
            "The sampled loop is unstable at " + number(discrete.at("frequency_hz").get<double>(), "Hz") + ", " +
                delays + ". Compensate the delay, raise the rate, or move the cut."};
  if (report.at("margin_s").is_null())
    return {"stability", CheckState::ok, "No added delay makes the loop unstable below the cut-off (" + delays + ")."};
  const double margin_s = report.at("margin_s").get<double>() - link_s;
  const std::string sentence = "Delay margin " + number(1e3 * margin_s, "ms") + ": " + delays + ".";
  if (margin_s <= 0.0)
    return {"stability", CheckState::bad, sentence + " The loop is unstable: compensate the delay, or move the cut."};
  const double whole_s = margin_s + link_s + std::max(0.0, report.at("delay_s").get<double>());
  if (margin_s < kSmallMargin * whole_s)
    return {"stability", CheckState::warning, sentence + " The margin is small: expect slowly decaying motion."};
  return {"stability", CheckState::ok, sentence};
}

PreflightItem stability(const PreflightInput& input) {
  const CouplingSpec& coupling = *input.project.coupling;
  if (!coupling.tracks())
    return {"stability", coupling.hazard().empty() ? CheckState::ok : CheckState::warning, besideTracking(coupling)};
  if (input.stability != nullptr) {
    const double late_s = input.stability->at("delay_s").get<double>() + measuredLink(input).value_or(0.0);
    if (const auto led = ledStability(input.project, late_s)) return {"stability", led->state, led->sentence};
  }
  PreflightItem item = linearStability(input);
  if (const std::string left_out = leftOutWords(*input.project.compensation.method); !left_out.empty()) {
    item.sentence = "Without the compensation: " + item.sentence + " " + left_out;
    if (item.state != CheckState::unknown) item.state = CheckState::warning;  // it may be better or worse
  }
  const bool laws = !input.project.twin.laws.empty(),
             additions = !additionsOf(*input.project.compensation.method).empty();
  if ((!laws && !additions) || item.state == CheckState::unknown) return item;
  if (laws) item.sentence += " This is the linear part without the specimen's laws.";
  if (additions) item.sentence += " This is the initial state without the additions to the command.";
  if (item.state == CheckState::ok) item.state = CheckState::warning;  // their effect on the loop is not known
  return item;
}

/// Effect of the compensation on noise, and the remaining phase margin.
std::optional<PreflightItem> compensation(const PreflightInput& input) {
  const CompensationMethod& method = *input.project.compensation.method;
  if (!method.acts() || !input.project.coupling->tracks()) return {};
  std::string text;
  for (const std::string& remark : method.remarks()) text += (text.empty() ? "" : " ") + remark;
  const Json margin = input.stability != nullptr ? input.stability->value("phase_margin", Json()) : Json();
  if (margin.is_object())
    text += (text.empty() ? "" : " ") + std::string("Phase margin ") +
            number(margin.at("phase_margin_deg").get<double>(), "deg") + " at " +
            number(margin.at("frequency_hz").get<double>(), "Hz") + (method.adapts() ? " in the initial state." : ".");
  if (text.empty()) return {};
  return PreflightItem{"compensation", CheckState::ok, text};
}

/// Does learning from trial to trial reduce the error?
std::optional<PreflightItem> learning(const PreflightInput& input) {
  if (input.stability == nullptr || !input.stability->contains("learning")) return {};
  const Json& report = input.stability->at("learning");
  std::string all;
  for (const std::string& sentence : learningSentences(report)) all += (all.empty() ? "" : " ") + sentence;
  return PreflightItem{"learning",
                       std::all_of(report.begin(), report.end(), learns) ? CheckState::ok : CheckState::warning, all};
}

/// Can the pistons provide the stroke, velocity and force that the springs require?
std::optional<PreflightItem> spring(const PreflightInput& input) {
  if (input.stability == nullptr || !input.stability->contains("pistons")) return {};
  const Json& pistons = input.stability->at("pistons");
  if (!pistons.is_array() || pistons.empty())
    return PreflightItem{
        "spring", CheckState::unknown,
        "The demand on the pistons is not known, because the whole structure cannot be computed here."};
  std::string beyond;
  for (const Json& sentence : input.stability->at("pistons_beyond"))
    beyond += (beyond.empty() ? "" : " ") + sentence.get<std::string>();
  if (!beyond.empty()) return PreflightItem{"spring", CheckState::bad, beyond};
  std::string needs;
  for (const Json& piston : pistons)
    needs += (needs.empty() ? "" : "; ") + piston.at("dof").get<std::string>() + " " +
             number(1e3 * piston.at("stroke_m").get<double>(), "mm") + ", " +
             number(1e3 * piston.at("velocity_m_per_s").get<double>(), "mm/s") + ", " +
             number(piston.at("force_n").get<double>(), "N");
  const double whole_s = input.project.loop.excitation_s();
  const bool in_part = !(whole_s > 0.0 && whole_s <= kPistonDemand_s);
  return PreflightItem{
      "spring", CheckState::ok,
      "The pistons will need" + (in_part ? " in the first " + number(kPistonDemand_s, "s") : "") + ": " + needs + "."};
}

/// What does hum leave in the averages?
std::optional<PreflightItem> hum(const PreflightInput& input) {
  const Json report = humReport(input.project);
  if (report.is_null()) return {};
  return PreflightItem{"hum", humExceeds(report) ? CheckState::warning : CheckState::ok, humSentence(report)};
}

/// Do the legs reach what the limits of the interface allow?
std::optional<PreflightItem> geometry(const PreflightInput& input) {
  if (!input.project.rig.geometry) return {};
  const ReachWords words = reachWords(input.project);
  std::string all;
  for (const std::string& sentence : words.sentences) all += (all.empty() ? "" : " ") + sentence;
  return PreflightItem{"geometry", words.all ? CheckState::ok : CheckState::warning, all};
}

PreflightItem timing(const PreflightInput& input) {
  if (input.realtime.state == Realtime::unknown)
    return {"timing", CheckState::unknown, "Real time has not been requested yet."};
  if (input.realtime.state == Realtime::granted) return {"timing", CheckState::ok, "Real time is granted."};
  return {"timing", CheckState::warning,
          "Real time: " + input.realtime.summary + ". Ticks may be late; see the help page on real time."};
}

PreflightItem disk(const PreflightInput& input) {
  if (!input.free_bytes || !input.needed_bytes) return {"disk", CheckState::unknown, "The free space is not known."};
  const std::string sentence =
      number(1e-6 * *input.free_bytes, "MB") + " free, " + number(1e-6 * *input.needed_bytes, "MB") + " needed.";
  if (*input.free_bytes < *input.needed_bytes)
    return {"disk", CheckState::bad, sentence + " Free some space, or choose another folder."};
  return {"disk", CheckState::ok, sentence};
}

/// Compares round trips with the tick, which they should fit into, and with the time-out and the limits on stale data,
/// which they must never reach.
PreflightItem link(const PreflightInput& input) {
  if (!onRig(input.project)) return {"link", CheckState::ok, "The twin has no link."};
  const double slow_s = input.link != nullptr ? 1e-9 * input.link->roundTripNs(0.99) : 0.0;
  if (slow_s <= 0.0)
    return {"link", CheckState::unknown,
            "No round trips have been measured. They are measured while the rig is connected for set-up, and after "
            "arming."};
  const double rate_hz = input.project.loop.rate_hz, rare_s = 1e-9 * input.link->roundTripNs(0.999),
               longest_s = 1e-9 * input.link->roundTripNs(1.0);
  std::string sentence = "Round trips: 99 % within " + number(1e3 * slow_s, "ms") + ", 99.9 % within " +
                         number(1e3 * rare_s, "ms") + "; a tick is " + number(1e3 / rate_hz, "ms");
  CheckState state = CheckState::ok;
  std::string remedy;
  const auto worse = [&](CheckState found, const std::string& words) {
    state = std::max(state, found);
    remedy += " " + words;
  };
  if (const int timeout_ticks = input.project.rig.connection.protocol->timeoutTicks(); timeout_ticks > 0) {
    const double timeout_s = timeout_ticks / rate_hz;
    const int sufficient = input.link->sufficientTimeoutTicks(rate_hz);
    sentence += ", the time-out of the link is " + number(1e3 * timeout_s, "ms");
    const std::string place = "Set \"Link timeout\" to " + std::to_string(sufficient) + " ticks.";
    if (timeout_s <= rare_s)
      worse(CheckState::bad, "Tests with a healthy link will end with \"link lost\". " + place);
    else if (timeout_ticks < sufficient)
      worse(CheckState::warning,
            "The longest round trip took " + number(1e3 * longest_s, "ms") +
                ". The time-out must exceed twice that, five times the 99.9 % value, and ten ticks. " + place);
  }
  const std::vector<Limit>& limits = input.project.limits;
  for (std::size_t l = 0; l < limits.size(); ++l) {
    if (!limits[l].quantity->of_silence || limits[l].action < Action::hold) continue;
    const int healthy = input.link->healthyStaleTicks(rate_hz);
    const std::string bound = "The limit on " + words(*limits[l].quantity) + " acts after " +
                              number(1e3 * limits[l].threshold / rate_hz, "ms");
    const std::string place = "Set its threshold (/safety/limits/" + std::to_string(l) + "/" +
                              std::string(limits[l].thresholdKey()) + ") to " + std::to_string(healthy + 1) + " ticks.";
    if (limits[l].threshold <= rare_s * rate_hz)
      worse(CheckState::bad, bound + ": it will end healthy tests. " + place);
    else if (limits[l].threshold <= healthy)
      worse(CheckState::warning, bound + " and may end a healthy test. " + place);
  }
  sentence += "; " + std::to_string(input.link->errors()) + " errors.";
  if (beyondPeriod(input, slow_s) > 1.0 / rate_hz)
    worse(CheckState::warning, "Measurements are late: use a faster link or a lower rate.");
  if (input.link->errors() > 0) worse(CheckState::warning, "Check cables and connectors.");
  return {"link", state, sentence + remedy};
}

}  // namespace

std::string_view name(CheckState state) noexcept {
  constexpr std::array<std::string_view, 4> names = {"ok", "warning", "bad", "unknown"};
  return names[static_cast<std::size_t>(state)];
}

std::vector<PreflightItem> preflight(const PreflightInput& input) {
  std::vector<PreflightItem> items = {limits(input), commandBounds(input), safeState(input), calibration(input),
                                      zero(input),   place(input),         stability(input), timing(input),
                                      disk(input),   link(input)};
  if (std::optional<PreflightItem> item = learning(input)) items.insert(items.begin() + 7, *std::move(item));
  if (std::optional<PreflightItem> item = spring(input)) items.insert(items.begin() + 7, *std::move(item));
  if (std::optional<PreflightItem> item = compensation(input)) items.insert(items.begin() + 7, *std::move(item));
  if (std::optional<PreflightItem> item = hum(input)) items.insert(items.begin() + 7, *std::move(item));
  if (std::optional<PreflightItem> item = geometry(input)) items.insert(items.begin() + 2, *std::move(item));
  return items;
}

std::string besideTracking(const CouplingSpec& coupling) {
  std::string hazard = coupling.hazard();
  if (!hazard.empty()) return hazard;
  return coupling.besideTracking();
}

}  // namespace hyb
