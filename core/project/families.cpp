#include "core/project/families.h"

#include <algorithm>
#include <stdexcept>

#include "core/base/json.h"
#include "core/compensation/addition.h"
#include "core/compensation/method.h"
#include "core/feedforward/adaption_law.h"
#include "core/force_stage/force_stage.h"
#include "core/loop/limit_quantity.h"
#include "core/project/coupling_schemes.h"
#include "core/rig/protocol.h"
#include "core/transfer/actuator.h"
#include "core/transfer/specimen_law.h"
#include "resources/resources.h"

namespace hyb {
namespace {

/// `page` shared by all members; without it, each member has its own.
template <typename Entries>
Family family(const char* name, const char* key, const Entries& entries, const char* page = nullptr) {
  Family family{name, key, {}};
  for (const auto& entry : entries)
    family.members.push_back({entry.name, page != nullptr ? page : name + ("/" + std::string(entry.name))});
  return family;
}

/// The node with one branch per member, in the form for SchemaCheck and the forms.
void fill(Json& node, Json& definitions, Json& added) {
  const Json asked = node.at("x-family"), all_shared = node.value("properties", Json::object()),
             shared_required = node.value("required", Json::array());
  const Family& family = familyOf(asked.at("of"));
  const std::string key = family.key;
  for (const char* taken : {"x-family", "properties", "required"}) node.erase(taken);
  Json& branches = node["oneOf"] = Json::array();
  for (const auto& [member, page] : family.members) {
    Json branch = branchOf(family, member);
    if (const auto own = branch.find("definitions"); own != branch.end()) {
      definitions.update(*own);
      branch.erase("definitions");
    }
    if (const auto adds = branch.find("adds"); adds != branch.end()) {
      for (const auto& [definition, fields] : adds->items()) added[definition].update(fields);
      branch.erase("adds");
    }
    Json shared = all_shared;
    for (const Json& unused : branch.value("without", Json::array())) shared.erase(unused.get<std::string>());
    branch.erase("without");
    Json properties = {{key,
                        {{"title", asked.at("title")},
                         {"description", branch.at("description")},
                         {"type", "string"},
                         {"const", member}}}};
    const bool shared_first = asked.value("shared_first", false);
    properties.update(shared_first ? shared : branch.at("properties"));
    properties.update(shared_first ? branch.at("properties") : shared);
    Json required = Json::array();
    if (!node.contains("x-default-variant")) required.push_back(key);
    for (const Json& fields : {branch.value("required", Json::array()), shared_required})
      for (const Json& field : fields)
        if (properties.contains(field.get<std::string>())) required.push_back(field);
    branch.erase("description");
    branch["type"] = "object";
    branch["additionalProperties"] = false;
    branch["required"] = std::move(required);
    branch["properties"] = std::move(properties);
    branches.push_back(std::move(branch));
  }
  if (!asked.contains("each")) return;
  Json one = node;
  const std::string name = std::string(family.name) + "_each";
  definitions[name] = one;
  node["type"] = Json::array({"object", "array"});
  branches.push_back({{"title", "One for each"}, {"description", asked.at("each")}, {"type", "array"}});
  node["minItems"] = 1;
  node["maxItems"] = 200;
  node["items"] = {{"$ref", "#/definitions/" + name}};
}

void fillAll(Json& node, Json& definitions, Json& added) {
  if (node.is_object() && node.contains("x-family")) fill(node, definitions, added);
  if (node.is_structured())
    for (Json& child : node) fillAll(child, definitions, added);
}

}  // namespace

const std::vector<Family>& families() {
  static const std::vector<Family> all{family("compensation", "method", compensationMethods()),
                                       family("addition", "addition", additions()),
                                       family("coupling", "scheme", couplingSchemes()),
                                       family("adaption", "law", adaptionLaws()),
                                       family("force_stage", "stage", forceStages()),
                                       family("actuator", "model", actuatorModels()),
                                       family("law", "law", specimenLaws()),
                                       family("limit", "quantity", limitQuantities(), "safety"),
                                       family("connection", "protocol", rigProtocols())};
  return all;
}

const Family& familyOf(const std::string& name) {
  const auto& all = families();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Family& f) { return f.name == name; });
  if (found == all.end()) throw std::logic_error("there is no family " + name);
  return *found;
}

Json branchOf(const Family& family, std::string_view member) {
  return Json::parse(resourceText("schema/" + std::string(family.name) + "/" + std::string(member) + ".json"));
}

const FamilyMember* chosenMember(const Family& family, const Json& settings) {
  if (settings.is_object())
    if (const auto word = settings.find(family.key); word != settings.end() && word->is_string())
      for (const FamilyMember& member : family.members)
        if (*word == member.name) return &member;
  return nullptr;
}

std::string helpText(std::string_view page) {
  std::string text(resourceText("help/" + std::string(page) + ".md"));
  for (std::size_t at = text.find("\n{{"); at != std::string::npos; at = text.find("\n{{", at)) {
    const std::size_t end = text.find("}}", at);
    const Family& family = familyOf(text.substr(at + 3, end - at - 3));
    std::string table = "\n| " + std::string(family.key) + " | |\n|---|---|";
    for (const FamilyMember& member : family.members) {
      const Json branch = branchOf(family, member.name);
      table +=
          "\n| " + branch.at("title").get<std::string>() + " | " + branch.at("description").get<std::string>() + " |";
    }
    text.replace(at, end + 2 - at, table);
  }
  return text;
}

void putFamiliesInto(Json& schema) {
  Json definitions = Json::object(), added = Json::object();
  fillAll(schema, definitions, added);
  schema["definitions"].update(definitions);
  for (const auto& [definition, fields] : added.items()) schema["definitions"][definition]["properties"].update(fields);
}

}  // namespace hyb
