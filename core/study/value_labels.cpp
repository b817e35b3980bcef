#include "core/study/value_labels.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/figure_text.h"
#include "core/base/json.h"

namespace hyb {
namespace {

constexpr std::size_t kLongestLabel = 40;  // bytes of a value that is not an object

std::string textOfJson(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string plainLabel(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float())
    return figureText(value.get<double>(), 6);  // a value of a range, without its rounding error
  if (value.is_array() && value.size() < 2) return value.empty() ? "none" : plainLabel(value.front());
  std::string text = textOfJson(value);
  if (text.size() <= kLongestLabel) return text;
  std::size_t end = kLongestLabel;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // do not split a character
  return text.substr(0, end) + "...";
}

/// "identification gain" for "identification_gain", "gain" for "gain_n2_per_m2": without its unit.
std::string keyWords(std::string key) {
  static const std::set<std::string> kUnits{"s", "hz", "m",  "mm", "n",  "kg",  "deg", "rad",     "v",     "a",
                                            "w", "j",  "n2", "m2", "s2", "per", "um",  "percent", "ticks", "db"};
  for (std::size_t at = key.rfind('_'); at != std::string::npos && kUnits.contains(key.substr(at + 1));
       at = key.rfind('_'))
    key.erase(at);
  std::ranges::replace(key, '_', ' ');
  return key;
}

/// The objects of a value; empty if it is something else.
std::vector<const Json*> objectsOf(const Json& value) {
  if (value.is_object()) return {&value};
  std::vector<const Json*> objects;
  if (value.is_array())
    for (const Json& entry : value) {
      if (!entry.is_object()) return {};
      objects.push_back(&entry);
    }
  return objects;
}

}  // namespace

std::vector<std::string> valueLabels(const std::vector<Json>& values) {
  std::vector<std::string> labels;
  if (std::ranges::none_of(values, [](const Json& value) { return value.is_structured(); })) {
    for (const Json& value : values) labels.push_back(plainLabel(value));
    return labels;
  }
  std::map<std::string, std::set<std::string>> told;  // for each key, its values in the objects
  std::map<std::string, std::size_t> holders;
  std::size_t objects = 0;
  for (const Json& value : values)
    for (const Json* object : objectsOf(value)) {
      ++objects;
      for (const auto& [key, entry] : object->items()) {
        told[key].insert(textOfJson(entry));
        ++holders[key];
      }
    }
  // The label contains words and numbers that differ between objects; `missing`: also those that only some objects
  // have.
  const auto objectLabel = [&](const Json& object, bool missing) {
    std::string words, figures, first;
    const auto add = [](std::string& to, const std::string& text) { to += (to.empty() ? "" : ", ") + text; };
    for (const auto& [key, entry] : object.items()) {
      if (first.empty() && entry.is_string()) first = entry.get<std::string>();
      if (told[key].size() < 2 && !(missing && holders[key] < objects)) continue;
      if (entry.is_string())
        add(words, entry.get<std::string>());
      else
        add(figures, keyWords(key) + ' ' + plainLabel(entry));
    }
    if (words.empty() && (missing || figures.empty())) words = first;
    if (!figures.empty()) add(words, figures);
    return words.empty() ? plainLabel(object) : words;
  };
  const auto label = [&](const Json& value, bool missing) {
    std::string text;
    for (const Json* object : objectsOf(value)) text += (text.empty() ? "" : " + ") + objectLabel(*object, missing);
    return text.empty() ? plainLabel(value) : text;
  };
  for (const bool missing : {false, true}) {
    labels.clear();
    std::map<std::string, std::set<std::string>> meant;
    for (const Json& value : values) meant[labels.emplace_back(label(value, missing))].insert(textOfJson(value));
    if (std::ranges::all_of(meant, [](const auto& one) { return one.second.size() == 1; })) return labels;
    if (!missing) continue;
    for (std::size_t v = 0; v < values.size(); ++v)  // numbered, if words do not differ
      if (const std::set<std::string>& same = meant[labels[v]]; same.size() > 1)
        labels[v] += " #" + std::to_string(1 + std::distance(same.begin(), same.find(textOfJson(values[v]))));
  }
  return labels;
}

}  // namespace hyb
