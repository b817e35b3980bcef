#pragma once
#include <string>

namespace hyb {

/// One column of a row.
struct Channel {
  std::string name;   // "target_1"
  std::string units;  // "m"
  std::string description;
  int interface = 0;  // from 1; 0 = none
};

}  // namespace hyb
