#pragma once
#include <string>

namespace hyb {

/// One column of a row or of a table.
struct Channel {
  std::string name;   // "target_1"
  std::string units;  // "m"
  std::string description;
  int interface = 0;       // from 1; 0 = none
  std::string title = {};  // beside its curve, "power 1"; made of the name where it is empty
  std::string group = {};  // with which others it is shown, of two units at most; "": those of its unit
  bool discrete = false;   // counts and bits: nothing lies between two values
};

/// Column of the specimen's displacement at interface i, from 0, where it is not that of the actuator.
inline std::string specimenColumn(std::size_t i) { return "specimen_" + std::to_string(i + 1); }

/// Column of a scheme that asks for forces: where the piston of interface i, from 0, is to go.
inline std::string pistonTargetColumn(std::size_t i) { return "piston_target_" + std::to_string(i + 1); }

}  // namespace hyb
