#pragma once
#include <Eigen/Core>
#include <array>
#include <complex>
#include <functional>
#include <optional>
#include <span>

#include "core/fidelity/face.h"

namespace hyb {

/// A test that swings freely: offset + Re(amplitude e^(pole t)), t = 0 at its first row; read after one period of the
/// oscillation. The decay is -Re(pole), the frequency Im(pole) / 2 pi.
struct FreeSwing {
  std::complex<double> pole, amplitude;  // 1/s, m
};
/// None: no such oscillation in the record.
std::optional<FreeSwing> freeSwing(std::span<const double> target, double step_s);

/// The specimen at its one interface: its force on the computed side is -(k x + c v + m a).
struct FaceSpecimen {
  double stiffness_n_per_m = 0.0, damping_n_s_per_m = 0.0, mass_kg = 0.0;
};

/// v and a in the force of a row over x of that row, for a motion e^(i angle k) over the rows k.
struct MotionRates {
  std::complex<double> velocity, acceleration;  // 1/s, 1/s^2
};
using RatesAt = std::function<MotionRates(double angle)>;

/// What one test says about the specimen, for any motion: at each line n of the discrete Fourier transform of its rows
///   F_n + k X_n + c V_n + m A_n = polynomial of low degree in i angle_n + noise.
/// The polynomial is the difference of the states of the specimen before the first and after the last row (Pintelon and
/// Schoukens 2012, System Identification, section 6.3.2); it is eliminated. The equations are multiplied by the same
/// lines of the free swing that was fitted to the target (instrumental variables, Young 1976). It contains no noise:
/// least squares would take noise of the displacement for motion, and the target answers to noise of the force. All
/// sums are over the lines; columns are those of [1, k, c, m].
struct FaceEquations {
  Eigen::Matrix<double, 3, 4> sum;         // sum [1, k, c, m]^T = 0, apart from noise
  Eigen::Matrix<double, 3, 4> fewer;       // the same with a polynomial of one degree less
  Eigen::Matrix<double, 12, 12> products;  // of the summands of `sum`, column by column: their noise
  Eigen::Matrix4d squares, steps;          // of the residuals, and of their differences from line to line
  double lines = 0.0;                      // effective number of lines

  static constexpr std::size_t kNumbers = 12 + 12 + 78 + 10 + 10 + 1;
  std::array<double, kNumbers> numbers() const;
  static std::optional<FaceEquations> of(std::span<const double> numbers);  // none: one of them is not a number
};
/// Displacements, m, and forces on the computed side, N, of equally many rows; used until the swing has decayed. The
/// mean does not count, so constant offsets of sensors have no effect. None: too few rows, or no motion.
std::optional<FaceEquations> faceEquations(const FreeSwing& swing, std::span<const double> measured,
                                           std::span<const double> force, double step_s, const RatesAt& rates);

/// The specimen of all tests; none: their motion does not determine it.
std::optional<FaceSpecimen> identifySpecimen(std::span<const FaceEquations> tests);

/// Second extrapolation besides the curve: the specimen of all tests, independent of errors of the transfer system,
/// coupled to the computed side without error. `quantity` is the quantity of interest of that structure (NaN: none).
/// The tests are in the order of their errors, best first. The interval follows from the noise in the equations of the
/// tests. It has its level of 0.95 if one specimen explains each test (no pattern from line to line) and all of them
/// together (the tests deviate from it as their noise lets them, Fisher's F); otherwise it is a range that also
/// contains the results of any four neighbouring tests and, on both sides, the change that a polynomial of one degree
/// less makes: an estimate of the terms that it omits. why_not is the reason for a failure.
FacePrediction modelPrediction(std::span<const FaceEquations> tests,
                               const std::function<double(const FaceSpecimen&)>& quantity,
                               const FaceSettings& settings);

}  // namespace hyb
