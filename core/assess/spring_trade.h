#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/assess/piston_demand.h"
#include "core/base/json_fwd.h"
#include "core/base/numbers.h"

namespace hyb {

/// What a compliance spring asks of its piston, and what it gives.
struct SpringPoint {
  double stiffness_n_per_m = 0.0;
  double stroke_m = 0.0, velocity_m_per_s = 0.0;  // peaks, as of PistonDemand
  /// Up to where the force on the specimen stays within 3 dB of the force asked for, Hz, from that at rest on; the
  /// specimen's motion comes back to the command. Not a number: as far as that was looked at, half the rate of the
  /// loop. As the project is compensated, and without compensation.
  double bandwidth_hz = kNoValue, plain_bandwidth_hz = kNoValue;
  /// The piston's motion over the noise of its sensor, root mean squares, dB; infinite without noise.
  double signal_to_noise_db = 0.0;
  bool stable = true;  // the project's loop with it
};

struct SpringRange {
  double from_n_per_m, to_n_per_m;
};

/// Which spring? Stroke and velocity grow with 1/k, and what the piston does grows small beside the noise of its sensor
/// with k, while specimen and piston pull at each other. Source: D. Araya, MSc thesis, UTFSM 2023, section 4.3.6.
struct SpringTrade {
  std::string dof{};                  // of the interface
  PistonPath path;                    // of the test, whatever the spring
  double present_n_per_m = 0.0;       // as the scheme knows it; in the middle of the points
  double force_n = 0.0;               // peak, whatever the spring
  PistonLimits limits{};              // of the piston
  double specimen_n_per_m = 0.0;      // static stiffness of the specimen there
  double looked_to_hz = 0.0;          // bandwidths
  bool compensated = false;           // the two bandwidths differ
  std::vector<SpringPoint> points{};  // ascending in stiffness
  /// What the piston can do in a loop that is stable; and what is well done: a third of stroke and velocity to spare,
  /// at least 30 dB over the noise (the thesis' requirement), and a bandwidth of 71 % of the largest or more. Within
  /// the points; none: no spring.
  std::optional<SpringRange> possible{}, suitable{};
  std::string sentence{};  // says so, with the reasons at both ends

  /// Of a stiffness within the points: peaks are exact, bandwidths between those beside it.
  SpringPoint at(double stiffness_n_per_m) const;
};

/// Over springs of 1/8 to 8 times the present one of piston i, the others left as they are; taken for what they are.
/// `goes_on` (done, total): false ends it early with a trade without points. Throws InputError: the scheme asks for no
/// forces, the specimen has laws, or the project cannot be built.
SpringTrade springTrade(const Project& project, std::size_t i,
                        const std::function<bool(std::size_t, std::size_t)>& goes_on = {});

/// Of every piston, what `stability --springs` prints; null for what there is not.
Json springReport(const Project& project);

/// Puts a spring of this stiffness behind piston i of a sound project: what the scheme knows of it, and, where the twin
/// has one, what it is. A value that all pistons share becomes one for each.
void takeSpring(Json& document, std::size_t interfaces, std::size_t i, double stiffness_n_per_m);

}  // namespace hyb
