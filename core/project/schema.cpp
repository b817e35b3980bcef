#include "core/project/schema.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/project/families.h"
#include "resources/resources.h"

namespace hyb {
namespace {

/// Targets of "$ref", for direct access: resolving a pointer key by key at each value would be slow.
const std::map<std::string, const Json*>& definitions() {
  static const auto all = [] {
    std::map<std::string, const Json*> named;
    for (const auto& [name, definition] : projectSchema().at("definitions").items())
      named.emplace("#/definitions/" + name, &definition);
    return named;
  }();
  return all;
}

const Json& resolve(const Json& schema) {
  const auto ref = schema.find("$ref");
  return ref == schema.end() ? schema : resolve(*definitions().at(ref->get_ref<const std::string&>()));
}

std::vector<std::string> keysOf(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

bool allows(const Json& schema, const char* type) {
  const auto types = schema.find("type");
  if (types == schema.end()) return true;
  return types->is_array() ? std::find(types->begin(), types->end(), type) != types->end() : *types == type;
}

std::string unitOf(const Json& schema) {
  const std::string unit = schema.value("x-unit", "");
  return unit.empty() ? "" : " " + unit;
}

/// For example "greater than 0 and at most 10 m".
std::string rangeText(const Json& schema) {
  std::string text;
  const bool above = schema.contains("exclusiveMinimum");
  if (above || schema.contains("minimum")) {
    text = above ? " greater than " : " of at least ";
    text += numberText(schema.at(above ? "exclusiveMinimum" : "minimum").get<double>());
  }
  if (schema.contains("maximum")) {
    text += text.empty() ? " of at most " : " and at most ";
    text += numberText(schema.at("maximum").get<double>());
  }
  return text.empty() ? (unitOf(schema).empty() ? "" : " in" + unitOf(schema)) : text + unitOf(schema);
}

/// The type required here, as text after "give ".
std::string wanted(const Json& raw) {
  const Json& schema = resolve(raw);
  if (const std::string key = variantKey(schema); !key.empty())
    return "an object with \"" + key + "\"" + (allows(schema, "array") ? ", or a list of such" : "");
  if (schema.contains("const")) return schema.at("const").dump();
  if (schema.contains("enum")) return "one of " + quotedList(schema.at("enum").get<std::vector<std::string>>());
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : " or ") + part; };
  if (allows(schema, "boolean")) add("true or false");
  if (allows(schema, "integer")) add("a whole number" + rangeText(schema));
  if (allows(schema, "number")) add("a number" + rangeText(schema));
  if (allows(schema, "string")) add("text in quotes");
  if (allows(schema, "array"))
    add(allows(schema, "number") ? "a list of such numbers, one for each actuator" : "a list in [ ]");
  if (allows(schema, "object")) add("an object in { }");
  return text;
}

std::string found(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case Json::value_t::string: {
      constexpr std::size_t kShown = 40;
      const auto& text = value.get_ref<const std::string&>();
      return text.size() > kShown ? "a long text" : "the text \"" + text + "\"";
    }
    default:
      return "the number " + numberText(value.get<double>());
  }
}

class SchemaCheck {
 public:
  std::vector<Issue> run(const Json& document, const Json& schema) {
    check(schema, document, "");
    return std::move(issues_);
  }

 private:
  void say(const std::string& where, std::string message) { issues_.push_back({where, std::move(message)}); }

  void check(const Json& raw, const Json& value, const std::string& where) {
    const Json& schema = resolve(raw);
    if (!schema.contains("type") && !schema.contains("oneOf")) return;  // accepts any value
    if (!typeFits(schema, value)) {
      say(where, "is " + found(value) + "; give " + wanted(schema) + ".");
      return;
    }
    if (schema.contains("const") || schema.contains("enum")) {
      choice(schema, value, where);
    } else if (value.is_number()) {
      number(schema, value.get<double>(), where);
    } else if (value.is_string()) {
      text(schema, value.get_ref<const std::string&>(), where);
    } else if (value.is_array()) {
      list(schema, value, where);
    } else if (value.is_object()) {
      if (variantKey(schema).empty())
        object(schema, value, where);
      else
        variant(schema, value, where);
    }
  }

  static bool typeFits(const Json& schema, const Json& value) {
    switch (value.type()) {
      case Json::value_t::object:
        return allows(schema, "object");
      case Json::value_t::array:
        return allows(schema, "array");
      case Json::value_t::string:
        return allows(schema, "string");
      case Json::value_t::boolean:
        return allows(schema, "boolean");
      case Json::value_t::number_integer:
      case Json::value_t::number_unsigned:
        return allows(schema, "integer") || allows(schema, "number");
      case Json::value_t::number_float: {
        const double number = value.get<double>();
        return allows(schema, "number") || (allows(schema, "integer") && std::trunc(number) == number);
      }
      default:
        return false;
    }
  }

  void choice(const Json& schema, const Json& value, const std::string& where) {
    const Json options = schema.contains("const") ? Json::array({schema.at("const")}) : schema.at("enum");
    if (std::find(options.begin(), options.end(), value) != options.end()) return;
    const auto names = value.is_string() ? options.get<std::vector<std::string>>() : std::vector<std::string>{};
    say(where, found(value) + " is not known here. " +
                   (value.is_string() ? hint(value.get_ref<const std::string&>(), names) : "") + "Give " +
                   wanted(schema) + ".");
  }

  void number(const Json& schema, double value, const std::string& where) {
    const auto bound = [&](const char* key) { return schema.at(key).get<double>(); };
    const char* fault = !std::isfinite(value)                                                       ? ""
                        : schema.contains("exclusiveMinimum") && value <= bound("exclusiveMinimum") ? " is too small"
                        : schema.contains("minimum") && value < bound("minimum")                    ? " is too small"
                        : schema.contains("maximum") && value > bound("maximum")                    ? " is too large"
                                                                                                    : nullptr;
    if (fault != nullptr)
      say(where, "is " + numberText(value) + unitOf(schema) + ", which" + (*fault ? fault : " is not finite") +
                     "; give a number" + rangeText(schema) + ".");
  }

  void text(const Json& schema, const std::string& value, const std::string& where) {
    const long length = utf8Length(value);
    const bool multiline = schema.value("x-multiline", false);
    if (length < 0)
      say(where, "has bytes that are not UTF-8; enter the text again.");
    else if (std::any_of(value.begin(), value.end(), [&](char c) {
               return (static_cast<unsigned char>(c) < 0x20 && !(multiline && (c == '\n' || c == '\t'))) || c == 0x7F;
             }))
      say(where, "has control characters or line breaks; remove them.");
    else if (length < schema.value("minLength", 0L))
      say(where, "is empty; give a text of at least one character.");
    else if (schema.contains("maxLength") && length > schema.at("maxLength").get<long>())
      say(where, "has " + std::to_string(length) + " characters; at most " + schema.at("maxLength").dump() +
                     " are allowed, so shorten it.");
  }

  void list(const Json& schema, const Json& value, const std::string& where) {
    if (value.size() < schema.value("minItems", std::size_t{0}))
      say(where, "has too few entries; give at least " + schema.at("minItems").dump() + ".");
    if (schema.contains("maxItems") && value.size() > schema.at("maxItems").get<std::size_t>()) {
      say(where, "has " + std::to_string(value.size()) + " entries; at most " + schema.at("maxItems").dump() +
                     " are allowed.");
      return;
    }
    for (std::size_t i = 0; i < value.size(); ++i) check(schema.at("items"), value[i], where + "/" + std::to_string(i));
  }

  void variant(const Json& schema, const Json& value, const std::string& where) {
    if (const Json* chosen = chosenVariant(schema, value)) {
      object(*chosen, value, where);
      return;
    }
    const std::string key = variantKey(schema);
    std::vector<std::string> names;
    for (const Json& branch : schema.at("oneOf"))
      if (branch.contains("properties"))
        names.push_back(branch.at("properties").at(key).at("const").get<std::string>());
    const auto choice = value.find(key);
    if (choice == value.end())
      say(where + "/" + key,
          "is missing; give " + std::string(names.size() > 1 ? "one of " : "") + quotedList(names) + ".");
    else
      say(where + "/" + key, "is " + found(*choice) + ", which is not known. " +
                                 (choice->is_string() ? hint(choice->get<std::string>(), names) : "") + "Give " +
                                 (names.size() > 1 ? "one of " : "") + quotedList(names) + ".");
  }

  void object(const Json& schema, const Json& value, const std::string& where) {
    const Json& properties = schema.at("properties");
    for (const Json& entry : schema.value("required", Json::array())) {
      const auto key = entry.get<std::string>();
      if (!value.contains(key)) missing(properties.at(key), where + "/" + key);
    }
    for (const auto& [key, child] : value.items()) {
      const auto property = properties.find(key);
      if (property == properties.end()) {
        if (schema.contains("x-described-by")) continue;
        const auto known = keysOf(properties);
        const std::string quoted = utf8Length(key) < 0 || key.size() > 60 ? "this key" : "\"" + key + "\"";
        say(where + "/" + pointerToken(key),
            quoted + " is not known here. " + hint(key, known) +
                (known.empty() ? "Remove it." : "Known are " + quotedList(known, "and") + "."));
      } else {
        check(*property, child, where + "/" + key);
      }
    }
    alternatives(schema, value, where);
  }

  void missing(const Json& raw, const std::string& where) {
    const Json& schema = resolve(raw);
    std::string message = "is missing; give " + wanted(schema);
    if (schema.contains("default")) message += " (usual: " + schema.at("default").dump() + ")";
    say(where, message + ": " + schema.value("description", schema.value("title", std::string())));
  }

  /// `oneOf` of keys: exactly one of them. `not` with `anyOf` sets of keys: no whole set.
  void alternatives(const Json& schema, const Json& value, const std::string& where) {
    const auto key = [](const Json& branch) { return branch.at("required").at(0).get<std::string>(); };
    if (const auto choices = schema.find("oneOf"); choices != schema.end()) {
      std::vector<std::string> all, given;
      for (const Json& branch : *choices) {
        all.push_back(key(branch));
        if (value.contains(all.back())) given.push_back(all.back());
      }
      if (given.empty()) {
        std::string message = "needs ";
        for (const Json& branch : *choices)
          message += (&branch == &choices->front() ? "\"" : " or \"") + key(branch) + "\" (" +
                     branch.at("title").get<std::string>() + ")";
        say(where, message + "; add one of them.");
      } else if (given.size() > 1) {
        say(where + "/" + given.back(), "cannot stand beside \"" + given.front() + "\"; keep one of them.");
      }
    }
    if (const auto none = schema.find("not"); none != schema.end()) {
      for (const Json& both : none->at("anyOf")) {
        const auto keys = both.at("required").get<std::vector<std::string>>();
        if (std::all_of(keys.begin(), keys.end(), [&](const std::string& k) { return value.contains(k); }))
          say(where + "/" + keys.back(), "cannot stand beside \"" + keys.front() + "\"; keep one of them.");
      }
    }
  }

  std::vector<Issue> issues_;
};

}  // namespace

const Json& projectSchema() {
  static const Json schema = [] {
    Json whole = Json::parse(resourceText("schema/project.schema.json"));
    putFamiliesInto(whole);
    return whole;
  }();
  return schema;
}

std::string variantKey(const Json& raw) {
  const Json& schema = resolve(raw);
  const auto branches = schema.find("oneOf");
  if (branches == schema.end() || !branches->front().contains("properties")) return {};
  for (const auto& [key, property] : branches->front().at("properties").items())
    if (property.contains("const")) return key;
  return {};
}

const Json* chosenVariant(const Json& raw, const Json& value) {
  const Json& schema = resolve(raw);
  const std::string key = variantKey(schema);
  if (key.empty() || (value.is_array() && schema.contains("items"))) return &schema;
  const auto given = value.find(key);
  const Json choice = given != value.end() ? *given : schema.value("x-default-variant", Json());
  for (const Json& branch : schema.at("oneOf"))
    if (branch.contains("properties") && branch.at("properties").at(key).at("const") == choice) return &branch;
  return nullptr;
}

Json withDefaults(Json value, const Json& raw) {
  const Json& schema = resolve(raw);
  if (value.is_array()) {
    if (schema.contains("items"))
      for (Json& entry : value) entry = withDefaults(std::move(entry), schema.at("items"));
    return value;
  }
  const Json* chosen = value.is_object() ? chosenVariant(schema, value) : nullptr;
  if (chosen == nullptr || !chosen->contains("properties")) return value;
  const auto isAlternative = [&](const std::string& key) {
    for (const Json& branch : chosen->value("oneOf", Json::array()))
      if (branch.contains("required") && branch.at("required").at(0) == key) return true;
    const Json both = chosen->value(Json::json_pointer("/not/required"), Json::array());
    return std::find(both.begin(), both.end(), Json(key)) != both.end();
  };
  if (const std::string key = variantKey(schema); !key.empty() && !value.contains(key))
    value[key] = chosen->at("properties").at(key).at("const");
  for (const auto& [key, property] : chosen->at("properties").items()) {
    if (const auto given = value.find(key); given != value.end()) {
      *given = withDefaults(std::move(*given), property);
    } else if (!isAlternative(key)) {
      const Json& field = resolve(property);
      if (property.contains("default") || field.contains("default"))
        value[key] = property.contains("default") ? property.at("default") : field.at("default");
    }
  }
  return value;
}

Json sectionWithDefaults(const Json& document, const std::string& section) {
  return withDefaults(document.at(section), projectSchema().at("properties").at(section));
}

std::vector<Issue> checkSchema(const Json& document) { return checkSchema(document, projectSchema()); }
std::vector<Issue> checkSchema(const Json& document, const Json& schema) { return SchemaCheck().run(document, schema); }

const Json& schemaOf(const Json& document, const std::string& pointer) {
  const Json* schema = &projectSchema();
  const Json* value = &document;  // nullptr: this place does not exist in the document yet
  static const Json absent = Json::object();
  std::string where;
  for (std::size_t at = 1, next; at <= pointer.size(); at = next + 1) {
    next = std::min(pointer.find('/', at), pointer.size());
    const std::string token = Json::json_pointer(pointer.substr(at - 1, next - at + 1)).back();
    const std::string here = where + "/" + pointerToken(token);
    const Json* chosen = chosenVariant(*schema, value == nullptr ? absent : *value);
    if (chosen == nullptr)
      throw InputError(here, "cannot be set before \"" + where + "/" + variantKey(*schema) + "\" is; set that first.");
    if (value != nullptr && value->is_array() && chosen->contains("items")) {
      const bool digits = !token.empty() && token.find_first_not_of("0123456789") == std::string::npos;
      if (!digits || token.size() > 6 || std::stoul(token) >= value->size())
        throw InputError(here, "is not an entry of the list, which has " + std::to_string(value->size()) +
                                   " entries, counted from 0.");
      schema = &chosen->at("items");
      value = &(*value)[std::stoul(token)];
    } else if (const auto properties = chosen->find("properties");
               properties != chosen->end() && properties->contains(token)) {
      schema = &properties->at(token);
      value = value != nullptr && value->is_object() && value->contains(token) ? &value->at(token) : nullptr;
    } else if (chosen->contains("x-described-by")) {  // its members are known elsewhere
      schema = &absent;
      value = nullptr;
    } else {
      const auto known = properties == chosen->end() ? std::vector<std::string>{} : keysOf(*properties);
      throw InputError(here, "there is no such place in a project. " + hint(token, known) +
                                 (known.empty() ? "\"" + where + "\" has no members."
                                                : "Known here are " + quotedList(known, "and") + "."));
    }
    where = here;
  }
  return resolve(*schema);
}

}  // namespace hyb
