#include "app/figures.h"

#include <algorithm>
#include <cmath>

#include "app/console.h"
#include "core/assess/gap_loop_report.h"
#include "core/assess/learning_report.h"
#include "core/assess/metrics.h"
#include "core/base/figure_text.h"
#include "core/base/numbers.h"

namespace hyb::app {
namespace {

/// A figure, or "-" without a value. `digits`: significant digits.
std::string figure(const Json* value, double factor, int digits) {
  return value == nullptr || !value->is_number() ? "-" : figureText(factor * value->get<double>(), digits);
}
std::string figure(const Json& object, const char* key, double factor = 1.0, int digits = 3) {
  const auto value = object.find(key);
  return figure(value == object.end() ? nullptr : &*value, factor, digits);
}

/// A value with its unit, or "-" without a value.
std::string cell(const Json& object, const Measure& measure) {
  const Json* value = readingIn(object, measure);
  if (value == nullptr || !value->is_number()) return "-";
  std::string unit = measure.unit;
  if (unit == "m") unit = object.value("units", unit);
  return quantityText(value->get<double>(), unit, measure.ofTest() && unit != "J" ? 6 : 3);
}

/// One row per figure, one column per interface.
std::string rows(const Json& owners, bool of_test) {
  std::string text;
  for (const Measure& measure : measures()) {
    if (!measure.listed() || measure.ofTest() != of_test) continue;
    if (std::none_of(owners.begin(), owners.end(), [&](const Json& one) { return readingIn(one, measure) != nullptr; }))
      continue;
    text += format("%-22s", measure.title);
    for (const Json& one : owners) text += format(" %14s", cell(one, measure).c_str());
    text += "\n";
  }
  return text;
}

/// One line per trial; "" for a test without trials.
std::string trialsText(const Json& metrics) {
  if (!metrics.contains("trials")) return "";
  std::string text = format("%6s %12s %12s %16s\n", "trial", "first tick", "last tick", "tracking (J2) %");
  for (const Json& one : metrics.at("trials"))
    text += format("%6lld %12lld %12lld %16s", one.value("trial", 0LL), one.value("first_tick", 0LL),
                   one.value("last_tick", 0LL), figure(one, "tracking_nrmse_percent").c_str()) +
            (one.value("whole", true) ? one.value("trial", Json()) == metrics.at("best_trial") ? "  best\n" : "\n"
                                      : "  not whole\n");
  return text;
}

/// Result of a continuation; "" for any other test.
std::string pathsText(const Json& metrics) {
  if (!metrics.contains("continuation")) return "";
  const Json& figures = metrics.at("continuation");
  const auto place = [](const Json& one) {
    return figure(one, "frequency_hz", 1.0, 5) + " Hz, " + figure(one, "amplitude", 1e3, 4) + " mm (mrad)\n";
  };
  std::string text = "points                 " + figure(figures, "points", 1.0, 6) + ", unstable " +
                     figure(figures, "unstable_points", 1.0, 6) + ", not found " +
                     figure(figures, "points_missed", 1.0, 6) + "\n";
  for (const Json& fold : figures.at("folds")) text += "fold                   " + place(fold);
  if (!figures.at("peak").is_null()) text += "peak                   " + place(figures.at("peak"));
  const Json& backbone = figures.at("backbone");
  if (!backbone.at("linear_hz").is_null())
    text += "backbone               f^2 = (" + figure(backbone, "linear_hz", 1.0, 5) + " Hz)^2 + " +
            figure(backbone, "hardening_hz2_per_m2", 1e-6, 4) + " Hz^2/mm^2 a^2\n";
  for (const Json& end : figures.at("ends"))
    text += end.at("path").get<std::string>() + " ends: " + end.at("how").get<std::string>() + "\n";
  return text;
}

/// One line per frequency and per resonance; "" without a frequency sweep.
std::string frequenciesText(const Json& metrics) {
  if (!metrics.contains("frequencies")) return "";
  const auto amplitude = [](const Json& one) {
    for (const auto& [name, value] : one.items())
      if (name.starts_with("motion_1_h")) return name;
    return std::string();
  };
  std::string text = format("%5s %5s %10s %14s %10s %11s %10s\n", "point", "pass", "Hz", "mm (mrad)", "phase, deg",
                            "iterations", "bound, %");
  for (const Json& one : metrics.at("frequencies")) {
    const std::string motion = amplitude(one);
    if (motion.empty()) return "";
    text += format("%5lld %5s %10s %14s %10s %11s %10s", one.value("point", 0LL), figure(one, "pass").c_str(),
                   figure(one, "frequency", 1.0, 6).c_str(), figure(one, motion.c_str(), 1e3, 4).c_str(),
                   figure(one, ("motion_phase" + motion.substr(6)).c_str(), 1.0, 4).c_str(),
                   figure(one, "iterations").c_str(), figure(one, "error_bound_1").c_str()) +
            (one.value("converged", true) ? "\n" : "  not balanced\n");
  }
  for (const Json& one : metrics.value("resonances", Json::array()))
    text += "Resonance of pass " + figure(one, "pass") + " (level " + figure(one, "level") + "): largest at " +
            figure(one, "peak_hz", 1.0, 6) + " Hz, " + figure(one, "peak", 1e3, 4) + " mm (mrad); damping " +
            figure(one, "half_power_percent") + " % by half-power, " + figure(one, "circle_percent") +
            " % by circle fit (" + figure(one, "circle_hz", 1.0, 6) + " Hz)\n";
  return text;
}

}  // namespace

std::string figuresTable(const Json& metrics) {
  const Json interfaces = metrics.value("interfaces", Json::array());
  std::string text = format("%-22s", "interface");
  for (const Json& one : interfaces) text += format(" %14s", one.value("name", std::string()).c_str());
  text += "\n";
  if (metrics.contains("too_short"))
    text += metrics.at("too_short").get<std::string>() + "\n";
  else
    text += rows(interfaces, false);
  text += rows(Json::array({metrics}), true) + trialsText(metrics) + frequenciesText(metrics) + pathsText(metrics);
  for (const Json& sentence : metrics.value("left_out", Json::array()))
    text += "note: " + sentence.get<std::string>() + "\n";
  return text;
}

std::string verdictText(const Json& verdict) {
  std::string text = "ended: " + verdict.value("ended", std::string()) +
                     ", data: " + verdict.value("data", std::string()) +
                     ", test: " + verdict.value("test", std::string()) + "\n";
  for (const Json& reason : verdict.value("reasons", Json::array())) text += "  " + reason.get<std::string>() + "\n";
  return text;
}

namespace {

std::string criticalText(const Json& report) {
  if (!report.contains("critical_delay_s") || report["critical_delay_s"].is_null())
    return "no critical delay below the cut-off\n";
  std::string text = "critical delay " + figure(report, "critical_delay_s", 1e3, 4) + " ms at " +
                     figure(report, "crossing_hz", 1.0, 5) + " Hz";
  if (report.contains("psi") && report["psi"].is_number()) text += ", PSI " + figure(report, "psi");
  if (report.value("entry", Json()) == "cut-off")
    return text +
           "\n  depends on the cut-off: both sides have mass at the interface. Set --cutoff to the highest frequency "
           "that the actuators can follow\n";
  return text + "\n";
}

/// "8.7 Hz (2.7 %), 14.4 Hz (4.4 %)"
std::string modesText(const Json& report, const char* name) {
  const Json &frequencies = report.at("natural_frequencies_hz").at(name),
             &ratios = report.at("damping_ratios").at(name);
  if (frequencies.is_null()) return "not defined: some parts have neither mass nor support";
  std::string text;
  for (std::size_t i = 0; i < frequencies.size(); ++i)
    text += (text.empty() ? "" : ", ") + figureText(frequencies[i].get<double>(), 4) + " Hz (" +
            figureText(100.0 * ratios[i].get<double>()) + " %)";
  return text.empty() ? "none" : text;
}

std::string delaysText(const Json& report) {
  std::string text;
  const Json& alone = report.at("actuator_critical_delays_s");
  for (std::size_t i = 0; i < report.at("actuators").size(); ++i) {
    const Json& actuator = report["actuators"][i];
    text += "  " + actuator.at("dof").get<std::string>() + ": ";
    std::string parts;
    for (const Json& part : actuator.at("parts"))
      parts += (parts.empty() ? "" : ", ") + part.at("name").get<std::string>() +
               format(" %.3f ms", 1e3 * part.at("delay_s").get<double>());
    text += parts + (alone.empty()        ? "\n"
                     : alone[i].is_null() ? "; if only this actuator is delayed, no delay is critical\n"
                                          : "; if only this actuator is delayed, critical at " +
                                                figureText(1e3 * alone[i].get<double>(), 4) + " ms\n");
  }
  return text;
}

std::string stiffnessText(const Json& list) {
  std::string text = "dynamic stiffness at the interface, SI units (re, im):\n";
  for (const Json& point : list) {
    text += format("%10s Hz", figureText(point.at("frequency_hz").get<double>(), 4).c_str());
    for (const char* side : {"numerical", "physical"}) {
      text += format("  %s", side);
      if (point.at(side).is_null()) text += " infinite";
      for (const Json& row : point.at(side).is_null() ? Json::array() : point.at(side))
        for (const Json& value : row)
          text += format(" (%.5g, %.5g)", value.at("re").get<double>(), value.at("im").get<double>());
    }
    text += "\n";
  }
  return text;
}

std::string mapText(const Json& map) {
  std::string text =
      format("%12s %14s %10s %12s %12s\n", "cut at m", "critical ms", "at Hz", "NS held Hz", "PS held Hz");
  for (const Json& point : map) {
    text += format("%12s ", figure(point, "position_m", 1.0, 4).c_str());
    if (point.contains("fault") && point["fault"].is_string())
      text += point["fault"].get<std::string>() + "\n";
    else
      text += format("%14s %10s %12s %12s\n", figure(point, "critical_delay_s", 1e3, 4).c_str(),
                     figure(point, "crossing_hz", 1.0, 4).c_str(), figure(point, "numerical_clamped_hz").c_str(),
                     figure(point, "physical_clamped_hz").c_str());
  }
  return text;
}

std::string springsText(const Json& pistons) {
  std::string text;
  for (const Json& piston : pistons) {
    text += "springs for the piston of " + piston.at("dof").get<std::string>() + ", now " +
            figure(piston, "present_n_per_m", 1e-3) + " N/mm before a specimen of " +
            figure(piston, "specimen_n_per_m", 1e-3) + " N/mm; force " + figure(piston, "force_n") + " N\n" +
            format("%12s %10s %10s %12s %14s %8s\n", "N/mm", "mm", "mm/s", "force to Hz", "uncompensated", "S/N dB");
    for (const Json& one : piston.at("springs"))
      text += format("%12s %10s %10s %12s %14s %8s%s\n", figure(one, "stiffness_n_per_m", 1e-3).c_str(),
                     figure(one, "stroke_m", 1e3).c_str(), figure(one, "velocity_m_per_s", 1e3).c_str(),
                     figure(one, "force_bandwidth_hz").c_str(),
                     figure(one, "force_bandwidth_without_compensation_hz").c_str(),
                     figure(one, "signal_to_noise_db").c_str(), one.at("stable").get<bool>() ? "" : "  unstable");
    text += piston.at("sentence").get<std::string>() + "\n";
  }
  return text;
}

std::string modesTable(const Json& report) {
  return "natural frequencies (damping)\n  whole structure            " + modesText(report, "reference") +
         "\n  computed part              " + modesText(report, "numerical") + "\n  specimen                   " +
         modesText(report, "physical") + "\n  computed, interface held   " + modesText(report, "numerical_clamped") +
         "\n  specimen, interface held   " + modesText(report, "physical_clamped") + "\n";
}

/// Piston motions that a force-based test needs, and those that exceed the pistons.
std::string pistonsText(const Json& report) {
  std::string text;
  for (const Json& piston : report.value("pistons", Json::array()))
    text += "the piston of " + piston.at("dof").get<std::string>() + " needs " + figure(piston, "stroke_m", 1e3) +
            " mm, " + figure(piston, "velocity_m_per_s", 1e3) + " mm/s, " + figure(piston, "force_n") + " N\n";
  if (report.contains("pistons_fault"))
    text += "the required piston motion is unknown: " + report.at("pistons_fault").get<std::string>() + "\n";
  for (const Json& sentence : report.value("pistons_beyond", Json::array())) text += sentence.get<std::string>() + "\n";
  return text;
}

/// Sentences, followed by the effect of response errors as a table: one row per phase, one column per amplitude.
std::string gapLoopText(const Json& loop) {
  std::string text;
  for (const std::string& sentence : gapLoopSentences(loop)) text += sentence + "\n";
  const Json errors = loop.value("errors", Json());
  if (!errors.is_object()) return text;
  const bool grows = errors.contains("growth_per_s");
  text += grows ? "growth (1/s; above 0 it diverges) for a response error: amplitude times ..., phase by ...\n"
                : "remaining share of the gap for a response error: amplitude times ..., phase by ...\n";
  text += "     deg";
  for (const Json& ratio : errors.at("amplitude_ratios"))
    text += format(" %10s", figureText(ratio.get<double>()).c_str());
  text += "\n";
  const Json& rows = errors.at(grows ? "growth_per_s" : "gap_left");
  for (std::size_t t = 0; t < rows.size(); ++t) {
    text += format("%8.0f", errors.at("phase_errors_deg").at(t).get<double>());
    for (const Json& value : rows.at(t))
      text += value.is_null() ? format(" %10s", "-") : format(" %10.3g", value.get<double>());
    text += "\n";
  }
  return text;
}

/// Stable delay intervals beyond the delay margin.
std::string islandsText(const Json& report) {
  const Json intervals = report.value("stable_added_delays_s", Json::array());
  const bool from_none = !intervals.empty() && intervals.front().at("from") == 0.0;
  if (intervals.size() < (from_none ? 2U : 1U)) return {};
  std::string text = "islands of stability: stable with an added delay of ";
  for (std::size_t i = 0; i < intervals.size(); ++i)
    text += (i == 0                     ? ""
             : i + 1 < intervals.size() ? ", "
                                        : " and ") +
            figure(intervals[i], "from", 1e3) + " to " + figure(intervals[i], "to", 1e3) + " ms";
  return text + ", unstable between; analysed up to " + figure(report, "added_delays_to_s", 1e3) + " ms\n";
}

std::string notesText(const Json& report) {
  std::string text;
  for (const Json& remark : report.value("notes", Json::array())) text += "note: " + remark.get<std::string>() + "\n";
  return text;
}

}  // namespace

std::string plantText(const Json& report) {
  std::string text;
  for (const Json& plant : report.at("actuators")) {
    const std::string unit = plant.at("unit");
    text += "plant of " + plant.at("name").get<std::string>() + ": motion over command" +
            (unit.empty() ? "\n" : ", " + unit + "\n");
    for (const char* roots : {"poles", "zeros"}) {
      text += std::string(roots) + ", 1/s" + (plant.at(roots).empty() ? "  none\n" : "\n");
      for (const Json& root : plant.at(roots)) {
        const double re = root.at("re").get<double>(), im = root.at("im").get<double>(), size = std::hypot(re, im);
        if (im < 0.0) continue;  // printed with its conjugate
        text += format("  %10s", figureText(re, 5).c_str()) +
                (im > 0.0 ? format(" +- %10s i", figureText(im, 5).c_str()) : std::string(16, ' ')) +
                format("  %10s Hz", figureText(size / kTwoPi, 5).c_str()) +
                (size > 0.0 ? "  damping " + figureText(-100.0 * re / size + 0.0) + " %\n" : "\n");
      }
    }
    text += (plant.at("gain_at_rest").is_null()
                 ? "no gain at rest"
                 : "gain at rest " + figure(plant, "gain_at_rest", 1.0, 5) + (unit.empty() ? "" : " " + unit)) +
            ", pure delay " + figure(plant, "delay_s", 1e3) + " ms\n";
    const bool reduced = !plant.at("reduced").is_null();
    if (reduced) text += plant.at("reduced").at("sentence").get<std::string>() + "\n";
    text += format("%10s %12s %10s %10s", "Hz", "magnitude", "phase deg", "late by ms") +
            (reduced ? format(" %16s %10s", "reduced: magn.", "late by ms") : "") + "\n";
    for (const Json& row : plant.at("response"))
      text += format("%10s %12s %10s %10s", figure(row, "frequency_hz", 1.0, 4).c_str(),
                     figure(row, "magnitude", 1.0, 5).c_str(), figure(row, "phase_deg", 1.0, 4).c_str(),
                     figure(row, "delay_s", 1e3, 5).c_str()) +
              (reduced ? format(" %16s %10s", figure(row.at("reduced"), "magnitude", 1.0, 5).c_str(),
                                figure(row.at("reduced"), "delay_s", 1e3, 5).c_str())
                       : "") +
              "\n";
  }
  return text + (report.at("without_laws").get<bool>() ? "note: the specimen's laws are left out\n" : "");
}

std::string stabilityText(const Json& report) {
  if (report.contains("led"))
    return report.at("led").at("sentence").get<std::string>() + "\ndelay of each actuator\n" + delaysText(report) +
           modesTable(report) + notesText(report) +
           (report.contains("dynamic_stiffness") ? stiffnessText(report["dynamic_stiffness"]) : std::string());
  if (!report.value("tracks", true))
    return criticalText(report) + gapLoopText(report.value("gap_loop", Json::object())) + modesTable(report) +
           notesText(report);
  std::string text = criticalText(report) + "delay of each actuator\n" + delaysText(report);
  const Json& without = report.at("without_compensation");
  text += "without compensation, up to " + figure(without, "delay_s", 1e3) +
          " ms: " + (without.at("stable").get<bool>() ? "stable\n" : "unstable\n");
  text += "delay analysed " + figure(report, "delay_s", 1e3) +
          " ms: " + (report.value("stable", false) ? "stable\n" : "unstable\n");
  text += report.at("margin_s").is_null() ? "the loop is stable with any additional delay\n"
          : report.at("margin_s").get<double>() <= 0.0
              ? "the loop is unstable without additional delay\n"
              : "the loop tolerates " + figure(report, "margin_s", 1e3) + " ms more on every actuator\n";
  text += islandsText(report);
  if (const Json own = report.value("phase_margin", Json()); own.is_object())
    text += "phase margin of the present loop " + figure(own, "phase_margin_deg") + " deg at " +
            figure(own, "frequency_hz") + " Hz\n";
  for (const Json& margin : report.value("phase_margins", Json::array()))
    text += "phase margin " + figure(margin, "phase_margin_deg") + " deg at " + figure(margin, "frequency_hz") +
            " Hz, tolerates " + figure(margin, "tolerated_delay_s", 1e3) + " ms\n";
  if (report.contains("discrete") && report["discrete"].is_object())
    text += std::string("from tick to tick") +
            (report["discrete"].value("compensated", true) ? "" : ", without compensation") + ": spectral radius " +
            figure(report["discrete"], "spectral_radius", 1.0, 6) + ", " + figure(report["discrete"], "growth_per_s") +
            " 1/s at " + figure(report["discrete"], "frequency_hz") + " Hz\n";
  for (const std::string& sentence : learningSentences(report.value("learning", Json::array())))
    text += sentence + "\n";
  text += modesTable(report) + pistonsText(report) + notesText(report);
  text += "rightmost roots (1/s):\n";
  for (const Json& root : report.value("roots", Json::array()))
    text += format("  %10.4g %+10.4g i\n", root.value("re", 0.0), root.value("im", 0.0));
  if (report.contains("dynamic_stiffness")) text += stiffnessText(report["dynamic_stiffness"]);
  if (report.contains("interface_map")) text += mapText(report["interface_map"]);
  if (report.contains("springs")) text += springsText(report["springs"]);
  return text;
}

}  // namespace hyb::app
