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
/// Read from one period of the oscillation on, when what the actuators add by themselves has died away. None: no such
/// oscillation in the record.
std::optional<FacePole> identifyPole(std::span<const double> target, std::span<const double> measured, double step_s);

/// What stands on the rig, as its one interface feels it: D_P(s) = k + c s + m s^2.
struct FaceSpecimen {
  double stiffness_n_per_m = 0.0, damping_n_s_per_m = 0.0, mass_kg = 0.0;
};
/// One equation for it: D_N(s) + D_P(s) r = 0 at the pole of a test, with the computed side D_N known.
struct FaceBalance {
  FacePole test;
  std::complex<double> computed_n_per_m;  // D_N(s)
};
/// Least squares over all tests, with k, c and m at least 0: a specimen is passive. inertia_lag_s: how much later than
/// the motion the force of its inertia is read, s. None: fewer than two tests, or no such specimen follows from them.
std::optional<FaceSpecimen> identifySpecimen(std::span<const FaceBalance> tests, double inertia_lag_s);

/// Beside the curve: the specimen of all tests, which no error of the transfer system changes, coupled to the computed
/// side without error. `quantity` gives the quantity of interest of that structure (NaN: none). The tests stand in the
/// order of their errors, best first. The interval comes from leaving out one test after the other (jackknife) and
/// Student's t; it has its level of 0.95 where the tests deviate from one specimen by chance (von Neumann's ratio)
/// and the bounds of the specimen hold back no more than chance (Fisher's F); else it is a range that also holds what
/// any four neighbouring tests give alone. Needs tests that oscillate freely with one mode; what does not carry it is
/// said in why_not.
FacePrediction modelPrediction(std::span<const FaceBalance> tests, double inertia_lag_s,
                               const std::function<double(const FaceSpecimen&)>& quantity,
                               const FaceSettings& settings);

}  // namespace hyb
