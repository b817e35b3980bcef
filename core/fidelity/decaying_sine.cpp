#include "core/fidelity/decaying_sine.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/numbers.h"
#include "core/fidelity/record.h"
#include "core/fidelity/spectrum.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/linalg/svd.h"

namespace hyb {

namespace {

constexpr Eigen::Index kMostRows = 300;  // of the thinned record
constexpr double kPerPeriod = 12.0;      // samples per period after thinning
constexpr double kLeastMotion = 1e-12;   // of the largest sample: rounding below it
constexpr double kLeastGain = 1e-15;     // of the residual: a smaller predicted gain is within rounding

using Complex = std::complex<double>;

/// Pole of the oscillation per sample of the thinned record: block means keep the poles of exponentials.
std::optional<Complex> esprit(const Eigen::VectorXd& x) {
  const Eigen::Index columns = x.size() / 2, rows = x.size() - columns + 1;
  Eigen::MatrixXd hankel(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j) hankel.col(j) = x.segment(j, rows);
  const Eigen::MatrixXd signal = linalg::leftVectors(hankel, 3);  // the pair and the constant
  const Eigen::VectorXcd poles =
      linalg::eigenvalues(linalg::leastSquares(signal.topRows(rows - 1), signal.bottomRows(rows - 1)));
  std::optional<Complex> best;
  for (const Complex& pole : poles)
    if (pole.imag() > 1e-9 && (!best || pole.imag() > best->imag())) best = pole;
  return best;
}

struct Trial {
  Eigen::Vector3d linear;  // cosine, sine, constant
  Eigen::VectorXd left;    // residual
};

Eigen::MatrixXd bases(Eigen::Index n, double decay, double angle) {
  Eigen::MatrixXd base(n, 3);
  for (Eigen::Index k = 0; k < n; ++k) {
    const auto t = static_cast<double>(k);
    const double shrunk = std::exp(-decay * t);
    base.row(k) << shrunk * std::cos(angle * t), shrunk * std::sin(angle * t), 1.0;
  }
  return base;
}

Trial attempt(const Eigen::VectorXd& x, const Eigen::MatrixXd& base) {
  const Eigen::Vector3d linear = linalg::leastSquares(base, x);
  return {linear, x - base * linear};
}

}  // namespace

double DecayingSine::at(double time_s) const {
  return offset + amplitude * std::exp(-decay_per_s * time_s) *
                      std::cos(2.0 * kPi * frequency_hz * time_s + phase_deg * kPi / 180.0);
}

std::optional<DecayingSine> fitDecayingSine(std::span<const double> samples, double step_s) {
  if (!readable(samples, 12) || !(step_s > 0.0)) return std::nullopt;
  const double scale = spread(samples);
  if (!(scale > kLeastMotion * largest(samples))) return std::nullopt;
  const auto n = static_cast<Eigen::Index>(samples.size());
  // In units of the spread about the first sample, so that the following code is independent of the unit.
  const Eigen::VectorXd x = (Eigen::Map<const Eigen::VectorXd>(samples.data(), n).array() - samples[0]) / scale;

  const std::optional<SpectralPeak> peak = dominantPeak(amplitudeSpectrum(samples, step_s));
  const double period = peak ? static_cast<double>(n) / static_cast<double>(peak->bin) : static_cast<double>(n);
  const Eigen::Index block = std::max<Eigen::Index>(
      1, std::min((n + kMostRows - 1) / kMostRows, static_cast<Eigen::Index>(period / kPerPeriod)));
  Eigen::VectorXd thinned(std::min(n / block, kMostRows));
  for (Eigen::Index k = 0; k < thinned.size(); ++k) thinned[k] = x.segment(k * block, block).mean();
  const std::optional<Complex> pole = esprit(thinned);
  if (!pole) return std::nullopt;

  const auto per_block = static_cast<double>(block);
  double decay = -std::log(std::abs(*pole)) / per_block, angle = std::arg(*pole) / per_block;  // per sample
  Eigen::MatrixXd base = bases(n, decay, angle);
  Trial trial = attempt(x, base);
  double damping = 1e-6;  // of Levenberg-Marquardt, so that a poor start does not diverge
  for (int round = 0; round < 50; ++round) {
    const Eigen::VectorXd t = Eigen::VectorXd::LinSpaced(n, 0.0, static_cast<double>(n - 1));
    Eigen::MatrixXd slope(n, 5);  // derivatives by decay, angle and the linear parameters
    slope.col(0) = -t.cwiseProduct(base.leftCols(2) * trial.linear.head<2>());
    slope.col(1) = t.cwiseProduct(trial.linear[1] * base.col(0) - trial.linear[0] * base.col(1));
    slope.rightCols(3) = base;
    Eigen::MatrixXd normal = slope.transpose() * slope;
    normal.diagonal() *= 1.0 + damping;
    const Eigen::VectorXd pull = slope.transpose() * trial.left;
    const Eigen::VectorXd move = linalg::solveSymmetric(normal, pull).x;
    if (move.dot(pull) < kLeastGain * trial.left.squaredNorm()) break;
    const Eigen::MatrixXd next_base = bases(n, decay + move[0], angle + move[1]);
    const Trial next = next_base.allFinite() ? attempt(x, next_base) : trial;
    if (next_base.allFinite() && next.left.squaredNorm() < trial.left.squaredNorm()) {
      decay += move[0];
      angle += move[1];
      base = next_base;
      trial = next;
      damping = std::max(damping * 0.1, 1e-12);
    } else if ((damping *= 10.0) > 1e6) {
      break;
    }
    if (std::abs(move[0]) + std::abs(move[1]) < 1e-13 * std::abs(angle)) break;  // more damping would reduce the move
  }
  if (!std::isfinite(decay) || !(angle > 0.0 && angle < kPi)) return std::nullopt;
  DecayingSine fit;
  fit.offset = samples[0] + scale * trial.linear[2];
  fit.amplitude = scale * std::hypot(trial.linear[0], trial.linear[1]);
  fit.decay_per_s = decay / step_s;
  fit.frequency_hz = angle / (2.0 * kPi * step_s);
  fit.phase_deg = std::atan2(-trial.linear[1], trial.linear[0]) * 180.0 / kPi;
  fit.explained = std::max(0.0, 1.0 - trial.left.squaredNorm() / static_cast<double>(n));
  return fit;
}

std::optional<std::size_t> settledFrom(std::span<const double> samples, double step_s) {
  if (!readable(samples, 12) || !(step_s > 0.0)) return std::nullopt;
  const std::optional<SpectralPeak> peak = dominantPeak(amplitudeSpectrum(samples, step_s));
  if (!peak) return std::nullopt;
  return std::min(samples.size() / peak->bin, samples.size() / 2);
}

}  // namespace hyb
