#include "core/harmonic/moving_side.h"

#include <complex>
#include <string>

#include "core/base/error.h"
#include "core/linalg/eliminate.h"
#include "core/structure/sides.h"

namespace hyb {

using Eigen::Index;

MovingSide::MovingSide(const SystemMatrices& side, const std::vector<Index>& interface, const Eigen::MatrixXd& to_axes,
                       const Eigen::MatrixXcd& loads)
    : inside_(side.size() - static_cast<Index>(interface.size())), outside_(static_cast<Index>(interface.size())) {
  if (inside_ > kMostInside)
    throw InputError("/partition/reduction/numerical",
                     "has " + std::to_string(inside_) + " degrees of freedom inside the computed side, but at most " +
                         std::to_string(kMostInside) +
                         " are possible for a change of frequency during a test; reduce it (craig-bampton).");
  // Columns of the transformation: inner DOF unchanged, followed by the interface in its coordinates.
  Eigen::MatrixXd basis = Eigen::MatrixXd::Zero(side.size(), side.size());
  const std::vector<Index> inner = others(interface, side.size());
  for (Index b = 0; b < inside_; ++b) basis(inner[static_cast<std::size_t>(b)], b) = 1.0;
  for (Index i = 0; i < outside_; ++i)
    basis.row(interface[static_cast<std::size_t>(i)]).tail(outside_) = to_axes.row(i);
  const auto turned = [&](const SparseMatrix& a) -> Eigen::MatrixXd { return basis.transpose() * (a * basis); };
  k_ = turned(side.k);
  c_ = turned(side.c);
  m_ = turned(side.m);
  loads_ = basis.transpose().cast<std::complex<double>>() * loads;
  work_.setZero(side.size(), side.size());
  right_.setZero(side.size(), 1);
  corner_.setZero(outside_, outside_);
}

bool MovingSide::at(double w, Index h, Eigen::MatrixXcd& stiffness, Eigen::MatrixXcd& flexibility,
                    Eigen::VectorXcd& load) noexcept {
  for (Index c = 0; c < work_.cols(); ++c)
    for (Index r = 0; r < work_.rows(); ++r) work_(r, c) = {k_(r, c) - w * w * m_(r, c), w * c_(r, c)};
  right_ = loads_.col(h);
  if (!linalg::condense(work_, right_, inside_)) return false;
  stiffness = work_.bottomRightCorner(outside_, outside_);
  load = right_.col(0).tail(outside_);
  corner_ = stiffness;
  flexibility.setIdentity();
  return linalg::eliminate(corner_, flexibility);
}

}  // namespace hyb
