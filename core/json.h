#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "core/json_fwd.h"

namespace hyb {

/// Text of a field; "" where it is left out.
inline std::string text(const Json& object, const char* key) { return object.value(key, std::string()); }

/// Overwrites `target` where the document gives the key; leaves the default otherwise.
template <typename T>
void read(const Json& object, const char* key, T& target) {
  if (const auto value = object.find(key); value != object.end()) target = value->get<T>();
}

}  // namespace hyb
