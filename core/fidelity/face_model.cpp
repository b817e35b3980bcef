#include "core/fidelity/face_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/numbers.h"
#include "core/base/student.h"
#include "core/fidelity/decaying_sine.h"
#include "core/fidelity/record.h"
#include "core/fidelity/resample.h"
#include "core/linalg/dense.h"

namespace hyb {
namespace {

using Complex = std::complex<double>;

constexpr std::size_t kFewestModelTests = 4, kFewestPoleSamples = 12;
constexpr double kLeastExplainedTarget = 0.9;  // share of the target's variance explained by one decaying sine
constexpr double kOneInHundred = 2.326;        // quantile of the normal distribution

/// Least-squares amplitude c of offset + Re(c e^(s t)), with known pole.
Complex amplitudeOf(std::span<const double> samples, Complex pole, double step_s) {
  const auto n = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd base(n, 3);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Complex now = std::exp(pole * (step_s * static_cast<double>(k)));
    base.row(k) << 1.0, now.real(), -now.imag();
  }
  const Eigen::Vector3d fit = linalg::leastSquares(base, Eigen::Map<const Eigen::VectorXd>(samples.data(), n));
  return {fit[1], fit[2]};
}

Complex specimenStiffness(const FaceSpecimen& specimen, Complex s, double inertia_lag_s) {
  return specimen.stiffness_n_per_m + specimen.damping_n_s_per_m * s +
         specimen.mass_kg * s * s * std::exp(-s * inertia_lag_s);
}

/// D_P of the specimen from each test: -D_N / r, N/m.
Complex said(const FaceBalance& balance) { return -balance.computed_n_per_m / balance.test.ratio; }

/// Stiffness, damping and mass, each in N/m at a frequency of the order of the poles, as least squares of rows x =
/// right.
struct Equations {
  Eigen::MatrixXd rows;   // [2 tests, 3]
  Eigen::VectorXd right;  // [2 tests], N/m
  double unit = 1.0;      // 1/s, scales the columns to equal magnitude
};
Equations equationsOf(std::span<const FaceBalance> tests, double inertia_lag_s) {
  const auto n = static_cast<Eigen::Index>(tests.size());
  Equations equations{Eigen::MatrixXd(2 * n, 3), Eigen::VectorXd(2 * n), std::abs(tests.front().test.pole)};
  for (Eigen::Index i = 0; i < n; ++i) {
    const FaceBalance& test = tests[static_cast<std::size_t>(i)];
    const Complex s = test.test.pole / equations.unit, dynamic = said(test);
    const Complex terms[3] = {1.0, s, s * s * std::exp(-test.test.pole * inertia_lag_s)};
    for (Eigen::Index j = 0; j < 3; ++j) {
      equations.rows(2 * i, j) = terms[j].real();
      equations.rows(2 * i + 1, j) = terms[j].imag();
    }
    equations.right[2 * i] = dynamic.real();
    equations.right[2 * i + 1] = dynamic.imag();
  }
  return equations;
}

/// Least squares of rows x = right with no x below 0. For close poles, stiffness and mass have the same effect and
/// noise exchanges them without limit; the bound 0 limits the exchange. Three unknowns: the best of all choices of
/// zeros. None: all of them would be zero.
std::optional<Eigen::Vector3d> passiveFit(const Eigen::MatrixXd& rows, const Eigen::VectorXd& right) {
  static constexpr std::array<std::array<bool, 3>, 7> kKept{{{true, true, true},
                                                             {true, true, false},
                                                             {true, false, true},
                                                             {false, true, true},
                                                             {true, false, false},
                                                             {false, true, false},
                                                             {false, false, true}}};
  std::optional<Eigen::Vector3d> best;
  double least = std::numeric_limits<double>::infinity();
  for (const std::array<bool, 3>& kept : kKept) {
    Eigen::MatrixXd some = rows;
    for (std::size_t j = 0; j < 3; ++j)
      if (!kept[j]) some.col(static_cast<Eigen::Index>(j)).setZero();
    const Eigen::Vector3d fit = linalg::leastNorm(some, right);  // 0 for a zero column
    if (!fit.allFinite() || fit.minCoeff() < 0.0) continue;
    const double left = (right - rows * fit).squaredNorm();
    if (left < least) {
      least = left;
      best = fit;
    }
    if (kept[0] && kept[1] && kept[2]) break;  // the bounds are inactive
  }
  return best;
}

/// True if the deviations from one specimen correlate from test to test instead of being random: von Neumann's ratio of
/// their successive differences, over both parts, is smaller than it would be by chance in one of a hundred cases.
bool patternLeft(std::span<const FaceBalance> tests, const FaceSpecimen& specimen, double inertia_lag_s) {
  double squares = 0.0, steps = 0.0;
  Complex last;
  for (std::size_t t = 0; t < tests.size(); ++t) {
    const Complex off = said(tests[t]) - specimenStiffness(specimen, tests[t].test.pole, inertia_lag_s);
    squares += std::norm(off);
    if (t > 0) steps += std::norm(off - last);
    last = off;
  }
  const auto n = static_cast<double>(tests.size());
  const double least = 2.0 - kOneInHundred * std::sqrt(2.0 * (n - 2.0) / (n * n - 1.0));
  return !(steps >= least * squares);
}

/// True if the bounds are active by more than chance. Noise of the poles is on both sides of the equations (errors in
/// variables): for close poles it biases the free fit away from the specimen, to stiffness or damping below 0, instead
/// of scattering it, and no scatter shows the bias. By scatter only, the increase of the squares by the bounds of k of
/// the three, over the residual per degree of freedom, is k times Fisher's F (Kudo 1963); it is larger than expected in
/// one of a hundred cases.
bool boundsPressed(std::span<const FaceBalance> tests, double inertia_lag_s) {
  const auto [rows, right, unit] = equationsOf(tests, inertia_lag_s);
  const std::optional<Eigen::Vector3d> bounded = passiveFit(rows, right);
  if (!bounded) return true;
  const auto held = static_cast<double>((bounded->array() == 0.0).count());
  if (held == 0.0) return false;
  const Eigen::Vector3d free = linalg::leastNorm(rows, right);
  const double left = (right - rows * free).squaredNorm(), degrees = static_cast<double>(rows.rows() - rows.cols());
  const double added = (right - rows * *bounded).squaredNorm() - left;
  return !(added * degrees <= held * fisherQuantile(held, degrees, 0.99) * left);
}

}  // namespace

std::optional<FacePole> identifyPole(std::span<const double> target, std::span<const double> measured, double step_s) {
  if (!comparable(target, measured, kFewestPoleSamples)) return std::nullopt;
  const std::optional<std::size_t> settled = settledFrom(target, step_s);
  if (!settled) return std::nullopt;
  target = target.subspan(*settled);
  measured = measured.subspan(*settled);
  const std::optional<DecayingSine> sine = fitDecayingSine(target, step_s);
  if (!sine || sine->explained < kLeastExplainedTarget) return std::nullopt;
  const Complex pole(-sine->decay_per_s, kTwoPi * sine->frequency_hz);
  const FacePole found{pole, amplitudeOf(measured, pole, step_s) / amplitudeOf(target, pole, step_s)};
  return std::isfinite(std::abs(found.ratio)) ? std::optional(found) : std::nullopt;
}

std::optional<FaceSpecimen> identifySpecimen(std::span<const FaceBalance> tests, double inertia_lag_s) {
  if (tests.size() < 2) return std::nullopt;
  const auto [rows, right, unit] = equationsOf(tests, inertia_lag_s);
  const std::optional<Eigen::Vector3d> fit = passiveFit(rows, right);
  if (!fit) return std::nullopt;
  return FaceSpecimen{(*fit)[0], (*fit)[1] / unit, (*fit)[2] / (unit * unit)};
}

FacePrediction modelPrediction(std::span<const FaceBalance> tests, double inertia_lag_s,
                               const std::function<double(const FaceSpecimen&)>& quantity,
                               const FaceSettings& settings) {
  FacePrediction prediction;
  if (tests.size() < kFewestModelTests) {
    prediction.why_not =
        "Only " + std::to_string(tests.size()) + " tests oscillate freely in one mode; the model needs at least 4.";
    return prediction;
  }
  const Figure again = [&](const std::vector<std::size_t>& picks) {
    std::vector<FaceBalance> some;
    for (const std::size_t index : picks) some.push_back(tests[index]);
    const std::optional<FaceSpecimen> specimen = identifySpecimen(some, inertia_lag_s);
    return specimen ? quantity(*specimen) : kNoValue;
  };
  std::vector<std::size_t> all(tests.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  prediction.value = again(all);
  if (!std::isfinite(prediction.value)) {
    prediction.why_not =
        "The poles of the tests fit no oscillating structure; vary the error more, or use longer "
        "records.";
    return prediction;
  }
  prediction.carried = true;
  prediction.scatter = jackknife(tests.size(), prediction.value, again);
  prediction.interval = prediction.scatter;
  if (!prediction.scatter.known()) {
    prediction.interval = prediction.spread = {prediction.value, prediction.value};
    prediction.range_because = "without one of the tests the others fit no oscillating structure";
  } else {
    if (patternLeft(tests, *identifySpecimen(tests, inertia_lag_s), inertia_lag_s))
      prediction.range_because =
          "the tests deviate from one specimen systematically and not by chance (very little noise, or a specimen that "
          "is not a mass, spring and damper), so no confidence level can be derived";
    else if (boundsPressed(tests, inertia_lag_s))
      prediction.range_because =
          "without bounds the tests would yield a specimen with stiffness, damping or mass below 0, by more than "
          "chance: the poles are too close for their noise, so no confidence level can be derived";
    else
      prediction.level = kFaceLevel;
    if (!prediction.level) {
      for (auto first = all.begin(); all.end() - first >= static_cast<std::ptrdiff_t>(kFewestModelTests); ++first)
        if (const double alone = again({first, first + static_cast<std::ptrdiff_t>(kFewestModelTests)});
            std::isfinite(alone))
          prediction.spread = together(prediction.spread, {alone, alone});
      prediction.interval = together(prediction.interval, prediction.spread);
    }
  }
  if (settings.reference)
    prediction.error_percent = 100.0 * std::abs(prediction.value - *settings.reference) / std::abs(*settings.reference);
  return prediction;
}

}  // namespace hyb
