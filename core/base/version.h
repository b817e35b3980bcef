#pragma once
#include <string>

namespace hyb {

/// Version of this program: "0.9.0".
std::string programVersion();

}  // namespace hyb
