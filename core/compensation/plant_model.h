#pragma once
#include <Eigen/Core>
#include <vector>

#include "core/base/json_fwd.h"

namespace hyb {

/// A zero or pole of a transfer function, or a complex pair.
struct PlantRoot {
  double hz = -1.0;      // real part over 2 pi
  double imag_hz = 0.0;  // not 0: a complex pair
};

/// Motion over command of one axis: factor product(s - zeros) / product(s - poles), roots in rad/s.
struct PlantPath {
  std::vector<PlantRoot> zeros;
  double factor = 1.0;
};

/// Identified transfer functions of one command: to the motion of its own axis and to those of other axes. All have the
/// same poles.
struct PlantColumn {
  struct Cross {
    std::size_t axis;  // from 0
    PlantPath path;
  };
  std::vector<PlantRoot> poles;
  PlantPath own;
  std::vector<Cross> cross;
};

/// Number of roots; a pair counts twice.
std::size_t orderOf(const std::vector<PlantRoot>& roots) noexcept;
/// Polynomial in ascending powers of s, s/rad, with these roots; 1 at s = 0.
std::vector<double> rootPolynomial(const std::vector<PlantRoot>& roots);
/// Polynomial that belongs to rootPolynomial(poles) as denominator.
std::vector<double> numeratorOf(const PlantPath& path, const std::vector<PlantRoot>& poles);

/// States h_k = (s/w)^k u / D(s/w) of a denominator of order n with a monic D, k from 0 to n - 1; w is the mean
/// magnitude of the poles, so that all are of one size:  h' = a h + b u,  N(s)/D(s) u = row(N) h.
struct CompanionForm {
  explicit CompanionForm(const std::vector<double>& denominator);
  Eigen::RowVectorXd row(const std::vector<double>& numerator) const;  // of lower order
  Eigen::MatrixXd a;                                                   // [n, n], 1/s
  Eigen::VectorXd b;                                                   // [n], 1/s
  double w;                                                            // rad/s
};

/// Plant of several commands, one column each, with commands held over the tick:
///   x(k+1) = a x(k) + b u(k),  motion(k) = c x(k).
struct SampledPlant {
  Eigen::MatrixXd a, b, c;  // [n, n], [n, axis], [axis, n]
};
SampledPlant sampled(const std::vector<PlantColumn>& plant, double step_s);

/// Reads "zeros" or "poles".
std::vector<PlantRoot> readRoots(const Json& object, const char* key);

}  // namespace hyb
