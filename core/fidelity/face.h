#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/face_fit.h"

namespace hyb {

/// How tests are extrapolated to the error-free one, and judged.
struct FaceSettings {
  FaceScale scale = FaceScale::linear;
  std::vector<int> powers;  // of the curve; empty: the best of the admitted ones of this scale
  FaceRules rules;
  double tolerance_percent = 10.0;  // accepted error of the least-error test
  int bootstraps = 400;
  std::uint64_t seed = 1;
  double hidden_error = 0.0;        // that the points do not show, in their unit: the range holds the curve there too
  std::optional<double> reference;  // quantity of the error-free test, where it is known
  std::string units;                // of the quantity, for the sentences
};

struct FaceInterval {
  double low = kNoValue, high = kNoValue;
  bool known() const noexcept { return low <= high; }
  bool holds(double value) const noexcept { return low <= value && value <= high; }
};

constexpr double kFaceLevel = 0.95;  // of the intervals that have one

/// Quantity of the error-free test. Nothing of it is to be shown unless it is carried.
struct FacePrediction {
  bool carried = false;
  std::string why_not;  // one sentence, with the remedy
  double value = kNoValue;
  FaceInterval interval;
  // How often, over many campaigns, the interval holds the truth; none: it is a range, not a confidence interval, and
  // range_because says why (half a sentence).
  std::optional<double> level;
  std::string range_because;
  // What a range holds. Curve: 95 % of resampled tests, 95 % by the scatter about the curve, each test left out,
  // admitted curves with the step from the neighbouring degree and what the rows hide. Model: 95 % by its scatter, and
  // what any four neighbouring tests give.
  FaceInterval bootstrap, scatter, leave_one_out, spread;
  std::optional<double> error_percent;  // |value - reference| / |reference|
};

/// What its interval is, half a sentence: "95 % confidence interval", or a range and why.
std::string intervalWords(const FacePrediction& prediction);

/// Accepted takes an interval within the tolerance and no doubt; rejected, one that lies outside of it.
enum class FaceVerdict : std::uint8_t { none, accepted, rejected, undecided };

struct FaceAssessment {
  FacePrediction prediction;
  std::optional<FaceFit> fit;   // the curve behind it; also a refused one that was asked for
  std::vector<FaceFit> family;  // everything tried, refused ones with their reason
  bool rests_on_model = false;  // the verdict, and the errors below; else they rest on the curve
  // The test with the least error, as it is today:
  double least_error = kNoValue;
  double measured = kNoValue;  // its quantity
  double error = kNoValue;     // |measured - error-free|, unit of the quantity
  double error_percent = kNoValue;
  std::optional<double> true_error_percent;  // against the reference
  double reach = 0.0;                        // least error over the range of errors: how far the extrapolation goes
  bool low_confidence = false;
  std::vector<std::string> doubts;  // why the confidence is low, one sentence each
  FaceVerdict verdict = FaceVerdict::none;
  std::string sentence;  // the verdict in words, doubts included
};

/// Extrapolates to e = 0 and judges the test with the least error. Never throws for what the tests are: what does not
/// carry an extrapolation is said in prediction.why_not. `other` is what the structural model gives for the same tests:
/// the verdict rests on it where it has a level and does not contradict the curve; one that contradicts is a doubt. The
/// curve's interval is a range always: no fit can tell how a curve goes on where there are no tests, nor what the
/// transfer system misses beside the error on the axis; it holds the model's interval too. Same input = same numbers.
FaceAssessment assessFace(std::span<const FacePoint> points, const FaceSettings& settings,
                          const FacePrediction* other = nullptr);

}  // namespace hyb
