#include "core/identification/transfer_model.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/linalg/balance.h"
#include "core/linalg/eigen.h"
#include "core/transfer/actuator_transfer.h"

namespace hyb {

using Complex = std::complex<double>;

Complex TransferModel::at(Complex s) const noexcept {
  return evaluate(numerator, s).value / evaluate(denominator, s).value * std::exp(-s * delay_s);
}

Complex TransferModel::response(double frequency_hz) const noexcept { return at({0.0, kTwoPi * frequency_hz}); }

std::vector<Complex> rootsOf(std::vector<double> ascending) {
  while (!ascending.empty() && ascending.back() == 0.0) ascending.pop_back();
  std::vector<Complex> roots;
  while (ascending.size() > 1 && ascending.front() == 0.0) {
    roots.emplace_back(0.0);
    ascending.erase(ascending.begin());
  }
  const auto n = static_cast<Eigen::Index>(ascending.size()) - 1;
  if (n < 1) return roots;
  // Roots of the polynomial in s / scale, whose outermost coefficients have equal magnitude.
  const double scale = std::pow(std::abs(ascending.front() / ascending.back()), 1.0 / static_cast<double>(n));
  Eigen::MatrixXd companion = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) companion(i, i + 1) = 1.0;
  for (Eigen::Index i = 0; i < n; ++i)
    companion(n - 1, i) =
        -ascending[static_cast<std::size_t>(i)] / ascending.back() * std::pow(scale, static_cast<double>(i - n));
  const Eigen::VectorXcd found = linalg::eigenvalues(linalg::balanced(companion).matrix);
  for (const Complex& root : found) roots.push_back(scale * root);
  std::stable_sort(roots.begin(), roots.end(), [](const Complex& a, const Complex& b) {
    return std::abs(std::abs(a) - std::abs(b)) > 1e-9 * std::abs(a) ? std::abs(a) < std::abs(b) : a.imag() > b.imag();
  });
  return roots;
}

std::vector<Complex> poles(const TransferModel& model) { return rootsOf(model.denominator); }
std::vector<Complex> zeros(const TransferModel& model) { return rootsOf(model.numerator); }

std::vector<double> polynomialOf(const std::vector<Complex>& roots) {
  std::vector<Complex> polynomial{1.0};
  for (const Complex& root : roots) {
    polynomial.push_back(0.0);
    for (std::size_t i = polynomial.size() - 1; i > 0; --i) polynomial[i] = polynomial[i - 1] - root * polynomial[i];
    polynomial[0] *= -root;
  }
  std::vector<double> real;
  for (const Complex& coefficient : polynomial) real.push_back(coefficient.real());
  return real;
}

std::vector<RootPair> nearlyCancelling(const std::vector<Complex>& poles, const std::vector<Complex>& zeros) {
  constexpr double kBeside = 0.03;
  std::vector<RootPair> near, pairs;
  const auto apart = [](const RootPair& pair) { return std::abs(pair.zero - pair.pole) / std::abs(pair.pole); };
  for (const Complex& pole : poles)
    for (const Complex& zero : zeros) {
      const bool alike = (pole.imag() == 0.0) == (zero.imag() == 0.0) && pole.imag() >= 0.0 && zero.imag() >= 0.0;
      if (alike && apart({pole, zero}) < kBeside) near.push_back({pole, zero});
    }
  std::ranges::stable_sort(near, {}, apart);
  for (const RootPair& pair : near) {
    const auto taken = [&](const RootPair& other) { return other.pole == pair.pole || other.zero == pair.zero; };
    if (std::ranges::none_of(pairs, taken)) pairs.push_back(pair);
  }
  std::ranges::stable_sort(pairs, {}, [](const RootPair& pair) { return std::abs(pair.pole); });
  return pairs;
}

namespace {
bool allLeft(const std::vector<Complex>& roots) {
  return std::all_of(roots.begin(), roots.end(), [](const Complex& root) { return root.real() < 0.0; });
}
}  // namespace

bool stable(const TransferModel& model) { return allLeft(poles(model)); }
bool minimumPhase(const TransferModel& model) { return allLeft(zeros(model)); }

TransferModel mirrored(const TransferModel& model) {
  TransferModel result = model;
  std::vector<Complex> roots = zeros(model);
  double gain = model.numerator.back();
  for (Complex& root : roots) {
    if (!(root.real() > 0.0)) continue;
    if (root.imag() == 0.0) gain = -gain;  // (s - z) / (s + z) is -1 at rest
    root = -std::conj(root);
  }
  result.numerator = polynomialOf(roots);
  for (double& coefficient : result.numerator) coefficient *= gain;
  return result;
}

std::vector<double> stabilised(const std::vector<double>& denominator) {
  std::vector<Complex> roots = rootsOf(denominator);
  double fastest = 0.0;
  for (const Complex& root : roots) fastest = std::max(fastest, std::abs(root));
  for (Complex& root : roots) root.real(-std::max(std::abs(root.real()), 1e-6 * fastest));
  return polynomialOf(roots);
}

Complex holdResponse(Hold hold, double w_rad_per_s, double step_s) {
  const double half = 0.5 * w_rad_per_s * step_s;
  const double sinc = half == 0.0 ? 1.0 : std::sin(half) / half;
  return hold == Hold::step ? std::polar(sinc, -half) : Complex(sinc * sinc);
}

}  // namespace hyb
