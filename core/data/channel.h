#pragma once
#include <string>

namespace hyb {

/// One column of a row or of a table.
struct Channel {
  std::string name;   // "target_1"
  std::string units;  // "m"
  std::string description;
  int interface = 0;       // from 1; 0: none
  std::string title = {};  // title of its curve, "power 1"; empty: derived from the name
  std::string group = {};  // group of columns in one plot, at most two units; "": all columns of its unit
  bool discrete = false;   // counts and bits: no value lies between two of them
};

/// Column of the specimen's displacement at interface i, from 0, if it differs from that of the actuator.
inline std::string specimenColumn(std::size_t i) { return "specimen_" + std::to_string(i + 1); }

/// Column of a scheme with force targets: displacement target of the piston of interface i, from 0.
inline std::string pistonTargetColumn(std::size_t i) { return "piston_target_" + std::to_string(i + 1); }

}  // namespace hyb
