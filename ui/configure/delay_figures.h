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

/// Critical delay of the cut and delay of the loop.
struct DelayFigures {
  std::optional<Crossing> critical;  // none: stable for every delay examined
  double cutoff_hz = 0.0, max_delay_s = 0.0;
  std::vector<ActuatorPlace> places;  // location of each actuator
  LoopDelay delay;                    // of each actuator
  bool stable = false;                // the loop as it is, each actuator with its own response
  bool stable_uncompensated = false;  // the same without compensation
  /// Delays that may be added to the loop as it is, ascending; more than one: islands beyond the margin.
  std::vector<DelayInterval> stable_added;
  double added_to_s = 0.0;  // largest delay examined
  bool hasIslands() const { return !stable_added.empty() && (stable_added.size() > 1 || stable_added[0].from_s > 0.0); }
  std::vector<double> natural_hz, specimen_clamped_hz, computed_clamped_hz;
  CompensationMethodPtr method = noCompensation();
  struct ReductionError {
    std::size_t dofs = 0, kept = 0;
    static constexpr double kGood = 0.01;
    /// Up to this frequency the condensed stiffness matches that of the whole side within kGood. 0: not even at the
    /// first frequency examined. Beyond an omitted clamped mode the stiffness is wrong.
    double good_hz = 0.0;
  };
  std::optional<ReductionError> computed_reduction, specimen_reduction;
  QString beside;                     // where no loop is closed here: text in place of the critical delay
  bool led = false;                   // the reason: another program leads; else no actuator follows a target
  bool beside_hazard = false;         // the text is a warning
  bool without_laws = false;          // the specimen has laws, which these figures leave out
  std::vector<std::string> left_out;  // parts of the whole structure that both sides leave out
  ModeSet modes;
  std::shared_ptr<const Partition> reduced;  // both sides as in the loop
  QString failed;                            // reason for missing figures; empty: figures are valid
};
/// Slow; does not throw.
DelayFigures delayFigures(const Project& project);

/// tickStability(); none if the system is too large. Does not throw.
std::optional<DiscreteStability> tickFigures(const Project& project, const Partition& reduced);

/// Remarks on a compensation with these settings in a loop with this period; empty if the settings are invalid.
QString compensationRemarks(const Json& section, double step_s = 1e-3, const std::filesystem::path& folder = {});

}  // namespace hyb::ui
