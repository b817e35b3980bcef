#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/project/project.h"

namespace hyb {

/// The issues of a document, each listed once.
class Findings {
 public:
  explicit Findings(std::vector<Issue>& issues) : issues_(issues) {}
  void say(const std::string& where, std::string message);
  /// Collects the issues of an InputError of `work`, with `prefix` before its places.
  void collect(const std::function<void()>& work, const std::string& prefix = "");
  /// True if no issue has a place that starts with `prefix`.
  bool clean(const std::string& prefix) const;

 private:
  std::vector<Issue>& issues_;
};

/// Index of the item with the name `name`.
template <typename Items>
std::optional<std::size_t> indexOf(const Items& items, const std::string& name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return it == items.end() ? std::nullopt : std::optional(static_cast<std::size_t>(it - items.begin()));
}

/// For example "\"m9\" is no mass. Did you mean ... There are ...". Long lists are shortened.
std::string unknownName(const std::string& name, const std::string& what, const std::vector<std::string>& known);
/// The first names of a list, quoted, and the number of the others.
std::string someOf(const std::vector<std::string>& words, const std::string& joint);

/// Checks the signals alone; rate_hz if the loop is known. Remarks on their files go to the project's notes.
void checkSignals(Project& project, std::optional<double> rate_hz, Findings& findings);
/// Checks connection, channels and faults of the rig; `interfaces` of the cut.
void checkRig(const Project& project, std::size_t interfaces, std::optional<double> rate_hz, Findings& findings);
/// Checks a geometry against the cut; `partition` in actuator axes. Faults with places under /rig/geometry: numbers of
/// legs and motions that differ, axes without a motion or of another kind, legs without length or drawn beyond their
/// bounds, a singular pose at rest, sensors of the partition besides it. `project.axes` may be empty (unknown).
void checkGeometry(const Project& project, const Partition& partition, Findings& findings);
/// Resolves the loads. `model` and `whole` (the cut by DOF, before actuator axes) if they are known.
void resolveLoads(const Model* model, const Partition* whole, Project& project, Findings& findings);

}  // namespace hyb
