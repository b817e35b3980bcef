#include "ui/fidelity/places.h"

#include <algorithm>

#include "core/project/schema.h"
#include "ui/document/schema_tools.h"

namespace hyb::ui {
namespace {

constexpr std::size_t kMostEntries = 40;  // entries of one list; other entries can be typed as pointers
const auto kJoint = QStringLiteral(" › ");

bool isLeaf(const Json& node) {
  if (node.contains("const") || node.contains("x-reference")) return false;
  return node.contains("enum") || hasType(node, "number") || hasType(node, "integer") || hasType(node, "boolean") ||
         hasType(node, "string");
}

class Walk {
 public:
  std::vector<Place> places;

  void object(const Json& schema, const Json& value, const std::string& pointer, const QString& title) {
    const Json* chosen = chosenVariant(schema, value);
    if (!chosen || !chosen->contains("properties")) return;
    const std::string choice = variantKey(schema);  // constant in each variant, but a value to vary
    for (const auto& [key, raw] : chosen->at("properties").items()) {
      if (key == "name" || key == "title" || key == "description" || key == "format" || key == "version") continue;
      const Json& node = resolved(raw);
      const auto found = value.find(key);
      if (key == choice && node.contains("const")) {
        places.push_back({pointer + "/" + pointerToken(key),
                          title + kJoint + schemaText(node, "title"),
                          {},
                          fieldHelp(node, pointer + "/" + pointerToken(key)),
                          false});
        continue;
      }
      visit(node, found == value.end() ? nullptr : &*found, pointer + "/" + pointerToken(key),
            title.isEmpty() ? schemaText(node, "title") : title + kJoint + schemaText(node, "title"));
    }
  }

 private:
  void visit(const Json& node, const Json* value, const std::string& pointer, const QString& title) {
    if (value && value->is_object()) return object(node, *value, pointer, title);
    if (value && value->is_array()) return list(node, *value, pointer, title);
    if (isLeaf(node))
      places.push_back({pointer, title, schemaText(node, "x-unit"), fieldHelp(node, pointer),
                        hasType(node, "number") || hasType(node, "integer")});
  }
  void list(const Json& node, const Json& values, const std::string& pointer, const QString& title) {
    const auto items = node.find("items");
    if (items == node.end() || isNumberTable(node)) return;
    for (std::size_t i = 0; i < std::min(values.size(), kMostEntries); ++i) {
      const QString name = QString::fromStdString(nameOf(values[i]));
      visit(resolved(*items), &values[i], pointer + "/" + std::to_string(i),
            title + QLatin1Char(' ') + (name.isEmpty() ? QString::number(i + 1) : name));
    }
  }
};

}  // namespace

std::vector<Place> placesOf(const Json& project) {
  Walk walk;
  if (!project.is_object()) return {};
  for (const auto& [key, raw] : projectSchema().at("properties").items()) {
    if (key == "meta" || key == "recording" || key == "format" || key == "version") continue;
    const auto section = project.find(key);
    if (section != project.end() && section->is_object())
      walk.object(resolved(raw), *section, "/" + key, schemaText(resolved(raw), "title"));
  }
  return std::move(walk.places);
}

std::vector<std::string> alikeOf(const Json& project, const std::string& pointer) {
  std::vector<std::string> tokens;
  for (std::size_t at = 1; !pointer.empty() && at <= pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at), pointer.size());
    tokens.push_back(pointer.substr(at, end - at));
    at = end + 1;
  }
  std::string list;
  try {
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      const Json& owner = list.empty() ? project : project.at(Json::json_pointer(list));
      if (!owner.is_array()) {
        list += "/" + tokens[t];
        continue;
      }
      std::string rest;
      for (std::size_t r = t + 1; r < tokens.size(); ++r) rest += "/" + tokens[r];
      std::vector<std::string> alike;
      for (std::size_t i = 0; i < owner.size(); ++i) {
        const std::string each = list + "/" + std::to_string(i) + rest;
        try {
          schemaOf(project, each);  // entries of another kind lack this value
          alike.push_back(each);
        } catch (const InputError&) {
        }
      }
      const bool known = std::find(alike.begin(), alike.end(), pointer) != alike.end();
      return known ? alike : std::vector<std::string>{pointer};
    }
  } catch (const Json::exception&) {
    // unknown place: shows the pointer
  }
  return {pointer};
}

}  // namespace hyb::ui
