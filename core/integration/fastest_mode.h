#pragma once
#include "core/structure/system.h"

namespace hyb {

/// Largest eigenvalue of A v = lambda M v by the Lanczos method, as an upper bound: the Ritz value plus its residual,
/// at most 1e-4 above unless 300 steps are not sufficient. A symmetric, M symmetric positive definite. 0 for A = 0.
/// Source: B. N. Parlett, The Symmetric Eigenvalue Problem, ch. 13.
double largestEigenvalue(const SparseMatrix& a, const SparseMatrix& m);

}  // namespace hyb
