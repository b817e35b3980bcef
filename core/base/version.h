#pragma once
#include <string>

namespace hyb {

/// Of this program: "0.9.0".
std::string programVersion();

}  // namespace hyb
