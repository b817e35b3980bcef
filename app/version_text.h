#pragma once
#include <string>

namespace hyb {

/// Version, commit, compiler and libraries of this program, a line each.
std::string versionText();

}  // namespace hyb
