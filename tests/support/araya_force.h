#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "core/fidelity/frequency_index.h"
#include "core/project/families.h"
#include "core/project/project.h"
#include "core/study/memory_run.h"
#include "tests/support/family_example.h"
#include "tests/support/template_run.h"
#include "tests/support/values.h"

// The force-based loop of Araya 2023, from the template as shipped to the figures of the thesis.

namespace hyb::test {

constexpr double kThesisSpring_n_per_m = 541800.0, kThesisRate_hz = 4096.0, kThesisConverter_m = 0x1p-18;

struct ForceCase {
  Json compensation = {{"method", "none"}};
  bool displacement_noise = false, force_noise = false, noise_at_piston = true;
  double actual_spring = 1.0;   // over the nominal one
  double nominal_spring = 1.0;  // over the thesis'
  double rate_hz = kThesisRate_hz;
  unsigned seed = 1;
  bool limit_acts = false;  // on the piston's velocity, 300 mm/s
  double scale = 0.8, seconds = 40.0;
  bool measured = false;  // what `metrics` says, too
};

/// The template on a ground that moves as a record says.
inline Json documentOf(const ForceCase& one, const std::string& record) {
  Json document = templateDocument("force-shear-building");
  document["excitation"]["signals"] = Json::array({Json{{"name", "ground"},
                                                        {"kind", "ground-motion"},
                                                        {"file", record},
                                                        {"output", "acceleration"},
                                                        {"scale", one.scale}}});
  document["excitation"]["loads"][0]["signal"] = "ground";
  document["compensation"] = one.compensation;
  document["loop"]["rate_hz"] = one.rate_hz;
  document["loop"]["duration_s"] = one.seconds;
  document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.0;
  document["analysis"]["start_s"] = 0.0;
  Json& rig = document["rig"];
  rig["seed"] = one.seed;
  if (!one.displacement_noise) rig.erase("displacement_sensor");
  if (!one.force_noise) rig.erase("force_sensor");
  Json& actuator = rig["actuators"][0];
  for (const char* limit : {"stroke_m", "velocity_limit_m_per_s", "force_limit_n"}) actuator.erase(limit);
  const double nominal = one.nominal_spring * kThesisSpring_n_per_m;
  document["coupling"]["spring_n_per_m"] = nominal;
  // The thesis limits what the piston does; a derivative of the target may ask for more for a tick.
  for (Json& limit : document["safety"]["limits"])
    if (limit["quantity"] == "command" || (limit["quantity"] == "velocity" && !one.limit_acts))
      limit["action"] = "indicate";
  actuator["spring"] = {{"stiffness_n_per_m", one.actual_spring * nominal},
                        {"noise_loads_piston", one.noise_at_piston}};
  return document;
}

/// No compensation. The thesis' command follows its target between ticks, too: half a tick of hold is made up for.
inline Json unheld() {
  return {{"method", "forward-prediction"}, {"points", 2}, {"order", 1}, {"prediction_ticks", 0.5}};
}
inline Json inverse() { return templateDocument("force-shear-building").at("compensation"); }
inline Json adaptive(double quantum_m = 0.0) {
  Json settings = exampleOf(branchOf("compensation", "adaptive-inverse-model"));
  settings["quantum_m"] = quantum_m;
  return settings;
}

inline double sharePercent(const std::vector<double>& wanted, const std::vector<double>& got) {
  double gap = 0.0, all = 0.0;
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    gap += (got[k] - wanted[k]) * (got[k] - wanted[k]);
    all += wanted[k] * wanted[k];
  }
  return 100.0 * std::sqrt(gap / all);
}

/// Over the whole run, which ends at rest; zeros after it make a length that the transform takes quickly.
inline FrequencyIndex indexOf(std::vector<double> wanted, std::vector<double> got, double rate_hz = kThesisRate_hz) {
  constexpr std::size_t kPiece = 65536;
  const std::size_t length = (wanted.size() + kPiece - 1) / kPiece * kPiece;
  wanted.resize(length);
  got.resize(length);
  return frequencyIndex(wanted, got, 1.0 / rate_hz).value();
}
struct ForceFigures {
  EndReason ended = EndReason::running;
  double rate_hz = kThesisRate_hz;
  double j2 = 0.0, a2 = 0.0;                               // %
  double piston_mps = 0.0, stroke_m = 0.0, force_n = 0.0;  // peaks
  std::vector<std::vector<double>> adapted;                // [coefficient][row]
  std::vector<double> piston_target, command, measured, target, force, specimen;
  Json measures;  // of the interface

  double delay_s() const { return indexOf(piston_target, measured, rate_hz).delay_s; }
  double forceDelay_s() const { return indexOf(target, force, rate_hz).delay_s; }
};

/// Largest velocity at a tick, by differences of fourth order: that over one tick, of half a tick before, loses a
/// hundredth of what the oil column rings with.
inline double peakVelocity(const std::vector<double>& x, double rate_hz) {
  double peak = 0.0;
  for (std::size_t k = 4; k < x.size(); ++k)
    peak = std::max(peak, std::abs(8.0 * (x[k - 1] - x[k - 3]) - (x[k] - x[k - 4])));
  return peak * rate_hz / 12.0;
}

inline ForceFigures runForce(const ForceCase& one, const std::string& record) {
  static const StopToken never;
  const MemoryRun run =
      runInMemory(parseProject(documentOf(one, record)), Pace::free_run, true, never, one.measured, {}, one.measured);
  if (run.reason != EndReason::completed && !one.limit_acts) qFatal("%s", run.stop_reason.c_str());
  const auto channel = [&](const std::string& name) {
    std::vector<double> all = values(run.trace, name).value_or(std::vector<double>());
    all.resize(std::min(all.size(), static_cast<std::size_t>(one.seconds * one.rate_hz)));  // not the stop
    return all;
  };
  ForceFigures figures;
  figures.ended = run.reason;
  figures.rate_hz = one.rate_hz;
  if (one.measured) figures.measures = run.metrics.at("interfaces").at(0).at("measures");
  figures.piston_target = channel("piston_target_1");
  figures.command = channel("command_1");
  figures.measured = channel("measured_1");
  figures.target = channel("target_1");
  figures.force = channel("force_1");
  figures.specimen = channel("specimen_1");
  for (const char* name : {"a0_1", "a1_1", "a2_1", "a3_1"}) figures.adapted.push_back(channel(name));
  figures.j2 = sharePercent(figures.piston_target, figures.measured);
  figures.a2 = sharePercent(figures.target, figures.force);
  figures.piston_mps = peakVelocity(figures.measured, one.rate_hz);
  figures.stroke_m = peak(figures.measured);
  figures.force_n = peak(figures.force);
  return figures;
}

}  // namespace hyb::test
