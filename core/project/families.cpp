#include "core/project/families.h"

#include <algorithm>
#include <stdexcept>

#include "core/compensation/method.h"
#include "core/json.h"
#include "core/transfer/actuator.h"
#include "resources/resources.h"

namespace hyb {
namespace {

template <typename Entries>
Family family(const char* name, const char* key, const Entries& entries) {
  Family family{name, key, {}};
  for (const auto& entry : entries) family.members.push_back(entry.name);
  return family;
}

/// The node with a branch for each member, in the form that SchemaCheck and the forms know.
void fill(Json& node, Json& definitions) {
  const Json asked = node.at("x-family"), shared = node.value("properties", Json::object());
  const std::string of = asked.at("of");
  const auto& all = families();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Family& f) { return f.name == of; });
  if (found == all.end()) throw std::logic_error("there is no family " + of);
  const std::string key = found->key;
  node.erase("x-family");
  node.erase("properties");
  Json& branches = node["oneOf"] = Json::array();
  for (const std::string_view member : found->members) {
    Json branch = branchOf(*found, member);
    if (const auto own = branch.find("definitions"); own != branch.end()) {
      definitions.update(*own);
      branch.erase("definitions");
    }
    Json properties = {{key,
                        {{"title", asked.at("title")},
                         {"description", branch.at("description")},
                         {"type", "string"},
                         {"const", member}}}};
    properties.update(branch.at("properties"));
    properties.update(shared);
    Json required = Json::array({key});
    for (const Json& field : branch.value("required", Json::array())) required.push_back(field);
    branch.erase("description");
    branch["type"] = "object";
    branch["additionalProperties"] = false;
    branch["required"] = std::move(required);
    branch["properties"] = std::move(properties);
    branches.push_back(std::move(branch));
  }
  if (!asked.contains("each")) return;
  Json one = node;
  definitions[of + "_each"] = one;
  node["type"] = Json::array({"object", "array"});
  branches.push_back({{"title", "One for each"}, {"description", asked.at("each")}, {"type", "array"}});
  node["minItems"] = 1;
  node["maxItems"] = 200;
  node["items"] = {{"$ref", "#/definitions/" + of + "_each"}};
}

void fillAll(Json& node, Json& definitions) {
  if (node.is_object() && node.contains("x-family")) fill(node, definitions);
  if (node.is_structured())
    for (Json& child : node) fillAll(child, definitions);
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all{family("compensation", "method", compensationMethods()),
                                       family("actuator", "model", actuatorModels())};
  return all;
}

Json branchOf(const Family& family, std::string_view member) {
  return Json::parse(resourceText("schema/" + std::string(family.name) + "/" + std::string(member) + ".json"));
}

std::string chosenMember(const Family& family, const Json& settings) {
  if (settings.is_object())
    if (const auto word = settings.find(family.key); word != settings.end() && word->is_string())
      for (const std::string_view member : family.members)
        if (*word == member) return std::string(member);
  return {};
}

void putFamiliesInto(Json& schema) {
  Json definitions = Json::object();
  fillAll(schema, definitions);
  schema["definitions"].update(definitions);
}

}  // namespace hyb
