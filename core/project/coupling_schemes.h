#pragma once
#include <span>
#include <string_view>

#include "core/base/json_fwd.h"
#include "core/coupling/coupling_spec.h"

namespace hyb {

/// One member of the family. `resources/schema/coupling/<name>.json` describes its settings; parse() only receives
/// settings that satisfy it. Help: `resources/help/coupling/<name>.md`.
struct CouplingEntry {
  std::string_view name;
  CouplingSpecPtr (*parse)(const Json& settings);
};
/// All schemes in display order.
std::span<const CouplingEntry> couplingSchemes() noexcept;

}  // namespace hyb
