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
  double offset = 0.0;         // rest position of x
  std::complex<double> start;  // x = offset + Re(start e^(s t)), t = 0 at the first sample
};
/// None: no such oscillation in the record.
std::optional<FacePole> identifyPole(std::span<const double> target, std::span<const double> measured, double step_s);

/// The same where the pole is known, by least squares.
FacePole readPole(std::complex<double> pole, std::span<const double> target, std::span<const double> measured,
                  double step_s);

/// The error-free oscillation: x = offset + Re(start e^(pole t)).
struct FaceMotion {
  std::complex<double> pole, start;
  double offset = 0.0;
  std::vector<double> samples(std::size_t count, double step_s) const;
};

/// Beside the curve: one structural model for all tests. The coupled system s^2 + 2 a s + b + (kappa + mu s^2) r = 0
/// has real a, b (computed side) and kappa, mu (specimen) that no error of the transfer system changes; they are fitted
/// to the poles and ratios of all tests, and the pole is read at r = 1. `quantity` gives the quantity of interest of a
/// motion; `measured`, that of each test's record. The interval is the union of bootstrap (seeded), leave-one-out and
/// spread: what the motion of one mode misses of the quantity in the tests themselves (rms of the relative error), or
/// what the better half of the tests, which come first, gives else, whichever is more. Needs tests that oscillate
/// freely with one mode; what does not carry it is said in why_not.
FacePrediction modelPrediction(std::span<const FacePole> tests, std::span<const double> measured,
                               const std::function<double(const FaceMotion&)>& quantity, const FaceSettings& settings);

}  // namespace hyb
