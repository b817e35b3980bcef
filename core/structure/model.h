#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "core/structure/system.h"

namespace hyb {

/// A place in the drawing plane that DOF belong to.
struct ModelNode {
  std::string name;
  double x_m = 0.0, y_m = 0.0;                     // where it stands; chains without given places: 0, 1, 2, ...
  std::array<Eigen::Index, 3> dof{-1, -1, -1};     // DOF along x, along y, rotation; -1 = fixed or absent
  std::array<bool, 3> fixed{false, false, false};  // held by the ground
};

enum class ElementShape : unsigned char { mass, link, beam };

/// One piece of the structure that stands on one side of the cut: local matrices over the DOF it touches.
struct ModelElement {
  std::string name;    // "k31", "column/3"
  std::string member;  // what it is a piece of: "column"; same as name for what is not meshed
  ElementShape shape = ElementShape::link;
  std::vector<std::size_t> nodes;        // 1 (mass, link to a support or the ground) or 2
  std::optional<std::size_t> support;    // the support that a link ends at
  std::vector<Eigen::Index> dofs;        // [d]
  Eigen::MatrixXd m, c, k;               // [d, d]
  Eigen::VectorXd c_support, k_support;  // [d], of `support`; empty without one
  std::optional<std::size_t> nonlinear;  // index into Model::nonlinear
};

/// How damping that is not in the elements comes in. Ratios are shares of critical damping.
struct DampingSpec {
  enum class Kind : unsigned char {
    none,
    rayleigh_factors,  // C = mass_factor M + stiffness_factor K
    rayleigh_ratios,   // the factors that give `ratios` at `frequencies_hz`, or at the first two modes
    modal,             // C = M Phi diag(2 zeta w) Phi^T M; the last ratio holds for all further modes
  };
  Kind kind = Kind::none;
  double mass_factor = 0.0, stiffness_factor = 0.0;  // 1/s, s
  std::vector<double> ratios;
  std::vector<double> frequencies_hz;   // rayleigh_ratios: two of them, or empty
  std::vector<double> specimen_ratios;  // rayleigh_factors: of the specimen's modes with its interface held, in place
                                        // of the factors; empty: it has the factors too
  bool of_each_part = false;            // modal: each side of the cut by its own free modes, else the uncut structure
};

/// Any structure, ready to be cut: DOF, supports and elements.
struct Model {
  std::vector<ModelNode> nodes;
  std::vector<Dof> dofs;              // [n]
  std::vector<std::string> supports;  // [s]
  Eigen::MatrixXd influence;  // [n, s]: rigid motion of the DOF with a ground, M_s = -(M influence + held_mass).
                              // 0 columns for supports that move by displacement (links end there)
  Eigen::MatrixXd held_mass;  // [n, s]: mass between the DOF and held ones that move with the ground; may be empty
  std::vector<ModelElement> elements;  // what can be cut apart; empty for plain matrices
  std::vector<NonlinearLink> nonlinear;
  DampingSpec damping;
  std::optional<SystemMatrices> matrices;  // plain matrices from files, instead of elements
  std::vector<std::string> notes;          // what the user should know ("K was symmetrised: differed by 1e-12")
};

/// The whole structure, damping included. Throws InputError ("/structure/damping/...") for damping it cannot have.
SystemMatrices assemble(const Model& model);

/// M_s of the whole structure with mass matrix m [n, n]: load per acceleration of each ground, [n, s].
Eigen::MatrixXd groundLoad(const Model& model, const SparseMatrix& m);

/// Sums the chosen elements over all DOF and supports of the model. Mask as long as Model::elements. Without the
/// damping of Model::damping and without ground loads.
SystemMatrices assembleElements(const Model& model, const std::vector<bool>& chosen);

}  // namespace hyb
