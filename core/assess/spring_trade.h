#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/assess/piston_demand.h"
#include "core/base/json_fwd.h"
#include "core/base/numbers.h"

namespace hyb {

/// Demand of a compliance spring on its piston, and its benefit.
struct SpringPoint {
  double stiffness_n_per_m = 0.0;
  double stroke_m = 0.0, velocity_m_per_s = 0.0;  // peaks, as in PistonDemand
  /// Frequency up to which the force on the specimen stays within 3 dB of the target force, Hz, from the static one on;
  /// includes the effect of the specimen's motion on the command. NaN: within 3 dB over the whole analysed range, half
  /// the rate of the loop. With the project's compensation, and without compensation.
  double bandwidth_hz = kNoValue, plain_bandwidth_hz = kNoValue;
  /// Ratio of the piston's motion to the noise of its sensor, RMS values, dB; infinite without noise.
  double signal_to_noise_db = 0.0;
  bool stable = true;  // stability of the project's loop with this spring
};

struct SpringRange {
  double from_n_per_m, to_n_per_m;
};

/// Choice of the spring. Stroke and velocity grow with 1/k. With growing k the piston motion becomes small against its
/// sensor noise, and specimen and piston couple more. Source: D. Araya, MSc thesis, UTFSM 2023, section 4.3.6.
struct SpringTrade {
  std::string dof{};                  // of the interface
  PistonPath path;                    // of the test, for every spring
  double present_n_per_m = 0.0;       // as in the scheme; in the middle of the points
  double force_n = 0.0;               // peak, for every spring
  PistonLimits limits{};              // of the piston
  double specimen_n_per_m = 0.0;      // static stiffness of the specimen at this interface
  double looked_to_hz = 0.0;          // upper end of the search for bandwidths
  bool compensated = false;           // the two bandwidths differ
  std::vector<SpringPoint> points{};  // ascending in stiffness
  /// Possible: the piston's limits hold in a stable loop. Suitable: also a third of stroke and velocity in reserve, at
  /// least 30 dB above the noise (requirement of the thesis), and at least 71 % of the largest bandwidth. Within the
  /// points; none: no spring.
  std::optional<SpringRange> possible{}, suitable{};
  std::string sentence{};  // the result, with the reasons at both ends

  /// At a stiffness within the points: exact peaks, interpolated bandwidths.
  SpringPoint at(double stiffness_n_per_m) const;
};

/// Springs of 1/8 to 8 times the present stiffness of piston i, the other springs unchanged; known exactly. `goes_on`
/// (done, total): false stops with a trade without points. Throws InputError: the scheme has no force target, the
/// specimen has laws, or the project cannot be built.
SpringTrade springTrade(const Project& project, std::size_t i,
                        const std::function<bool(std::size_t, std::size_t)>& goes_on = {});

/// For every piston, as printed by `stability --springs`; null for missing values.
Json springReport(const Project& project);

/// Sets the stiffness of the spring behind piston i in a valid project: the value in the scheme and, if the twin has
/// one, its true value. A value shared by all pistons becomes one value for each.
void takeSpring(Json& document, std::size_t interfaces, std::size_t i, double stiffness_n_per_m);

}  // namespace hyb
