#pragma once
#include <string>

#include "core/structure/system.h"

namespace hyb {

/// Asymmetry of a matrix relative to the precision of its numbers: double, single (also if printed with up to nine
/// digits), or a number of printed digits (six and more; fewer count as exact).
struct Asymmetry {
  bool allowed = true;               // no mirrored entries differ by more than that precision
  Eigen::Index row = 0, column = 0;  // of the entries with the largest difference beyond the precision; if none exceeds
                                     // it, with the largest at all
  double of_largest = 0.0;           // this difference, as a share of the largest entry; 0: symmetric to the bit
  std::string precision;             // "single precision"; empty: double
};
Asymmetry asymmetryOf(const SparseMatrix& matrix);

/// The symmetric part of a matrix.
SparseMatrix symmetricPart(const SparseMatrix& matrix);

}  // namespace hyb
