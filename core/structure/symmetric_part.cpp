#include "core/structure/symmetric_part.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

namespace hyb {
namespace {

constexpr double kDoubleAsymmetry = 1e-9;  // share of the largest entry: rounding of a long computation
constexpr double kSingleAsymmetry =
    8.0 * std::numeric_limits<float>::epsilon();  // several roundings, share of the diagonal
constexpr int kSingleDigits = 9, kFewestDigits = 6, kDoubleDigits = 15;

/// The shortest decimal text that reproduces a number: "1.25e+03" has three digits.
std::string_view shortest(double value, std::array<char, 40>& text) {
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific).ptr;
  return {text.data(), static_cast<std::size_t>(end - text.data())};
}
int digitsOf(std::string_view shown) {
  return static_cast<int>(std::count_if(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(shown.find('e')),
                                        [](char c) { return c >= '0' && c <= '9'; }));
}

/// Whether a number is of single precision, or a printed one with nine digits or fewer.
bool isSingle(double value, std::string_view shown, int digits) {
  const auto single = static_cast<double>(static_cast<float>(value));
  if (single == value) return true;
  if (digits > kSingleDigits || !std::isfinite(single)) return false;
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), single, std::chars_format::scientific, digits - 1).ptr;
  return std::string_view(text.data(), static_cast<std::size_t>(end - text.data())) == shown;
}

struct Precision {
  bool single = true;
  int digits = 0;  // of the longest number
};
Precision precisionOf(const SparseMatrix& matrix) {
  Precision found;
  std::array<char, 40> text{};
  for (Eigen::Index j = 0; j < matrix.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(matrix, j); it; ++it) {
      const std::string_view shown = shortest(it.value(), text);
      const int digits = digitsOf(shown);
      found.single = found.single && isSingle(it.value(), shown, digits);
      found.digits = std::max(found.digits, digits);
    }
  return found;
}

/// Value of the last of this number of digits.
double lastDigit(double value, int digits) {
  return value == 0.0 ? 0.0 : std::pow(10.0, std::floor(std::log10(std::abs(value))) - digits + 1);
}

}  // namespace

Asymmetry asymmetryOf(const SparseMatrix& matrix) {
  const SparseMatrix transposed = matrix.transpose();
  const SparseMatrix skew = matrix - transposed;
  const double largest = matrix.nonZeros() > 0 ? matrix.coeffs().cwiseAbs().maxCoeff() : 0.0;
  const double worst = skew.nonZeros() > 0 ? skew.coeffs().cwiseAbs().maxCoeff() : 0.0;
  Asymmetry found;
  if (worst == 0.0) return found;
  const bool beyond_double = worst > kDoubleAsymmetry * largest;
  const Precision precision = beyond_double ? precisionOf(matrix) : Precision{false, 0};
  const bool digits_count = precision.digits >= kFewestDigits && precision.digits <= kDoubleDigits;
  const Eigen::VectorXd diagonal = matrix.diagonal().cwiseAbs();
  double worst_beyond = 0.0, worst_within = 0.0;
  for (Eigen::Index j = 0; j < skew.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(skew, j); it; ++it) {
      const double difference = std::abs(it.value());
      if (difference == 0.0) continue;
      double allowed = kDoubleAsymmetry * largest;
      if (precision.single)
        allowed = std::max(allowed, kSingleAsymmetry * std::sqrt(diagonal[it.row()] * diagonal[it.col()]));
      if (digits_count && difference > allowed) {
        const double entry =
            std::max(std::abs(matrix.coeff(it.row(), it.col())), std::abs(matrix.coeff(it.col(), it.row())));
        allowed = std::max(allowed, 1.001 * lastDigit(entry, precision.digits));  // the difference itself is rounded
      }
      double& worst_so_far = difference > allowed ? worst_beyond : worst_within;
      if (difference > worst_so_far && (difference > allowed || found.allowed)) {
        worst_so_far = difference;
        found.allowed = difference <= allowed;
        found.row = it.col();
        found.column = it.row();
      }
    }
  found.of_largest = worst / largest;
  if (beyond_double)
    found.precision =
        precision.single ? "single precision" : "numbers of " + std::to_string(precision.digits) + " digits";
  return found;
}

SparseMatrix symmetricPart(const SparseMatrix& matrix) {
  const SparseMatrix transposed = matrix.transpose();
  return 0.5 * (matrix + transposed);
}

}  // namespace hyb
