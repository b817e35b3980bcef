#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/fidelity/record.h"
#include "core/study/face_campaign.h"
#include "core/study/memory_run.h"
#include "core/transfer/leg.h"

namespace hyb::test {

// How often the intervals of FACE hold the reference: campaigns run by the product, each with a seed of its own, over
// one list of conditions.

/// A shipped template as it is, or a variant of it that each seed draws anew.
struct FaceCondition {
  std::string name;
  bool varied = false;
  double rate_hz = 1000.0;
  std::string words() const {
    return name + (varied ? ", variants" : "") + (rate_hz == 1000.0 ? ", 1 kHz" : ", 4 kHz");
  }
};
inline std::vector<FaceCondition> faceConditions() {
  std::vector<FaceCondition> list;
  for (const double rate_hz : {1000.0, 4000.0})
    for (const char* name : {"face-linear", "face-linear-mass", "face-linear-general"})
      for (const bool varied : {false, true}) list.push_back({name, varied, rate_hz});
  return list;
}

/// White noise on the sensors, as shares of the rms that they read in the best test.
inline constexpr std::array kFaceNoises{0.0002, 0.0005, 0.001, 0.003, 0.01, 0.03};
struct FaceNoiseOn {
  const char* name;
  double displacement, force;  // 1: this sensor has it
};
inline constexpr std::array<FaceNoiseOn, 3> kFaceNoiseOn{{{"displacement", 1, 0}, {"force", 0, 1}, {"both", 1, 1}}};

/// Another structure, cut and actuator: masses, stiffnesses and dampings times 0.7 to 1.4; a specimen with up to a
/// fifth of the computed damping; a leg with another plant and gains, a servo, or a first-order lag.
inline void drawVariant(Json& document, std::mt19937_64& engine) {
  const auto between = [&](double low, double high) {
    return low + (high - low) * std::uniform_real_distribution<double>()(engine);
  };
  Json& structure = document["structure"];
  Json& computed = structure["links"][0];
  Json& specimen = document["partition"]["physical"];
  const auto held = [&](const char* key) { return specimen.contains(key) ? specimen[key][0][0].get<double>() : 0.0; };
  const double mass = held("m") * between(0.7, 1.4), stiffness = held("k") * between(0.7, 1.4);
  const double own_mass = structure["masses"][0]["mass_kg"].get<double>() - held("m");
  const double damping = computed["damping_n_s_per_m"].get<double>() * between(0.7, 1.4), share = between(0.0, 0.2);
  structure["masses"][0]["mass_kg"] = mass + own_mass * between(0.7, 1.4);
  computed["stiffness_n_per_m"] = computed["stiffness_n_per_m"].get<double>() * between(0.7, 1.4);
  computed["damping_n_s_per_m"] = damping;
  structure["links"] = {computed,
                        {{"name", "specimen"},
                         {"from", "ground"},
                         {"to", "z"},
                         {"stiffness_n_per_m", stiffness},
                         {"damping_n_s_per_m", share * damping}}};
  specimen = {{"dofs", {"z"}}, {"c", {{share * damping}}}};
  if (mass > 0.0) specimen["m"] = {{mass}};
  if (stiffness > 0.0) specimen["k"] = {{stiffness}};
  Json& actuator = document["rig"]["actuators"][0];
  switch (engine() % 3) {
    case 0: {
      const LegPlant& plant = kLegPlants[engine() % kLegPlants.size()];
      actuator["plant_gain_m_per_a_s2"] = plant.gain_m_per_a_s2;
      actuator["plant_pole_per_s"] = plant.pole_per_s;
      actuator["position_gain_per_s"] = between(70.0, 110.0);
      break;
    }
    case 1:
      actuator = {{"model", "servo"},
                  {"natural_frequency_hz", between(15.0, 40.0)},
                  {"damping_ratio", between(0.6, 1.0)},
                  {"delay_s", between(0.0, 0.004)}};
      break;
    default:
      actuator = {{"model", "first-order"}, {"lag_s", between(0.004, 0.012)}, {"delay_s", between(0.0, 0.004)}};
  }
  document["analysis"]["face"].erase("values");
}

/// The project of a campaign without noise. A variant whose loop is unstable is drawn again.
inline Json faceDocument(const FaceCondition& condition, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  for (int draws = 0;; ++draws) {
    Json document = templateDocument(condition.name);
    document["loop"]["rate_hz"] = condition.rate_hz;
    document["rig"]["seed"] = seed;
    document["analysis"]["face"]["bootstraps"] = 100;
    Json limits = Json::array();  // without that of the velocity, which differentiates the noise
    for (const Json& limit : document["safety"]["limits"])
      if (limit["quantity"] != "velocity") limits.push_back(limit);
    document["safety"]["limits"] = limits;
    if (!condition.varied) return document;
    drawVariant(document, engine);
    try {
      planFace(parseProject(document));
      return document;
    } catch (const InputError&) {  // unstable without any added delay
      if (draws == 20) throw;
    }
  }
}

inline void addNoise(Json& document, double displacement, double force) {
  const StopToken stop;
  const Table trace = runInMemory(parseProject(document), Pace::free_run, true, stop).trace;
  const auto share = [&](const char* channel, double of_rms) {
    const std::optional<std::vector<double>> found = values(trace, channel);
    return found ? of_rms * hyb::rms(*found) : kNoValue;
  };
  if (displacement > 0.0) document["rig"]["displacement_sensor"] = {{"noise_rms_m", share("measured_1", displacement)}};
  if (force > 0.0) document["rig"]["force_sensor"] = {{"noise_rms_n", share("force_1", force)}};
}

/// What one way of extrapolating did over some campaigns.
struct FaceCoverage {
  int campaigns = 0, carried = 0, holds = 0;
  int with_level = 0, holds_with_level = 0;        // of those that claim to be a confidence interval
  double bias_percent = 0.0, width_percent = 0.0;  // sums; of the reference
  double most_percent = 0.0;                       // largest deviation
  double relative_squares = 0.0;                   // sum; deviations over half of the interval, of those with a level

  void count(const FacePrediction& prediction, double reference) {
    ++campaigns;
    if (!prediction.carried) return;
    ++carried;
    with_level += prediction.level.has_value();
    const bool held = prediction.interval.holds(reference);
    holds += held;
    holds_with_level += held && prediction.level;
    const double off_percent = 100.0 * (prediction.value / reference - 1.0);
    bias_percent += off_percent;
    most_percent = std::max(most_percent, std::abs(off_percent));
    const double width = prediction.interval.high - prediction.interval.low;
    width_percent += 100.0 * width / std::abs(reference);
    if (prediction.level) relative_squares += std::pow((prediction.value - reference) / (0.5 * width), 2);
  }
  void add(const FaceCoverage& other) {
    campaigns += other.campaigns;
    carried += other.carried;
    with_level += other.with_level;
    holds += other.holds;
    holds_with_level += other.holds_with_level;
    bias_percent += other.bias_percent;
    width_percent += other.width_percent;
    relative_squares += other.relative_squares;
    most_percent = std::max(most_percent, other.most_percent);
  }
  double width() const { return width_percent / std::max(1, carried); }
  /// rms of the deviations over half of the interval; 1 / 1.96 = 0.51 for a normal deviation and intervals of 95 %.
  double relative() const { return std::sqrt(relative_squares / std::max(1, with_level)); }
};
struct FaceCoverages {
  FaceCoverage curve, model;
  void add(const FaceCoverages& other) {
    curve.add(other.curve);
    model.add(other.model);
  }
};

/// One campaign with noise of these shares.
inline void faceCampaign(const FaceCondition& condition, double displacement, double force, std::uint64_t seed,
                         const std::filesystem::path& folder, FaceCoverages& sums) {
  Json document = faceDocument(condition, seed);
  addNoise(document, displacement, force);
  const std::filesystem::path file = folder / ("campaign-" + std::to_string(seed) + ".h5");
  const FaceReport report = runFace(parseProject(document), file).report;
  std::filesystem::remove(file);
  const double reference = report.reference.value_or(kNoValue);  // none: no test was carried out
  sums.curve.count(report.curve.prediction, reference);
  sums.model.count(report.model, reference);
}

/// False where so few of `claims` intervals of 95 % would hold with a chance of less than one in a hundred if 90 % did,
/// and, of 100 or more, where less than 90 of 100 hold.
inline bool honestLevel(int holds, int claims) {
  if (claims >= 100) return 100 * holds >= 90 * claims;
  double chance = 0.0, of = std::pow(0.1, claims);  // binomial: none of them
  for (int k = 0; k <= holds; ++k) {
    chance += of;
    of *= 9.0 * (claims - k) / (k + 1.0);
  }
  return chance >= 0.01;
}

}  // namespace hyb::test
