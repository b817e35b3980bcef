#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hyb {

// Curves h(e) of FACE, fidelity assessment based on convergence and extrapolation: a quantity q over an error e that is
// 0 in the error-free test. Insam 2022, chapters 11 and 13 (note D10.2).

/// One test: error (>= 0, unit of the measure on the axis) and quantity of interest (its own unit).
struct FacePoint {
  double error, quantity;
  double weight = 1.0;  // of its squared deviation, > 0
};

/// decibel: fits 20 log10(q), for magnitudes; q must be above 0.
enum class FaceScale : std::uint8_t { linear, decibel };

/// Rules of the source for a curve between e = 0 and the largest error. Always: fewer coefficients than points, and a
/// curvature of constant sign.
struct FaceRules {
  bool zero_slope = false;       // h'(0) = 0, no linear term: frequencies
  bool flatter_at_zero = false;  // |h'(0)| <= |h'(least error)| of the linear quantity: magnitudes
};

/// Polynomial sum of c_i (e / unit)^p_i in the scale's own values.
struct FaceFit {
  FaceScale scale = FaceScale::linear;
  std::vector<int> powers;       // ascending, the first is 0
  double unit = 1.0;             // the largest error of the points, so that the coefficients have similar magnitude
  Eigen::VectorXd coefficients;  // [powers]
  double residual = 0.0;         // weighted rms of the deviations, in the scale's values
  double score = 0.0;            // Akaike's criterion for few points, smaller is better; compares fits in one scale
  std::string refused;           // reason for refusal by the rules, one sentence; empty: admitted

  bool admitted() const noexcept { return refused.empty(); }
  double at(double error) const;     // quantity
  double slope(double error) const;  // of the quantity
  /// "degree 2 in dB", "powers 0, 2"
  std::string words() const;
};

/// Reason why no fit to these points is possible: too few, coinciding, not a number; "" if there is none.
std::string faultOf(std::span<const FacePoint> points);

/// Weighted least squares. Throws InputError for points with a faultOf(), powers that do not start with 0 and ascend up
/// to 6, and decibels of a quantity that is not above 0. A curve that violates the rules is returned as refused.
FaceFit fitFace(std::span<const FacePoint> points, FaceScale scale, const std::vector<int>& powers,
                const FaceRules& rules);

/// Value at error 0 of the same curve, fitted to resampled tests; NaN unless they have more different errors than it
/// has coefficients.
double refittedAtZero(std::span<const FacePoint> points, const FaceFit& curve);

/// 95 % interval of the fit's value at error 0, by the scatter about it (Student's t): low, high. NaN with no more than
/// one point per coefficient.
std::pair<double, double> scatterAtZero(std::span<const FacePoint> points, const FaceFit& fit);

/// All curves that the rules may admit for so many points: powers up to 3, and also decibels for a positive quantity.
/// Includes refused ones, with their reason.
std::vector<FaceFit> faceFamily(std::span<const FacePoint> points, const FaceRules& rules);

}  // namespace hyb
