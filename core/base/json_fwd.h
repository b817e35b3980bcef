#pragma once
#include <nlohmann/json_fwd.hpp>

namespace hyb {
using Json = nlohmann::ordered_json;  // keeps the order of keys, so that a saved project resembles the loaded one
}
