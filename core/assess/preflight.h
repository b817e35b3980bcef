#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/assess/rest.h"
#include "core/project/project.h"
#include "core/rig/link.h"

namespace hyb {

enum class CheckState : std::uint8_t { ok, warning, bad, unknown };
std::string_view name(CheckState state) noexcept;  // "ok", "warning", "bad", "unknown"

/// One line of the list before arming.
struct PreflightItem {
  std::string name;  // "limits", "command", "safe state", "calibration", "zero", "place", ...
  CheckState state = CheckState::unknown;
  std::string sentence;  // what was found and, where it is not ok, what to do
};

/// What the list is made from; what is left empty is unknown.
struct PreflightInput {
  const Project& project;
  std::chrono::year_month_day today;
  const Json* stability = nullptr;          // stabilityReport() of the project
  RealtimeOutcome realtime = {};            // RealtimeReport::outcome()
  std::optional<double> free_bytes = {};    // where the run file goes
  std::optional<double> needed_bytes = {};  // of the run file
  const LinkFigures* link = nullptr;
  std::vector<AxisReading> readings = {};  // [i], of the rig as it stands
};

/// The list, in the order in which it is shown. A pure function of its input.
std::vector<PreflightItem> preflight(const PreflightInput& input);

/// What can be said of the stability of a test whose coupling scheme does not track: its hazard, or that there is none.
std::string besideTracking(const CouplingSpec& coupling);

}  // namespace hyb
