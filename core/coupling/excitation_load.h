#pragma once
#include "core/excitation/excitation.h"
#include "core/linalg/product.h"
#include "core/structure/partition.h"

namespace hyb {

/// Load of the excitation on one side of a cut, [its DOF]: from support motions, and with `forces` from forces on the
/// uncut model. Real-time safe.
[[gnu::always_inline]] inline void loadOf(const ExcitationValue& excitation, const SystemMatrices& system,
                                          const SparseMatrix& forces, Eigen::VectorXd& load) noexcept {
  if (excitation.moves) {
    linalg::multiply(system.k_support, excitation.support_m, load);
    linalg::addProduct(system.c_support, excitation.support_mps, load);
    if (excitation.accelerates) linalg::addProduct(system.m_support, excitation.support_mps2, load);
  } else if (excitation.accelerates) {
    linalg::multiply(system.m_support, excitation.support_mps2, load);
  } else {
    load.setZero();
  }
  if (excitation.pushes) load.noalias() += forces * excitation.force_n;
}

}  // namespace hyb
