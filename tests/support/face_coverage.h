#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "core/study/face_campaign.h"
#include "core/study/memory_run.h"

namespace hyb::test {

// How often the intervals of FACE hold the reference: campaigns of a shipped template, run by the product, each with a
// seed of its own.

inline const std::vector<std::string> kFaceTemplates{"face-linear", "face-linear-mass", "face-linear-general"};

/// White noise on a sensor, as a share of the largest magnitude that it reads in the best test.
struct FaceNoise {
  const char* name;
  double displacement, force;
};
inline const std::vector<FaceNoise> kFaceNoises{
    {"none", 0.0, 0.0}, {"displacement", 0.01, 0.0}, {"force", 0.0, 0.01}, {"both", 0.01, 0.01}};

/// The template with that noise.
inline Json noisyTemplate(const std::string& name, const FaceNoise& noise) {
  Json document = templateDocument(name);
  const StopToken stop;
  const MemoryRun run = runInMemory(parseProject(document), Pace::free_run, true, stop);
  const auto largest = [&](const std::string& channel) {
    double most = 0.0;
    for (const double value : values(run.trace, channel).value_or(std::vector<double>()))
      most = std::max(most, std::abs(value));
    return most;
  };
  if (noise.displacement > 0.0)
    document["rig"]["displacement_sensor"] = {{"noise_rms_m", noise.displacement * largest("measured_1")}};
  if (noise.force > 0.0) document["rig"]["force_sensor"] = {{"noise_rms_n", noise.force * largest("force_1")}};
  return document;
}

/// What one way of extrapolating did over some campaigns.
struct FaceCoverage {
  int campaigns = 0, carried = 0, holds = 0;
  int with_level = 0, holds_with_level = 0;        // of those that claim to be a confidence interval
  double bias_percent = 0.0, width_percent = 0.0;  // sums; of the reference

  void count(const FacePrediction& prediction, double reference) {
    ++campaigns;
    if (!prediction.carried) return;
    ++carried;
    with_level += prediction.level.has_value();
    const bool held = prediction.interval.holds(reference);
    holds += held;
    holds_with_level += held && prediction.level;
    bias_percent += 100.0 * (prediction.value / reference - 1.0);
    width_percent += 100.0 * (prediction.interval.high - prediction.interval.low) / std::abs(reference);
  }
  void add(const FaceCoverage& other) {
    campaigns += other.campaigns;
    carried += other.carried;
    with_level += other.with_level;
    holds += other.holds;
    holds_with_level += other.holds_with_level;
    bias_percent += other.bias_percent;
    width_percent += other.width_percent;
  }
  double bias() const { return bias_percent / std::max(1, carried); }
  double width() const { return width_percent / std::max(1, carried); }
};
struct FaceCoverages {
  FaceCoverage curve, model;
};

/// Campaigns with the seeds first, first + every, ... below `end`.
inline FaceCoverages faceCoverage(const Json& document, std::uint64_t first, std::uint64_t end, std::uint64_t every,
                                  const std::filesystem::path& folder) {
  FaceCoverages sums;
  Json varied = document;
  for (std::uint64_t seed = first; seed < end; seed += every) {
    varied["rig"]["seed"] = seed;
    const std::filesystem::path file = folder / ("campaign-" + std::to_string(seed) + ".h5");
    const FaceReport report = runFace(parseProject(varied), file).report;
    std::filesystem::remove(file);
    sums.curve.count(report.curve.prediction, report.reference.value());
    sums.model.count(report.model, report.reference.value());
  }
  return sums;
}

}  // namespace hyb::test
