#include "ui/configure/specimen_laws.h"

#include <algorithm>

#include "core/project/families.h"

namespace hyb::ui {
namespace {

Json arrayAt(const Json& document, const char* pointer) {
  const Json::json_pointer place(pointer);
  return document.contains(place) && document.at(place).is_array() ? document.at(place) : Json::array();
}

std::string textOf(const Json& item, const char* key) {
  return item.is_object() && item.contains(key) && item[key].is_string() ? item[key].get<std::string>() : "";
}

/// Title of a law as in the form; an unknown word stays unchanged.
QString titleOf(const Json& law, const std::string& word) {
  const Family& family = familyOf("law");
  const FamilyMember* member = chosenMember(family, law);
  return QString::fromStdString(member != nullptr ? branchOf(family, member->name).value("title", word) : word);
}

}  // namespace

std::vector<std::string> interfaceNames(const Json& document) {
  std::vector<std::string> names;
  for (const Json& name : arrayAt(document, "/partition/interface"))
    names.push_back(name.is_string() ? name.get<std::string>() : "");
  return names;
}

std::vector<LawPlace> lawPlaces(const Json& document) {
  std::vector<LawPlace> places;
  const std::vector<std::string> named = interfaceNames(document);
  for (const Json& law : arrayAt(document, "/rig/specimen/laws")) {
    const std::string kind = textOf(law, "law");
    if (kind.empty()) continue;
    const bool numbered = law.contains("interface") && law["interface"].is_number_integer();
    const auto number = static_cast<std::size_t>(std::max(1, numbered ? law["interface"].get<int>() : 1));
    std::string dof = textOf(law, "dof");
    if (dof.empty() && number <= named.size()) dof = named[number - 1];
    places.push_back({dof, number, titleOf(law, kind)});
  }
  return places;
}

}  // namespace hyb::ui
