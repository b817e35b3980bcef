#include "ui/document/schema_tools.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cstdlib>

namespace hyb::ui {
namespace {

QString formText(const char* text) { return QCoreApplication::translate("Form", text); }

const Json& emptyObject() {
  static const Json empty = Json::object();
  return empty;
}

const Json& member(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found == node.end() ? emptyObject() : *found;
}

bool isRequired(const Json& node, const std::string& key) {
  const Json& required = member(node, "required");
  return required.is_array() && std::find(required.begin(), required.end(), Json(key)) != required.end();
}

QString shortNumber(const Json& number) {
  return number.is_number_integer()
             ? QString::number(number.get<qlonglong>())
             : QString::number(number.get<double>(), 'g', 6).replace(QLatin1String("e+0"), QLatin1String("e"));
}

bool sameType(const Json& node, const Json& value) {
  return (value.is_number() && (hasType(node, "number") || (hasType(node, "integer") && value.is_number_integer()))) ||
         (value.is_string() && hasType(node, "string")) || (value.is_boolean() && hasType(node, "boolean")) ||
         (value.is_array() && hasType(node, "array")) || (value.is_object() && hasType(node, "object"));
}

}  // namespace

const Json& resolved(const Json& node) {
  const Json* result = &node;
  for (auto ref = result->find("$ref"); ref != result->end(); ref = result->find("$ref"))
    result = &projectSchema().at(Json::json_pointer(ref->get<std::string>().substr(1)));  // "#/definitions/..."
  return *result;
}

QString schemaText(const Json& node, const char* key) {
  const auto found = node.find(key);
  return found != node.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

bool hasType(const Json& node, const char* type) {
  const Json& types = member(node, "type");
  if (types.is_array()) return std::find(types.begin(), types.end(), Json(type)) != types.end();
  return types.is_string() && types.get_ref<const std::string&>() == type;
}

QString rangeText(const Json& node) {
  QStringList parts;
  if (node.contains("exclusiveMinimum")) parts << formText("above %1").arg(shortNumber(node["exclusiveMinimum"]));
  if (node.contains("minimum"))
    parts << (node.contains("maximum") ? shortNumber(node["minimum"])
                                       : formText("at least %1").arg(shortNumber(node["minimum"])));
  if (node.contains("maximum"))
    parts << (node.contains("minimum") ? formText("to %1") : formText("up to %1")).arg(shortNumber(node["maximum"]));
  if (parts.isEmpty()) return {};
  const QString unit = schemaText(node, "x-unit");
  return formText("Allowed: %1%2.")
      .arg(parts.join(node.contains("minimum") ? QStringLiteral(" ") : QStringLiteral(", ")),
           unit.isEmpty() ? QString() : QLatin1Char(' ') + unit);
}

QString fieldHelp(const Json& node, const std::string& pointer) {
  QStringList lines{schemaText(node, "description")};
  if (const QString range = rangeText(node); !range.isEmpty()) lines << range;
  if (node.contains("default") && node["default"].is_primitive() && !node["default"].is_string())
    lines << formText("Default: %1.").arg(QString::fromStdString(node["default"].dump()));
  lines.removeAll(QString());
  return QStringLiteral("%1\n%2").arg(lines.join(QLatin1Char(' ')), QString::fromStdString(pointer)).trimmed();
}

bool isNumberList(const Json& node) {
  const Json& items = resolved(member(node, "items"));
  return hasType(node, "array") && !hasType(node, "number") && hasType(items, "number") && !hasType(items, "array");
}

bool isNumberTable(const Json& node) { return node.contains("x-table"); }

bool isNameList(const Json& node) {
  return hasType(node, "array") && resolved(member(node, "items")).contains("x-reference");
}

const Json* schemaAt(const Json& document, const std::string& pointer) {
  const Json* node = &projectSchema();
  const Json* value = &document;
  for (std::size_t at = 0; at < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string key = pointer.substr(at + 1, end - at - 1);
    at = end;
    if (value && value->is_array()) {
      const auto index = static_cast<std::size_t>(std::strtoul(key.c_str(), nullptr, 10));
      if (index >= value->size() || !node->contains("items")) return nullptr;
      node = &resolved((*node)["items"]);
      value = &(*value)[index];
      continue;
    }
    const ObjectShape shape = shapeOf(*node, value);
    if (!shape.properties->contains(key)) return nullptr;
    node = &resolved((*shape.properties)[key]);
    value = value && value->is_object() && value->contains(key) ? &(*value)[key] : nullptr;
  }
  return node;
}

bool needsChoices(const Json& unresolved) {
  const Json& node = resolved(unresolved);
  const ObjectShape shape = shapeOf(node, nullptr);
  const Json& body = shape.kind < 0 ? node : *shape.kinds[0].branch;
  if (!shape.alternatives.empty()) return true;
  for (const auto& [key, property] : shape.properties->items())
    if (isRequired(body, key) && !resolved(property).contains("const") && !resolved(property).contains("default"))
      return true;
  return false;
}

bool ObjectShape::isAlternative(const std::string& key) const {
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const Alternative& a) { return a.key == key; });
}

ObjectShape shapeOf(const Json& node, const Json* value) {
  ObjectShape shape;
  const Json* body = &node;
  if (!node.contains("properties") && node.contains("oneOf")) {
    for (const Json& branch : node["oneOf"])
      for (const auto& [key, property] : member(branch, "properties").items())
        if (property.contains("const")) {
          shape.discriminator = key;
          shape.kinds.push_back({schemaText(branch, "title"), property["const"], &branch});
        }
    shape.kind = 0;
    if (value && value->is_object() && value->contains(shape.discriminator))
      for (std::size_t k = 0; k < shape.kinds.size(); ++k)
        if (shape.kinds[k].value == (*value)[shape.discriminator]) shape.kind = static_cast<int>(k);
    body = shape.kinds[static_cast<std::size_t>(shape.kind)].branch;
  }
  shape.properties = &member(*body, "properties");
  if (const Json& choices = member(*body, "oneOf"); choices.is_array())
    for (const Json& choice : choices) {
      const std::string key = choice["required"][0];
      if (value && value->is_object() && value->contains(key))
        shape.alternative = static_cast<int>(shape.alternatives.size());
      shape.alternatives.push_back({schemaText(choice, "title"), key});
    }
  return shape;
}

Json initialValue(const Json& unresolved) {
  const Json& node = resolved(unresolved);
  for (const char* key : {"const", "default"})
    if (node.contains(key)) return node[key];
  if (node.contains("enum")) return node["enum"][0];
  if (hasType(node, "integer") || hasType(node, "number")) {
    if (hasType(node, "integer")) return std::max(std::int64_t{0}, node.value("minimum", std::int64_t{0}));
    if (node.contains("exclusiveMinimum")) return node.value("maximum", 1.0) < 1.0 ? node["maximum"] : Json(1);
    return node.contains("minimum") ? Json(std::max(0.0, node["minimum"].get<double>())) : Json(0);
  }
  if (hasType(node, "boolean")) return false;
  if (hasType(node, "array")) {
    Json array = Json::array();
    for (std::size_t i = 0; i < node.value("minItems", std::size_t{0}); ++i)
      array.push_back(initialValue(node["items"]));
    return array;
  }
  if (hasType(node, "object")) {
    const ObjectShape shape = shapeOf(node, nullptr);
    return inBranch(shape.kind < 0 ? node : *shape.kinds[0].branch, Json::object());
  }
  return "";
}

Json inBranch(const Json& branch, const Json& old) {
  const ObjectShape shape = shapeOf(branch, &old);
  Json result = Json::object();
  for (const auto& [key, unresolved] : shape.properties->items()) {
    const Json& property = resolved(unresolved);
    const bool chosen =
        shape.isAlternative(key) && shape.alternatives[static_cast<std::size_t>(shape.alternative)].key == key;
    if (property.contains("const"))
      result[key] = property["const"];
    else if (old.contains(key) && sameType(property, old[key]) && (chosen || !shape.isAlternative(key)))
      result[key] = old[key];
    else if (isRequired(branch, key) || chosen)
      result[key] = initialValue(property);
  }
  return result;
}

bool isIdle(const Json& property, const Json& object) {
  for (const auto& [key, begin] : property["x-with"].items())
    if (!object.contains(key) || !object[key].is_string() ||
        !object[key].get_ref<const std::string&>().starts_with(begin.get_ref<const std::string&>()))
      return true;
  return false;
}

std::string signatureOf(const Json& value, const Json& unresolved) {
  const Json& node = resolved(unresolved);
  if (value.is_array() && (isNumberList(node) || isNumberTable(node) || isNameList(node))) return ".";
  if (value.is_array()) {
    std::string text = "[";
    for (const Json& element : value) text += signatureOf(element, member(node, "items")) + ",";
    return text + "]";
  }
  if (!value.is_object()) return ".";
  const ObjectShape shape = shapeOf(node, &value);
  std::string text = "{" + std::to_string(shape.kind) + "/" + std::to_string(shape.alternative);
  // Plain fields may appear and disappear (default, own value); only nested values change the form.
  for (const auto& [key, element] : value.items()) {
    if (!element.is_structured()) continue;
    const Json& property = shape.properties->contains(key) ? (*shape.properties)[key] : emptyObject();
    const std::string own = signatureOf(element, property);
    // An object without choices has the same fields while it is left out: the first character typed adds it.
    if (element.is_object() && !needsChoices(property) && own == signatureOf(Json::object(), property)) continue;
    text += key + own;
  }
  return text + "}";
}

std::string nameOf(const Json& item) {
  return item.is_object() && item.contains("name") && item["name"].is_string() ? item["name"].get<std::string>() : "";
}

}  // namespace hyb::ui
