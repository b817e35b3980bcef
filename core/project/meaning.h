#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/project/project.h"

namespace hyb {

/// The issues of a document; none is listed twice.
class Findings {
 public:
  explicit Findings(std::vector<Issue>& issues) : issues_(issues) {}
  void say(const std::string& where, std::string message);
  /// Takes over what an InputError of `work` lists, with `prefix` before its places.
  void collect(const std::function<void()>& work, const std::string& prefix = "");
  /// Nothing is wrong at places that start with `prefix`.
  bool clean(const std::string& prefix) const;

 private:
  std::vector<Issue>& issues_;
};

/// Index of the item that is called `name`.
template <typename Items>
std::optional<std::size_t> indexOf(const Items& items, const std::string& name) {
  const auto it = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  return it == items.end() ? std::nullopt : std::optional(static_cast<std::size_t>(it - items.begin()));
}

/// "\"m9\" is no mass. Did you mean ... There are ...": long lists are cut short.
std::string unknownName(const std::string& name, const std::string& what, const std::vector<std::string>& known);
/// The first names of a list, quoted, and how many more there are.
std::string someOf(const std::vector<std::string>& words, const std::string& joint);

/// Signals by themselves; rate_hz where the loop is known. What was made of their files goes to the project's notes.
void checkSignals(Project& project, std::optional<double> rate_hz, Findings& findings);
/// Connection, channels and faults of the rig; `interfaces` of the cut.
void checkRig(const Project& project, std::size_t interfaces, std::optional<double> rate_hz, Findings& findings);
/// Resolves the loads. `model` and `whole` (the cut by DOF, before actuator axes) where they are known.
void resolveLoads(const Model* model, const Partition* whole, Project& project, Findings& findings);

}  // namespace hyb
