#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/assess/piston_demand.h"

namespace hyb {

/// How a rig is excited to be identified: one actuator, in a band.
struct RigExcitation {
  std::size_t axis = 0;     // of the interface, from 0
  std::size_t kind = 0;     // of rigExcitationKinds()
  double amplitude = 1e-3;  // largest value of the command, m
  double from_hz = 0.5, to_hz = 20.0;
  double period_s = 4.0;     // of one that repeats; taken in whole ticks
  double duration_s = 32.0;  // of what is looked at, without soft start and end; of one that repeats in whole periods
};

/// A signal that can fill a band.
struct RigExcitationKind {
  std::string_view signal;                                 // kind of a signal of the project
  bool repeats = false;                                    // after period_s
  Json (*settings)(const RigExcitation& asked) = nullptr;  // beside name, kind and amplitude
};
std::span<const RigExcitationKind> rigExcitationKinds() noexcept;

/// A test that excites a rig.
struct ExcitingTest {
  Json document;
  std::vector<std::string>
      unwatched;  // limits of the project that have no meaning in it: "gap", "signal piston_target_1"
};
/// The project's rig, limits and loop with such an excitation in place of the hybrid test. Throws InputError: faults of
/// what is asked for ("amplitude", "band", "period", "duration", "actuator"), or of the project.
ExcitingTest excitingTest(const Project& project, const RigExcitation& asked);

/// What such a test will ask of its actuator: command and its rate as planned, force as on the twin.
struct RigForecast {
  PistonDemand demand;
  double used = 0.0;                  // largest share of a limit or of what the actuator can do
  std::vector<std::string> refusals;  // sentences; empty: it may run
};
/// Runs it on the project's twin, in free run: of one that repeats the first two periods. `going` is asked now and
/// then; false: gives up, with a refusal. Throws InputError where it cannot be built.
RigForecast forecast(const Project& exciting, const RigExcitation& asked, const std::function<bool()>& going = {});

/// An excitation that suits a project: twice as far up as its own excitation goes and at least to 20 Hz, as large as a
/// third of limits and actuator allows.
RigExcitation proposedExcitation(const Project& project, std::size_t axis, const std::function<bool()>& going = {});

}  // namespace hyb
