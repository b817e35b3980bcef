#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/project.h"

namespace hyb::fuzz {

inline void places(Json& value, std::vector<Json*>& found) {
  found.push_back(&value);
  if (value.is_structured())
    for (Json& inner : value) places(inner, found);
}

/// A sound document with some of its values replaced. `edits`: lines of a place (2 bytes) and a JSON text; a text that
/// is none removes the value (sets null), one that begins with '"key":' adds an entry to an object.
inline Json edited(Json document, std::string_view edits) {
  while (edits.size() > 2) {
    const std::size_t end = std::min(edits.find('\n', 2), edits.size());
    const std::size_t place = static_cast<std::uint8_t>(edits[0]) << 8 | static_cast<std::uint8_t>(edits[1]);
    const std::string text(edits.substr(2, end - 2));
    edits.remove_prefix(std::min(end + 1, edits.size()));
    std::vector<Json*> all;
    places(document, all);
    Json& at = *all[place % all.size()];
    Json value;
    try {
      value = Json::parse(text, nullptr, false);
      if (value.is_discarded() && at.is_object()) {
        const Json entry = Json::parse("{" + text + "}", nullptr, false);
        if (entry.is_object()) at.update(entry);
        continue;
      }
    } catch (const Json::exception&) {  // a number beyond all bounds
      continue;
    }
    at = value.is_discarded() ? Json() : value;
  }
  return document;
}

}  // namespace hyb::fuzz
