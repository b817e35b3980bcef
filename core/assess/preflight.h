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

/// One line of the checklist before arming.
struct PreflightItem {
  std::string name;  // "limits", "command", "safe state", "calibration", "zero", "place", ...
  CheckState state = CheckState::unknown;
  std::string sentence;  // what was found and, if not ok, what to do
};

/// Input of the checklist. Empty members are unknown.
struct PreflightInput {
  const Project& project;
  std::chrono::year_month_day today;
  const Json* stability = nullptr;          // stabilityReport() of the project
  RealtimeOutcome realtime = {};            // RealtimeReport::outcome()
  std::optional<double> free_bytes = {};    // in the folder of the run file
  std::optional<double> needed_bytes = {};  // of the run file
  const LinkFigures* link = nullptr;
  std::vector<AxisReading> readings = {};  // [i], current readings of the rig
};

/// The checklist in display order. A pure function of its input.
std::vector<PreflightItem> preflight(const PreflightInput& input);

/// Statement on the stability of a test whose coupling scheme does not track: its hazard, or that there is none.
std::string besideTracking(const CouplingSpec& coupling);

}  // namespace hyb
