#pragma once
#include <string>

namespace hyb {

/// One column of a row.
struct Channel {
  std::string name;   // "target_1"
  std::string units;  // "m"
  std::string description;
  int interface = 0;       // from 1; 0 = none
  std::string title = {};  // beside its curve, "power 1"; made of the name where it is empty
  std::string group = {};  // with which others it is shown, of two units at most; "": those of its unit
};

}  // namespace hyb
