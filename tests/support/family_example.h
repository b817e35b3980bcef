#pragma once
#include "core/base/json.h"
#include "core/project/schema.h"
#include "core/project/tunable_range.h"

namespace hyb::test {

/// Follows references of the assembled schema.
inline const Json& resolvedNode(const Json& node) {
  const auto ref = node.find("$ref");
  if (ref == node.end()) return node;
  return resolvedNode(projectSchema().at(Json::json_pointer(ref->get<std::string>().substr(1))));
}

/// All fields of the branch: with its defaults where it has some, else, if they are required, a value well inside its
/// bounds.
inline Json exampleOf(const Json& raw) {
  const Json& schema = resolvedNode(raw);
  if (schema.contains("const")) return schema.at("const");
  if (schema.contains("default")) return schema.at("default");
  if (schema.contains("examples")) return schema.at("examples").at(0);
  if (schema.contains("enum")) return schema.at("enum").at(0);
  const bool object = schema.contains("properties");
  if (!object && schema.contains("oneOf")) return exampleOf(schema.at("oneOf").at(0));
  if (!object) return schema.value("minimum", schema.value("exclusiveMinimum", 0.0)) + 1.0;
  Json example = Json::object();
  const auto fill = [&](const Json& required) {
    for (const Json& key : required)
      example[key.get<std::string>()] = exampleOf(schema.at("properties").at(key.get<std::string>()));
  };
  fill(schema.at("required"));
  if (schema.contains("oneOf")) fill(schema.at("oneOf").at(0).at("required"));  // of several keys the first
  return withDefaults(std::move(example), schema);
}

/// The branch of a member; the key that chooses it is the one with a constant.
inline const Json& branchOf(const std::string& family, std::string_view member) {
  for (const Json& branch : projectSchema().at("definitions").at(family).at("oneOf"))
    for (const auto& [key, property] : branch.at("properties").items())
      if (property.contains("const") && property.at("const") == member) return branch;
  throw std::logic_error("no branch");
}

/// Tunables of a member at their place in a project; each has a finite range that contains its value.
inline std::vector<Tunable> boundedTunables(std::vector<Tunable> tunables, const std::string& place, Json section) {
  Json document = Json::object();
  document[Json::json_pointer(place)] = std::move(section);
  for (Tunable& tunable : tunables) tunable.field = place + tunable.field;
  boundTunables(tunables, document);
  for (const Tunable& tunable : tunables)
    if (!(std::isfinite(tunable.min) && tunable.min <= tunable.value && tunable.value <= tunable.max &&
          std::isfinite(tunable.max)))
      throw std::logic_error(tunable.name + " has no range");
  return tunables;
}

}  // namespace hyb::test
