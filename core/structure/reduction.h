#pragma once
#include <Eigen/Core>
#include <string_view>
#include <vector>

#include "core/structure/partition.h"

namespace hyb {

/// A system in fewer coordinates: x = basis y, interface DOF first as they are, then modal coordinates.
struct ReducedSystem {
  SystemMatrices system;
  Eigen::MatrixXd basis;  // [n, r]
};
/// As in projects and run files: "none", "static", "craig-bampton".
std::string_view name(Reduction::Method method) noexcept;

/// Static condensation (constraint modes alone) or Craig-Bampton (constraint modes and `modes` clamped-interface modes,
/// mass-normalised: their coordinates are in kg^0.5 m). Inner DOF without mass are condensed exactly. No method: the
/// system as it is, DOF in their order. Throws InputError ("/partition"): the inner part is a mechanism, a nonlinear
/// link ends inside.
ReducedSystem reduce(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                     const Reduction& reduction);

/// Both sides of the partition reduced as asked. Reference and left_out stay whole. physical_motion keeps the interface
/// and projects what is left inside on the modes, weighted with the mass inside.
Partition reduceSides(const Partition& partition, const Reduction& numerical, const Reduction& physical);

/// The system with its interface held; what acts on it from outside is left out.
SystemMatrices clamped(const SystemMatrices& system, const std::vector<Eigen::Index>& interface);
/// Its frequencies, ascending, Hz; the lowest `count`.
Eigen::VectorXd clampedFrequencies(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                                   Eigen::Index count);

/// Largest relative error of the condensed dynamic stiffness, ||D_red - D||/||D||, over frequencies_hz.
double reductionError(const SystemMatrices& full, const std::vector<Eigen::Index>& interface,
                      const SystemMatrices& reduced, const std::vector<Eigen::Index>& reduced_interface,
                      const std::vector<double>& frequencies_hz);

/// Dynamic stiffness condensed on the interface, D_ii - D_ib D_bb^-1 D_bi, [i, i]. Infinite where the inner part
/// resonates without damping exactly at s.
class CondensedStiffness {
 public:
  CondensedStiffness(const SystemMatrices& system, const std::vector<Eigen::Index>& interface);
  Eigen::MatrixXcd operator()(std::complex<double> s) const;

  struct Loaded {
    Eigen::MatrixXcd stiffness, load;
  };
  /// Beside it what loads on all degrees of freedom, [n, l], are at the interface once the rest follows,
  /// F_i - D_ib D_bb^-1 F_b, [i, l]; infinite where the stiffness is.
  Loaded loaded(std::complex<double> s, const Eigen::MatrixXcd& load) const;

 private:
  struct Part {
    SparseMatrix k, c, m;
    Eigen::SparseMatrix<std::complex<double>> operator()(std::complex<double> s) const;
  };
  std::vector<Eigen::Index> interface_, inside_;
  Part outer_, across_, back_, inner_;  // D_ii, D_ib, D_bi, D_bb
};
/// The same at one s.
Eigen::MatrixXcd condensedStiffness(const SystemMatrices& system, const std::vector<Eigen::Index>& interface,
                                    std::complex<double> s);

}  // namespace hyb
