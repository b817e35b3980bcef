#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/face_fit.h"

namespace hyb {

/// Settings of the extrapolation to the error-free test and of the verdict.
struct FaceSettings {
  FaceScale scale = FaceScale::linear;
  std::vector<int> powers;  // of the curve; empty: the best admitted ones of this scale
  FaceRules rules;
  double tolerance_percent = 10.0;  // accepted error of the least-error test
  int bootstraps = 400;
  std::uint64_t seed = 1;
  double hidden_error = 0.0;        // not visible in the points, in their unit: the range also covers the curve there
  std::optional<double> reference;  // quantity of the error-free test, if known
  std::string units;                // of the quantity, for the sentences
};

struct FaceInterval {
  double low = kNoValue, high = kNoValue;
  bool known() const noexcept { return low <= high; }
  bool holds(double value) const noexcept { return low <= value && value <= high; }
};

constexpr double kFaceLevel = 0.95;  // of the confidence intervals

/// Quantity of the error-free test. Must not be shown unless `carried` is true.
struct FacePrediction {
  bool carried = false;
  std::string why_not;  // one sentence, with the remedy
  double value = kNoValue;
  FaceInterval interval;
  // Probability that the interval contains the truth, over many campaigns; none: it is a range, not a confidence
  // interval, and range_because is the reason (half a sentence).
  std::optional<double> level;
  std::string range_because;
  // Contents of a range. Curve: 95 % of resampled tests, 95 % by the scatter about the curve, each test left out,
  // admitted curves with the step from the neighbouring degree, and the hidden error. Model: 95 % by its scatter, and
  // the results of any four neighbouring tests.
  FaceInterval bootstrap, scatter, leave_one_out, spread;
  std::optional<double> error_percent;  // |value - reference| / |reference|
};

/// Description of the interval, half a sentence: "95 % confidence interval", or a range and the reason.
std::string intervalWords(const FacePrediction& prediction);

/// Accepted requires an interval within the tolerance and no doubt; rejected, an interval outside of it.
enum class FaceVerdict : std::uint8_t { none, accepted, rejected, undecided };

struct FaceAssessment {
  FacePrediction prediction;
  std::optional<FaceFit> fit;   // its curve; also a refused one that was requested
  std::vector<FaceFit> family;  // all tried curves, refused ones with their reason
  bool rests_on_model = false;  // the verdict and the errors below; otherwise they rest on the curve
  // The present test with the least error:
  double least_error = kNoValue;
  double measured = kNoValue;  // its quantity
  double error = kNoValue;     // |measured - error-free|, unit of the quantity
  double error_percent = kNoValue;
  std::optional<double> true_error_percent;  // against the reference
  double reach = 0.0;                        // least error over the range of errors: length of the extrapolation
  bool low_confidence = false;
  std::vector<std::string> doubts;  // reasons for low confidence, one sentence each
  FaceVerdict verdict = FaceVerdict::none;
  std::string sentence;              // the verdict
  std::vector<std::string> reasons;  // at most three: both results, the way that was used, the most important doubt
  std::vector<std::string> details;  // assumptions, the other way, all doubts
  /// All of it, each on its own line.
  std::string text() const;
};

/// Extrapolates to e = 0 and judges the test with the least error. Never throws because of the tests: the reason for a
/// failed extrapolation is in prediction.why_not. `other` is the result of the structural model for the same tests: the
/// verdict rests on it if it has a level and does not contradict the curve; a contradiction is a doubt. The curve's
/// interval is always a range: no fit can determine the curve where there are no tests, or errors of the transfer
/// system that are not on the axis; it also contains the model's interval. Same input = same numbers.
FaceAssessment assessFace(std::span<const FacePoint> points, const FaceSettings& settings,
                          const FacePrediction* other = nullptr);

}  // namespace hyb
