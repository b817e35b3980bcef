#pragma once
#include <vector>

#include "core/compensation/method.h"
#include "core/compensation/plant_model.h"
#include "core/compensation/recursive_fir.h"

namespace hyb {

/// Inverse of an identified plant of several actuators, in which each command moves several axes. The plant model of
/// the method (SampledPlant) gets the same commands as the rig, and the commands steer the motion y of this model along
/// the targets z: linear quadratic tracking of
///   sum over k of |y(k) - z(k)|^2 + (rate_weight / step)^2 |u(k) - u(k-1)|^2
/// for targets that go on as polynomials of degree 2. z, z' and z'' are those of a fading-memory filter of degree 2
/// with a triple pole e^{-2 pi prediction_cutoff step}. Sources: B. D. O. Anderson, J. B. Moore, Optimal Control:
/// Linear Quadratic Methods, 1990, chapter 4; E. Brookner, Tracking and Kalman Filtering Made Easy, 1998; as a
/// feedforward of several actuators B. M. Phillips, B. F. Spencer, J. Eng. Mech. 139 (2013) 219-228.
///
/// A correction in front of it learns the difference of rig and model, axis by axis: the target of the inverse is a
/// filter of the target, with taps of `correction` (RecursiveFirParams), which starts with the target itself.
struct DecouplingInverseParams {
  std::vector<PlantColumn> plant;  // [axis of the command], or one without cross-coupling for all
  double rate_weight_s = 1e-5;
  double prediction_cutoff_hz = 40.0;
  std::size_t correction_taps = 3;  // 0: no correction
  double covariance = 3e7;          // of each tap at the start, 1/m^2
  RecursiveFirParams correction;    // without its taps and P
};

/// Member of the family "compensation".
CompensationMethodPtr parseDecouplingInverse(const Json& settings, const MethodContext& context, Checks& checks);

}  // namespace hyb
