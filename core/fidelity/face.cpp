#include "core/fidelity/face.h"

#include <algorithm>
#include <cmath>

#include "core/base/checks.h"
#include "core/base/figure_text.h"
#include "core/fidelity/resample.h"

namespace hyb {
namespace {

constexpr double kLongReach = 0.5;  // least error over range of errors: above it a doubt
constexpr double kMostReach = 2.0;  // likewise: above it no extrapolation

/// Three digits: an extrapolation is not more accurate.
std::string shortText(double value, const std::string& unit) {
  if (value == 0.0 || !std::isfinite(value)) return Checks::text(value, unit);
  const double unit_digit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 2.0);
  return Checks::text(std::round(value / unit_digit) * unit_digit, unit);
}

std::vector<FacePoint> picked(std::span<const FacePoint> points, const std::vector<std::size_t>& indices) {
  std::vector<FacePoint> list;
  for (const std::size_t index : indices) list.push_back(points[index]);
  return list;
}

/// Least error over range of errors.
double reachOf(std::span<const FacePoint> points) {
  const auto [least, most] =
      std::minmax_element(points.begin(), points.end(), [](auto& a, auto& b) { return a.error < b.error; });
  return least->error / (most->error - least->error);
}

std::string timesRange(double reach) {
  return "the least error is " + shortText(reach, "") + " times the range of the tested errors";
}

/// The requested curve, or the best admitted one of the scale.
std::optional<FaceFit> chosen(std::span<const FacePoint> points, const FaceSettings& settings,
                              const std::vector<FaceFit>& family) {
  if (!settings.powers.empty()) return fitFace(points, settings.scale, settings.powers, settings.rules);
  std::optional<FaceFit> best;
  for (const FaceFit& fit : family)
    if (fit.scale == settings.scale && fit.admitted() && (!best || fit.score < best->score)) best = fit;
  return best;
}

/// Change of the value at error 0 with the degree: the step from the neighbouring degree to this one. It represents the
/// terms that no fit to these tests can resolve (like the embedded estimate of an integrator).
double degreeStep(std::span<const FacePoint> points, const FaceFit& curve) {
  if (curve.powers.size() == 1) return 0.0;
  std::vector<int> other = curve.powers;
  if (other.size() > 2)
    other.pop_back();
  else
    other.push_back(other.back() + 1);
  if (other.size() >= points.size()) return 0.0;
  return std::abs(curve.at(0.0) - fitFace(points, curve.scale, other, {}).at(0.0));
}

void predict(std::span<const FacePoint> points, const FaceSettings& settings, FaceAssessment& result) {
  FacePrediction& prediction = result.prediction;
  prediction.why_not = faultOf(points);
  if (!prediction.why_not.empty()) return;
  result.reach = reachOf(points);
  if (result.reach > kMostReach) {
    result.low_confidence = true;
    result.doubts.push_back(timesRange(result.reach));
    prediction.why_not = "Long extrapolation, low confidence: " + result.doubts.back() +
                         " (limit: " + shortText(kMostReach, "") +
                         " times). Reduce the error of the best test, or vary more.";
    return;
  }
  result.family = faceFamily(points, settings.rules);
  try {
    result.fit = chosen(points, settings, result.family);
  } catch (const InputError& error) {
    prediction.why_not = "The requested curve cannot be fitted: " + error.issues().front().message;
    return;
  }
  if (!result.fit) {
    prediction.why_not =
        "No curve within the constraints fits these tests; add tests near the least error, exclude outliers with a "
        "reason, or relax the constraints.";
    return;
  }
  if (!result.fit->admitted()) {
    prediction.why_not = "The requested curve (" + result.fit->words() + ") " + result.fit->refused +
                         " Choose another degree, or leave it open.";
    return;
  }
  prediction.carried = true;
  prediction.range_because =
      "no fit can determine the curve below the least error, or errors of the transfer system that are not on the axis";
  prediction.value = result.fit->at(0.0);
  const FaceFit& curve = *result.fit;
  const Figure again = [&](const std::vector<std::size_t>& tests) {
    return refittedAtZero(picked(points, tests), curve);
  };
  prediction.bootstrap = bootstrap(points.size(), settings.bootstraps, settings.seed, again);
  const auto [low, high] = scatterAtZero(points, curve);
  prediction.scatter = {low, high};
  prediction.leave_one_out = leaveOneOut(points.size(), again);
  prediction.spread = {prediction.value, prediction.value};
  for (const FaceFit& fit : result.family)
    if (fit.admitted()) prediction.spread = together(prediction.spread, {fit.at(0.0), fit.at(0.0)});
  prediction.spread = together(prediction.spread, {curve.at(-settings.hidden_error), curve.at(-settings.hidden_error)});
  const double step = degreeStep(points, curve);
  prediction.spread = together(prediction.spread, {prediction.value - step, prediction.value + step});
  prediction.interval = together(together(prediction.bootstrap, prediction.scatter),
                                 together(prediction.leave_one_out, prediction.spread));
  if (settings.reference)
    prediction.error_percent = 100.0 * std::abs(prediction.value - *settings.reference) / std::abs(*settings.reference);
}

std::string told(const FacePrediction& prediction, const std::string& units) {
  const FaceInterval& interval = prediction.interval;
  const double largest = std::max({std::abs(interval.low), std::abs(interval.high), std::abs(prediction.value)});
  const auto text = [&](double value) { return quantityText(value, units, 3, largest); };
  return text(prediction.value) + " (" + text(interval.low) + " to " + text(interval.high) + ")";
}

bool contradict(const FacePrediction& curve, const FacePrediction& model) {
  return model.carried && model.interval.known() &&
         (model.interval.low > curve.interval.high || model.interval.high < curve.interval.low);
}

double percentOf(double value, double of) { return 100.0 * std::abs(value - of) / std::abs(of); }

void doubt(std::span<const FacePoint> points, const FaceSettings& settings, const FacePrediction* other,
           FaceAssessment& result) {
  const auto [low, high] =
      std::minmax_element(points.begin(), points.end(), [](auto& a, auto& b) { return a.quantity < b.quantity; });
  const FacePrediction& prediction = result.prediction;
  if (result.reach > kLongReach) result.doubts.push_back(timesRange(result.reach));
  if (settings.bootstraps > 0 && !prediction.bootstrap.known())
    result.doubts.push_back("only " + std::to_string(points.size()) + " tests: no resampling possible");
  if (std::abs(result.measured - prediction.value) > high->quantity - low->quantity)
    result.doubts.push_back("the quantity changes more between the least error and error 0 than over all tests");
  const double width = 100.0 * (prediction.spread.high - prediction.spread.low) / std::abs(prediction.value);
  if (width > settings.tolerance_percent)
    result.doubts.push_back("curves that fit the tests about equally well differ by up to " +
                            Checks::text(std::round(width), "%") + " at error 0");
  if (other != nullptr && contradict(prediction, *other))
    result.doubts.push_back("the structural model contradicts: it gives " + told(*other, settings.units));
  result.low_confidence = !result.doubts.empty();
}

/// The way that was used.
std::string wayOf(const FacePrediction* other, const FaceAssessment& result) {
  if (result.rests_on_model) return "This rests on the structural model (" + intervalWords(*other) + ").";
  return "This rests on the curve (" + result.fit->words() + ") at error 0; its interval is a range, without a level.";
}

/// Assumptions of the way that was used, the other way, all doubts.
std::vector<std::string> detailsOf(const FaceSettings& settings, const FacePrediction* other,
                                   const FaceAssessment& result) {
  const FacePrediction& curve = result.prediction;
  std::vector<std::string> details;
  if (result.rests_on_model) {
    details.push_back(
        "The structural model assumes that the specimen is one mass, spring and damper at the interface, equal in all "
        "tests, that the computed side is as in the project, and that the noise of the sensors is white.");
    details.push_back("The curve (" + result.fit->words() + ") gives " + told(curve, settings.units) + ", " +
                      intervalWords(curve) + ".");
  } else {
    details.push_back(
        "The curve assumes that the varied value is the only error and that the curve continues as over the tests. Its "
        "interval is " +
        intervalWords(curve) + ".");
    if (other != nullptr && other->carried)
      details.push_back("The structural model gives " + told(*other, settings.units) + ", " + intervalWords(*other) +
                        ".");
    else if (other != nullptr && !other->why_not.empty())
      details.push_back("The structural model gives no result. " + other->why_not);
  }
  for (const std::string& doubt : result.doubts)
    details.push_back((result.rests_on_model ? "Doubt of the curve: " : "Doubt: ") + doubt + ".");
  return details;
}

/// Accepted or rejected only if the whole interval agrees; accepted only without a doubt. Doubts of the curve count if
/// the verdict rests on it.
void judge(const FaceSettings& settings, const FacePrediction* other, FaceAssessment& result) {
  const FacePrediction& basis = result.rests_on_model ? *other : result.prediction;
  const bool doubted = result.low_confidence && !result.rests_on_model;
  const auto off = [&](double value) { return percentOf(result.measured, value); };
  const bool holds = basis.interval.holds(result.measured);
  const double least = holds ? 0.0 : std::min(off(basis.interval.low), off(basis.interval.high));
  const double most = std::max(off(basis.interval.low), off(basis.interval.high));
  const bool across = basis.interval.low < 0.0 && basis.interval.high > 0.0;
  const bool within = !across && most <= settings.tolerance_percent;
  std::string word;
  if (within && !doubted) {
    result.verdict = FaceVerdict::accepted;
    word = "Accepted";
  } else if (!across && least > settings.tolerance_percent) {
    result.verdict = FaceVerdict::rejected;
    word = "Rejected";
  } else {
    result.verdict = FaceVerdict::undecided;
    word = "Not decided";
  }
  result.sentence = word + ": the error of the best test is about " + shortText(result.error_percent, "%") +
                    "; the tolerance is " + Checks::text(settings.tolerance_percent, "%") + ".";
  result.reasons = {"The best test gives " +
                        quantityText(result.measured, settings.units, 3, std::abs(basis.interval.high)) +
                        ", the error-free test would give " + told(basis, settings.units) + ".",
                    wayOf(other, result)};
  if (doubted)
    result.reasons.push_back(
        std::string(within ? "This is within the tolerance, but too uncertain to accept the test. " : "") +
        (result.reach > kLongReach ? "Long extrapolation, low confidence: " : "Low confidence: ") +
        result.doubts.front() + ".");
  else if (result.verdict == FaceVerdict::undecided)
    result.reasons.push_back("The interval extends to both sides of the tolerance. Add tests with less error.");
  result.details = detailsOf(settings, other, result);
}

}  // namespace

std::string FaceAssessment::text() const {
  std::string all = sentence;
  for (const auto* lines : {&reasons, &details})
    for (const std::string& line : *lines) all += "\n" + line;
  return all;
}

std::string intervalWords(const FacePrediction& prediction) {
  return prediction.level ? Checks::text(100.0 * *prediction.level, "%") + " confidence interval"
                          : "a range, not a confidence interval: " + prediction.range_because;
}

FaceAssessment assessFace(std::span<const FacePoint> points, const FaceSettings& settings,
                          const FacePrediction* other) {
  FaceAssessment result;
  for (const FacePoint& point : points)
    if (!(point.error >= result.least_error)) {  // the first too, against NaN
      result.least_error = point.error;
      result.measured = point.quantity;
    }
  if (settings.reference) result.true_error_percent = percentOf(result.measured, *settings.reference);
  predict(points, settings, result);
  if (!result.prediction.carried) {
    result.sentence = "No prediction. " + result.prediction.why_not;
    return result;
  }
  FacePrediction& curve = result.prediction;
  result.rests_on_model = other != nullptr && other->carried && other->level && !contradict(curve, *other);
  doubt(points, settings, other, result);
  if (other != nullptr && other->carried) curve.interval = together(curve.interval, other->interval);
  const double error_free = result.rests_on_model ? other->value : curve.value;
  result.error = std::abs(result.measured - error_free);
  result.error_percent = percentOf(result.measured, error_free);
  judge(settings, other, result);
  return result;
}

}  // namespace hyb
