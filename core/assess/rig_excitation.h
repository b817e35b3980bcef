#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/assess/piston_demand.h"
#include "core/excitation/stepped_sine.h"

namespace hyb {

/// Excitation of a rig for identification: one actuator, one frequency band.
struct RigExcitation {
  std::size_t axis = 0;     // of the interface, from 0
  std::size_t kind = 0;     // of rigExcitationKinds()
  double amplitude = 1e-3;  // largest value of the command, m
  double from_hz = 0.5, to_hz = 20.0;
  double period_s = 4.0;     // of a periodic signal; rounded to whole ticks
  double duration_s = 32.0;  // of the analysed part, without soft start and end; whole periods for a periodic signal
  // Of a stepped sine, whose duration follows from these.
  int count = 20;         // frequencies
  double settle_s = 1.0;  // at each of them, before the measured periods
  int periods = 20;       // measured at each of them
};

/// A signal that can fill a band.
struct RigExcitationKind {
  std::string_view signal;                                 // kind of a signal of the project
  bool repeats = false;                                    // with period period_s
  bool steps = false;                                      // one frequency after the other: count, settle_s, periods
  Json (*settings)(const RigExcitation& asked) = nullptr;  // settings besides name, kind and amplitude
};
std::span<const RigExcitationKind> rigExcitationKinds() noexcept;
/// The frequencies of a stepped sine, in the time of the signal; empty: another kind.
std::vector<SineStep> stepsOf(const RigExcitation& asked);

/// A test that excites a rig.
struct ExcitingTest {
  Json document;
  std::vector<std::string>
      unwatched;  // limits of the project without a meaning in this test: "gap", "signal piston_target_1"
};
/// The project's rig, limits and loop with such an excitation in place of the hybrid test. Throws InputError: faults of
/// the request ("amplitude", "band", "period", "duration", "actuator"), or of the project.
ExcitingTest excitingTest(const Project& project, const RigExcitation& asked);

/// Demand of such a test on its actuator: command and command rate as planned, force as on the twin.
struct RigForecast {
  PistonDemand demand;
  double used = 0.0;                  // largest used share of a limit or of the actuator's capacity
  std::vector<std::string> refusals;  // sentences; empty: the test may run
};
/// Runs the test on the project's twin, in free run; of a periodic signal the first two periods. `going` is called
/// repeatedly; false stops with a refusal. Throws InputError if the test cannot be built.
RigForecast forecast(const Project& exciting, const RigExcitation& asked, const std::function<bool()>& going = {});

/// A suitable excitation for a project: up to twice its highest excitation frequency and at least 20 Hz, with a third
/// of the amplitude that limits and actuator allow.
RigExcitation proposedExcitation(const Project& project, std::size_t axis, const std::function<bool()>& going = {});

}  // namespace hyb
