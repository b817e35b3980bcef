#include "core/fidelity/face_model.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "core/fidelity/decaying_sine.h"
#include "core/fidelity/record.h"
#include "core/fidelity/resample.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr std::size_t kFewestModelTests = 4;
constexpr double kLeastExplainedTarget = 0.9;  // of the target's variance by one decaying sine

/// Least squares of offset + Re(c e^(s t)) with the pole known: offset, c.
std::pair<double, Complex> startOf(std::span<const double> samples, Complex pole, double step_s) {
  const auto n = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd base(n, 3);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Complex now = std::exp(pole * (step_s * static_cast<double>(k)));
    base.row(k) << 1.0, now.real(), -now.imag();
  }
  const Eigen::Vector3d fit = base.colPivHouseholderQr().solve(Eigen::Map<const Eigen::VectorXd>(samples.data(), n));
  return {fit[0], {fit[1], fit[2]}};
}

/// s^2 + two_a s + b + (kappa + mu s^2) r = 0, s in multiples of `unit`, which keeps the columns of one size.
struct Model {
  double unit, two_a, b, kappa, mu;
  /// Derivative by s where the transfer system is close to a delay: r'(s) = -tau r with tau = -ln(r) / s.
  Complex slope(Complex s, Complex r) const {
    return 2.0 * s + two_a + 2.0 * mu * s * r + (kappa + mu * s * s) * r * std::log(r) / s;
  }
};

/// Least squares over both parts of the equation.
std::optional<Model> fitModel(std::span<const FacePole> tests) {
  const auto n = static_cast<Eigen::Index>(tests.size());
  Eigen::MatrixXd rows(2 * n, 4);
  Eigen::VectorXd right(2 * n);
  const double unit = std::abs(tests.front().pole);
  for (Eigen::Index i = 0; i < n; ++i) {
    const FacePole& test = tests[static_cast<std::size_t>(i)];
    const Complex s = test.pole / unit, r = test.ratio, terms[4] = {s, 1.0, r, s * s * r};
    for (Eigen::Index j = 0; j < 4; ++j) {
      rows(2 * i, j) = terms[j].real();
      rows(2 * i + 1, j) = terms[j].imag();
    }
    right[2 * i] = -(s * s).real();
    right[2 * i + 1] = -(s * s).imag();
  }
  const Eigen::Vector4d fit = rows.completeOrthogonalDecomposition().solve(right);
  if (!fit.allFinite()) return std::nullopt;
  return Model{unit, fit[0], fit[1], fit[2], fit[3]};
}

/// The free oscillation at r = 1. Its start follows from the residue start_z = E(s) / slope(s): the excitation E, a
/// blow (constant) or a step (as 1 / s), is taken as whichever the tests agree on better.
std::optional<FaceMotion> motionAtOne(std::span<const FacePole> tests) {
  const std::optional<Model> model = fitModel(tests);
  if (!model) return std::nullopt;
  const double mass = 1.0 + model->mu, stiffness = model->b + model->kappa;
  const Complex root = std::sqrt(Complex(model->two_a * model->two_a - 4.0 * mass * stiffness, 0.0));
  if (!(mass > 0.0) || !(stiffness > 0.0) || !(root.imag() > 0.0)) return std::nullopt;
  const Complex one = (-model->two_a + root) / (2.0 * mass);
  FaceMotion motion{model->unit * one, 0.0, 0.0};
  const auto count = static_cast<double>(tests.size());
  double least = std::numeric_limits<double>::infinity();
  for (const int power : {0, 1}) {
    Complex mean = 0.0;
    double squares = 0.0;
    for (const FacePole& test : tests) {
      const Complex s = test.pole / model->unit;
      const Complex blow = test.start / test.ratio * model->slope(s, test.ratio) * std::pow(s, power);
      mean += blow / count;
      squares += std::norm(blow) / count;
    }
    const double disagree = squares / std::norm(mean) - 1.0;
    if (!(disagree < least)) continue;
    least = disagree;
    motion.start = mean / (model->slope(one, 1.0) * std::pow(one, power));
  }
  for (const FacePole& test : tests) motion.offset += test.offset / count;
  return motion;
}

/// Rms relative error of the quantity when each test is taken for its one mode; 0 where nothing compares.
double missedShare(std::span<const FacePole> tests, std::span<const double> measured,
                   const std::function<double(const FaceMotion&)>& quantity) {
  double squares = 0.0, count = 0.0;
  for (std::size_t t = 0; t < std::min(tests.size(), measured.size()); ++t) {
    const double share = quantity({tests[t].pole, tests[t].start, tests[t].offset}) / measured[t] - 1.0;
    if (!std::isfinite(share)) continue;
    squares += share * share;
    ++count;
  }
  return count > 0.0 ? std::sqrt(squares / count) : 0.0;
}

}  // namespace

std::optional<FacePole> identifyPole(std::span<const double> target, std::span<const double> measured, double step_s) {
  if (!comparable(target, measured, 12)) return std::nullopt;
  const std::optional<DecayingSine> sine = fitDecayingSine(target, step_s);
  if (!sine || sine->explained < kLeastExplainedTarget) return std::nullopt;
  const FacePole found =
      readPole({-sine->decay_per_s, 2.0 * std::numbers::pi * sine->frequency_hz}, target, measured, step_s);
  return std::isfinite(std::abs(found.ratio)) ? std::optional(found) : std::nullopt;
}

FacePole readPole(Complex pole, std::span<const double> target, std::span<const double> measured, double step_s) {
  FacePole found;
  found.pole = pole;
  std::tie(found.offset, found.start) = startOf(measured, pole, step_s);
  found.ratio = found.start / startOf(target, pole, step_s).second;
  return found;
}

FacePrediction modelPrediction(std::span<const FacePole> tests, std::span<const double> measured,
                               const std::function<double(const FaceMotion&)>& quantity, const FaceSettings& settings) {
  FacePrediction prediction;
  if (tests.size() < kFewestModelTests) {
    prediction.why_not =
        "Only " + std::to_string(tests.size()) + " tests swing freely in one mode; the model needs at least 4.";
    return prediction;
  }
  const Figure again = [&](const std::vector<std::size_t>& picks) {
    std::vector<FacePole> some;
    for (const std::size_t index : picks) some.push_back(tests[index]);
    const std::optional<FaceMotion> motion = motionAtOne(some);
    return motion ? quantity(*motion) : std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<std::size_t> all(tests.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  prediction.value = again(all);
  if (!std::isfinite(prediction.value)) {
    prediction.why_not =
        "The poles of the tests fit no structure that swings; vary the error more, or take longer "
        "records.";
    return prediction;
  }
  prediction.carried = true;
  prediction.bootstrap = bootstrap(tests.size(), settings.bootstraps, settings.seed, again);
  prediction.leave_one_out = leaveOneOut(tests.size(), again);
  const double missed = std::abs(prediction.value) * missedShare(tests, measured, quantity);
  std::vector<std::size_t> nearest(
      std::max(kFewestModelTests, (tests.size() + 1) / 2));  // the tests' order: best first
  std::iota(nearest.begin(), nearest.end(), std::size_t{0});
  const double moved = std::abs(prediction.value - again(nearest));
  const double apart = std::max(missed, std::isfinite(moved) ? moved : 0.0);
  prediction.spread = {prediction.value - apart, prediction.value + apart};
  prediction.interval = together(prediction.spread, together(prediction.bootstrap, prediction.leave_one_out));
  if (settings.reference)
    prediction.error_percent = 100.0 * std::abs(prediction.value - *settings.reference) / std::abs(*settings.reference);
  return prediction;
}

std::vector<double> FaceMotion::samples(std::size_t count, double step_s) const {
  std::vector<double> x(count);
  for (std::size_t k = 0; k < count; ++k)
    x[k] = offset + (start * std::exp(pole * (step_s * static_cast<double>(k)))).real();
  return x;
}

}  // namespace hyb
