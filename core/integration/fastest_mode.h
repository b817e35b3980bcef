#pragma once
#include "core/structure/system.h"

namespace hyb {

/// Largest eigenvalue of A v = lambda M v by the Lanczos method, as an upper bound: the Ritz value plus its residual,
/// which is below 1e-9 of it where the method has converged. A symmetric, M symmetric positive definite. 0 for A = 0.
/// Source: B. N. Parlett, The Symmetric Eigenvalue Problem, ch. 13.
double largestEigenvalue(const SparseMatrix& a, const SparseMatrix& m);

}  // namespace hyb
