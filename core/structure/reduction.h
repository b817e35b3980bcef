#pragma once
#include <Eigen/Core>
#include <string_view>
#include <vector>

#include "core/structure/partition.h"

namespace hyb {

/// A system in fewer coordinates: x = basis y, first the unchanged interface DOF, then modal coordinates.
struct ReducedSystem {
  SystemMatrices system;
  Eigen::MatrixXd basis;  // [n, r]
};
/// Names in projects and run files: "none", "static", "craig-bampton".
std::string_view name(Reduction::Method method) noexcept;

/// Static condensation (constraint modes only) or Craig-Bampton (constraint modes and `modes` clamped-interface modes,
/// mass-normalised: their coordinates are in kg^0.5 m). Inner DOF without mass are condensed exactly. Without a method:
/// the unchanged system with its order of DOF. Throws InputError ("/partition"): the inner part is a mechanism, or a
/// nonlinear link ends inside.
ReducedSystem reduce(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                     const Reduction& reduction);

/// Reduces both sides of the partition. Reference and left_out stay unreduced. physical_motion keeps the interface and
/// projects the remaining inner motion on the modes, weighted with the inner mass.
Partition reduceSides(const Partition& partition, const Reduction& numerical, const Reduction& physical);

/// The system with its interface held, without external loads.
SystemMatrices clamped(const SystemMatrices& system, const std::vector<Eigen::Index>& interface);
/// The lowest `count` frequencies of the clamped system, ascending, Hz.
Eigen::VectorXd clampedFrequencies(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                                   Eigen::Index count);

/// Largest relative error of the condensed dynamic stiffness, ||D_red - D||/||D||, over frequencies_hz.
double reductionError(const SystemMatrices& full, const std::vector<Eigen::Index>& interface,
                      const SystemMatrices& reduced, const std::vector<Eigen::Index>& reduced_interface,
                      const std::vector<double>& frequencies_hz);

/// Dynamic stiffness condensed on the interface, D_ii - D_ib D_bb^-1 D_bi, [i, i]. Infinite if s is an undamped
/// resonance of the inner part.
class CondensedStiffness {
 public:
  CondensedStiffness(const SystemMatrices& system, const std::vector<Eigen::Index>& interface);
  Eigen::MatrixXcd operator()(std::complex<double> s) const;

  struct Loaded {
    Eigen::MatrixXcd stiffness, load;
  };
  /// Also returns the loads on all degrees of freedom, [n, l], condensed on the interface, F_i - D_ib D_bb^-1 F_b, [i,
  /// l]; infinite if the stiffness is.
  Loaded loaded(std::complex<double> s, const Eigen::MatrixXcd& load) const;

 private:
  struct Part {
    SparseMatrix k, c, m;
    Eigen::SparseMatrix<std::complex<double>> operator()(std::complex<double> s) const;
  };
  std::vector<Eigen::Index> interface_, inside_;
  Part outer_, across_, back_, inner_;  // D_ii, D_ib, D_bi, D_bb
};
/// The same for one s.
Eigen::MatrixXcd condensedStiffness(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                                    std::complex<double> s);

}  // namespace hyb
