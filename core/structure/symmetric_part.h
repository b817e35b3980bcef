#pragma once
#include <string>

#include "core/structure/system.h"

namespace hyb {

/// How far a matrix is from a symmetric one, measured by the precision of its numbers: double, single (also where they
/// were printed with up to nine digits), or so many printed digits (six and more; fewer are taken for exact).
struct Asymmetry {
  bool allowed = true;               // no mirrored entries differ by more than that precision
  Eigen::Index row = 0, column = 0;  // of those that differ most: beyond what is allowed where it is not, else at all
  double of_largest = 0.0;           // by how much, as a share of the largest entry; 0: symmetric to the bit
  std::string precision;             // "single precision"; empty: double
};
Asymmetry asymmetryOf(const SparseMatrix& matrix);

/// The symmetric part of a matrix.
SparseMatrix symmetricPart(const SparseMatrix& matrix);

}  // namespace hyb
