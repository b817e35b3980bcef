#pragma once
#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/json_fwd.h"

namespace hyb {

/// Text of a field; "" if it is missing.
inline std::string text(const Json& object, const char* key) { return object.value(key, std::string()); }

/// Overwrites `target` if the document has the key; otherwise keeps the default.
template <typename T>
void read(const Json& object, const char* key, T& target) {
  if (const auto value = object.find(key); value != object.end()) target = value->get<T>();
}

/// The enumerator of the word in the document; `words` in the order of the enumerators.
template <typename Enum>
void readChoice(const Json& object, const char* key, std::initializer_list<const char*> words, Enum& target) {
  const std::string word = text(object, key);
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) target = static_cast<Enum>(found - words.begin());
}

}  // namespace hyb
