#pragma once
#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/fidelity/face.h"

namespace hyb {

/// One test as a free oscillation of the coupled system, common to target z and measured x.
struct FacePole {
  std::complex<double> pole;   // s, 1/s: decay is -Re(s), frequency Im(s) / 2 pi
  std::complex<double> ratio;  // r = X / Z at that pole: 1 in the error-free test
};
/// Read after one period of the oscillation, when the actuators' own transients have decayed. None: no such oscillation
/// in the record.
std::optional<FacePole> identifyPole(std::span<const double> target, std::span<const double> measured, double step_s);

/// The specimen at its one interface: D_P(s) = k + c s + m s^2.
struct FaceSpecimen {
  double stiffness_n_per_m = 0.0, damping_n_s_per_m = 0.0, mass_kg = 0.0;
};
/// One equation of it: D_N(s) + D_P(s) r = 0 at the pole of a test, with known computed side D_N.
struct FaceBalance {
  FacePole test;
  std::complex<double> computed_n_per_m;  // D_N(s)
};
/// Least squares over all tests, with k, c and m at least 0: a specimen is passive. inertia_lag_s: lag of the measured
/// inertia force behind the motion, s. None: fewer than two tests, or no such specimen fits.
std::optional<FaceSpecimen> identifySpecimen(std::span<const FaceBalance> tests, double inertia_lag_s);

/// Second extrapolation besides the curve: the specimen of all tests, independent of errors of the transfer system,
/// coupled to the computed side without error. `quantity` is the quantity of interest of that structure (NaN: none).
/// The tests are in the order of their errors, best first. The interval comes from leaving out one test after the other
/// (jackknife) and Student's t. It has its level of 0.95 if the tests deviate from one specimen by chance (von
/// Neumann's ratio) and the bounds of the specimen are active by no more than chance (Fisher's F); otherwise it is a
/// range that also contains the results of any four neighbouring tests. Needs tests that oscillate freely in one mode;
/// why_not is the reason for a failure.
FacePrediction modelPrediction(std::span<const FaceBalance> tests, double inertia_lag_s,
                               const std::function<double(const FaceSpecimen&)>& quantity,
                               const FaceSettings& settings);

}  // namespace hyb
