#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/signal_kind.h"

namespace hyb {

/// What a column is for those who read it, whatever its name.
enum class ColumnRole : std::uint8_t {
  further,  // of a scheme, a rig or an imported record: its name, title and unit say what it is
  time,
  tick,
  flags,
  timing,
  excitation,
  target,
  command,
  measured,
  force,
  gap,
  velocity,
  reference,
  specimen,        // displacement of the specimen, if it differs from that of the actuator
  piston_target,   // displacement target of the piston, of a scheme with force targets
  modelled_force,  // force of the specimen by its model, in place of the measured one
  adapted,
  derived,  // of the other columns, by who shows them
};

/// As in the attribute `role` of a run file; with the number of its interface the name of the column, "target_1".
inline constexpr std::array<std::string_view, 18> kColumnRoles = {
    "further", "time", "tick",     "flags",     "timing",   "excitation",    "target",         "command", "measured",
    "force",   "gap",  "velocity", "reference", "specimen", "piston_target", "modelled_force", "adapted", "derived"};
constexpr std::string_view name(ColumnRole role) noexcept { return kColumnRoles[static_cast<std::size_t>(role)]; }
/// The role with this name; further if there is none.
constexpr ColumnRole columnRole(std::string_view name) noexcept {
  const auto found = std::ranges::find(kColumnRoles, name);
  return found == kColumnRoles.end() ? ColumnRole::further : static_cast<ColumnRole>(found - kColumnRoles.begin());
}

/// One column of a row or of a table.
struct Channel {
  std::string name;   // "target_1"
  std::string units;  // "m"
  std::string description;
  int interface = 0;       // from 1; 0: none
  std::string title = {};  // title of its curve, "power 1"; empty: derived from the name
  std::string group = {};  // group of columns in one plot, at most two units; "": all columns of its unit
  bool discrete = false;   // counts and bits: no value lies between two of them
  ColumnRole role = ColumnRole::further;
  std::optional<SignalKind> kind = {};  // of a signal of the interface; of a velocity, that of its motion
};

/// Name of the column with this role at interface i, from 0.
inline std::string columnName(ColumnRole role, std::size_t i) {
  return std::string(name(role)) + "_" + std::to_string(i + 1);
}

}  // namespace hyb
