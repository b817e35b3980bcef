#pragma once
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/assess/loop_analysis.h"
#include "core/run/actuator_places.h"
#include "core/run/build.h"
#include "core/stability/stable_delays.h"
#include "ui/configure/mode_shapes.h"

namespace hyb::ui {

/// What the cut bears against what the loop has.
struct DelayFigures {
  std::optional<Crossing> critical;  // none: stable for every delay looked at
  double cutoff_hz = 0.0, max_delay_s = 0.0;
  std::vector<ActuatorPlace> places;  // where each actuator acts
  LoopDelay delay;                    // of each actuator
  bool stable = false;                // the loop as it is, each actuator with its own response
  bool stable_uncompensated = false;  // the same without compensation
  /// Delays that may be added to the loop as it is, ascending; more than one: islands beyond the margin.
  std::vector<DelayInterval> stable_added;
  double added_to_s = 0.0;  // how far that was looked
  bool hasIslands() const { return !stable_added.empty() && (stable_added.size() > 1 || stable_added[0].from_s > 0.0); }
  std::vector<double> natural_hz, specimen_clamped_hz, computed_clamped_hz;
  CompensationMethodPtr method = noCompensation();
  struct ReductionError {
    std::size_t dofs = 0, kept = 0;
    static constexpr double kGood = 0.01;
    /// Up to here the condensed stiffness is that of the whole side but for kGood; 0: not even at the first frequency
    /// that was looked at. Beyond a clamped mode that is left out it is another one altogether.
    double good_hz = 0.0;
  };
  std::optional<ReductionError> computed_reduction, specimen_reduction;
  QString beside;                     // of a scheme that does not track: what is said in place of a delay that it bears
  bool beside_hazard = false;         // that is a hazard
  bool without_laws = false;          // the specimen has laws, which are in none of these figures
  std::vector<std::string> left_out;  // what the two sides together miss of the whole structure
  ModeSet modes;
  std::shared_ptr<const Partition> reduced;  // both sides as the loop has them
  QString failed;                            // why there are no figures; empty
};
/// May take a while; throws nothing.
DelayFigures delayFigures(const Project& project);

/// tickStability(); none where it is too large to say. Throws nothing.
std::optional<DiscreteStability> tickFigures(const Project& project, const Partition& reduced);

/// What is worth knowing of a compensation with these settings in a loop of this tick; empty when they do not hold
/// together.
QString compensationRemarks(const Json& section, double step_s = 1e-3, const std::filesystem::path& folder = {});

}  // namespace hyb::ui
