#pragma once
#include <string>

namespace hyb {

/// Version, commit, compiler and libraries of this program, one per line.
std::string versionText();

}  // namespace hyb
