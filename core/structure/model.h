#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/structure/system.h"

namespace hyb {

/// A position in the drawing plane with its DOF.
struct ModelNode {
  std::string name;
  double x_m = 0.0, y_m = 0.0;                     // position; chains without given positions: 0, 1, 2, ...
  std::array<Eigen::Index, 3> dof{-1, -1, -1};     // DOF along x, along y, rotation; -1: fixed or absent
  std::array<bool, 3> fixed{false, false, false};  // held by the ground
};

enum class ElementShape : unsigned char { mass, link, beam };

/// One piece of the structure, entirely on one side of the cut: local matrices over its DOF.
struct ModelElement {
  std::string name;    // "k31", "column/3"
  std::string member;  // part that it belongs to: "column"; same as name for parts without a mesh
  ElementShape shape = ElementShape::link;
  std::vector<std::size_t> nodes;        // 1 (mass, link to a support or the ground) or 2
  std::optional<std::size_t> support;    // support at the end of a link
  std::vector<Eigen::Index> dofs;        // [d]
  Eigen::MatrixXd m, c, k;               // [d, d]
  Eigen::VectorXd c_support, k_support;  // [d], of `support`; empty without one
  std::optional<std::size_t> nonlinear;  // index into Model::nonlinear
};

/// Damping outside the elements. Ratios are fractions of critical damping.
struct DampingSpec {
  enum class Kind : unsigned char {
    none,
    rayleigh_factors,  // C = mass_factor M + stiffness_factor K
    rayleigh_ratios,   // the factors that lead to `ratios` at `frequencies_hz`, or at the first two modes
    modal,             // C = M Phi diag(2 zeta w) Phi^T M; the last ratio is used for all further modes
  };
  Kind kind = Kind::none;
  double mass_factor = 0.0, stiffness_factor = 0.0;  // 1/s, s
  std::vector<double> ratios;
  std::vector<double> frequencies_hz;   // rayleigh_ratios: two of them, or empty
  std::vector<double> specimen_ratios;  // rayleigh_factors: for the specimen's modes with its interface held, in place
                                        // of the factors; empty: the factors also apply to it
  bool of_each_part =
      false;  // modal: each side of the cut by its own free modes, else the uncut structure by its modes
};

/// Any structure before its cut: DOF, supports and elements.
struct Model {
  std::vector<ModelNode> nodes;
  std::vector<Dof> dofs;              // [n]
  std::vector<std::string> supports;  // [s]
  Eigen::MatrixXd influence;  // [n, s]: rigid motion of the DOF with a ground, M_s = -(M influence + held_mass).
                              // Columns are 0 for supports that move by displacement (ends of links)
  Eigen::MatrixXd held_mass;  // [n, s]: mass between the DOF and held DOF that move with the ground; may be empty
  std::vector<ModelElement> elements;  // pieces that a cut can separate; empty for plain matrices
  std::vector<NonlinearLink> nonlinear;
  DampingSpec damping;
  std::optional<SystemMatrices> matrices;  // plain matrices from files, instead of elements
  std::vector<std::string> notes;          // remarks for the user ("K was symmetrised: differed by 1e-12")
};

/// The whole structure, damping included. Throws InputError ("/structure/damping/...") for damping that is not
/// possible.
SystemMatrices assemble(const Model& model);

/// M_s of the whole structure with mass matrix m [n, n]: load per acceleration of each ground, [n, s].
Eigen::MatrixXd groundLoad(const Model& model, const SparseMatrix& m);

/// Sums the chosen elements over all DOF and supports of the model. The mask is as long as Model::elements. Without the
/// damping of Model::damping and without ground loads.
SystemMatrices assembleElements(const Model& model, const std::vector<bool>& chosen);

}  // namespace hyb
