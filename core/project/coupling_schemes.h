#pragma once
#include <span>
#include <string_view>

#include "core/base/json_fwd.h"
#include "core/coupling/coupling_spec.h"

namespace hyb {

/// One member of the family. Its settings are described in resources/schema/coupling/<name>.json, which those that
/// parse() gets are known to keep; its help is resources/help/coupling/<name>.md.
struct CouplingEntry {
  std::string_view name;
  CouplingSpecPtr (*parse)(const Json& settings);
};
/// All schemes there are, in the order in which they are offered.
std::span<const CouplingEntry> couplingSchemes() noexcept;

}  // namespace hyb
