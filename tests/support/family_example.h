#pragma once
#include "core/base/json.h"
#include "core/project/schema.h"

namespace hyb::test {

/// Follows references of the assembled schema.
inline const Json& resolvedNode(const Json& node) {
  const auto ref = node.find("$ref");
  if (ref == node.end()) return node;
  return resolvedNode(projectSchema().at(Json::json_pointer(ref->get<std::string>().substr(1))));
}

/// What the branch asks for, with its defaults where it has some, else a value well inside its bounds.
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
  return example;
}

/// The branch of a member; the key that chooses it is the one with a constant.
inline const Json& branchOf(const std::string& family, std::string_view member) {
  for (const Json& branch : projectSchema().at("definitions").at(family).at("oneOf"))
    for (const auto& [key, property] : branch.at("properties").items())
      if (property.contains("const") && property.at("const") == member) return branch;
  throw std::logic_error("no branch");
}

}  // namespace hyb::test
