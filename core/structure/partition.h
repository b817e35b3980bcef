#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/structure/actuator_geometry.h"
#include "core/structure/model.h"

namespace hyb {

/// Elements on the rig: names of elements, or of members with all their elements; "column/3-8" is a range.
struct CutByElements {
  std::vector<std::string> physical;
};
/// Nodes on the rig: an element is physical if all its nodes are listed. Nodes with other elements become the
/// interface; an element at one of these alone (a mass, a link to the ground) is computed.
struct CutByNodes {
  std::vector<std::string> physical;
};
/// Elements on one side of a line across the structure, at the node nearest to position_m along x or y. Elements only
/// on the line are computed.
struct CutByPosition {
  bool along_y = false;
  double position_m = 0.0;
  bool physical_beyond = true;  // true: the side of larger coordinates is on the rig
};
/// DOF inside the PS, and DOF of both sides; for plain matrices. Each interface block is the static condensation of the
/// side's other DOF plus a share of the rest, so that both sides remain semi-definite:
///   A_II(P) = A_IJ A_JJ^-1 A_JI + share (A_II - A_IJ A_JJ^-1 A_JI - A_IN A_NN^-1 A_NI)
/// for A = K, M and C (J inside the PS, N inside the NS). K_JN and M_JN must be 0; C_JN is left out.
struct CutByDofs {
  std::vector<std::string> physical;   // J
  std::vector<std::string> interface;  // I, in the order of the actuators
  double share = 0.5;                  // 0..1
};
/// The PS given as matrices over some DOF (and the NS too, if it is not the rest). `removed`: the NS is the reference
/// minus these matrices, a model of the removed part that may differ from the specimen, and has a ground load on its
/// own mass only. The difference of both sides' sum from the reference is left out and reported.
struct CutByMatrices {
  struct Side {
    std::vector<std::string> dofs;
    std::vector<std::vector<double>> m, c, k;  // [d, d] each; empty = 0
  };
  Side physical;
  std::vector<std::string> interface;  // in the order of the actuators; empty: all DOF that PS and NS share
  std::optional<Side> numerical;       // C of both sides may be unsymmetric
  std::optional<Side> removed = {};    // instead of `numerical`
};
/// The lowest storeys of a building on the rig, with their floors: the highest of these is the interface, and its mass
/// is entirely on the rig. For any damping of the building, each storey on the rig has one dashpot, c_j = C_jj -
/// C_(j+1)(j+1) + ...; the computed side has its own block of C and, in the row of the interface, only the coupling
/// with the storey above. The rest is left out and reported.
struct CutByStoreys {
  std::vector<std::string> physical;  // from the ground upwards
};

/// One actuator (or sensor) axis: the motion that it imposes (reads), as a sum of interface motions, "B.y": 1,
/// "B.rotation": -0.04.
struct InterfaceAxis {
  std::string name;
  Motion motion = Motion::translation;
  std::vector<std::pair<std::string, double>> terms;  // interface DOF (sensors: actuator axes or interface DOF)
  bool acceleration = false;  // for a sensor of motion: it reads the acceleration of this motion
  /// Of an actuator: position of its joint from the centre of rotation, in the direction of the axis. The motion is
  /// then exact for large rotations (ActuatorGeometry), with the factor of the rotation as lever arm.
  std::optional<double> joint_along_m = {};
};

struct Reduction {
  enum class Method : unsigned char { none, static_condensation, craig_bampton };
  Method method = Method::none;
  int modes = 10;  // clamped-interface modes kept by Craig-Bampton
};

struct PartitionSpec {
  std::variant<CutByElements, CutByNodes, CutByPosition, CutByDofs, CutByMatrices, CutByStoreys> cut;
  std::vector<InterfaceAxis> actuators;      // empty: one for each interface DOF
  std::vector<InterfaceAxis> sensors;        // empty: one for each actuator axis
  std::vector<InterfaceAxis> force_sensors;  // as many as interface DOF; empty: one for each actuator axis
  Reduction numerical = {}, physical = {};
};

/// Difference of both sides together from the reference structure: reference - numerical - physical.
struct LeftOut {
  SparseMatrix m, c, k;              // [n, n], reference DOF; all zeros for a cut by elements
  std::vector<std::string> remarks;  // "damping between \"2\" and \"5\": 13.8 N s/m"
  bool any() const { return m.norm() + c.norm() + k.norm() > 0.0; }
};

/// Reference structure cut in two. The DOF are in the order of the model; interface DOF are in both sides. The
/// interface is in the order written in the cut, which is that of actuators and channels, else in the order of the
/// model.
struct Partition {
  SystemMatrices reference;            // n DOF
  SystemMatrices numerical, physical;  // only the DOF of each side
  std::vector<Dof> interface;          // [i]
  std::vector<Eigen::Index> interface_in_reference, interface_in_numerical, interface_in_physical;
  // Generalised force on each system from forces on the n DOF of the uncut model: [rows of the system, n].
  SparseMatrix reference_loads, numerical_loads;
  // Motion of the PS DOF from the reference DOF, [rows of physical, n of reference].
  SparseMatrix physical_motion;
  LeftOut left_out;
  std::vector<std::string> driven_specimen;    // supports that move by displacement and are connected to the PS
  std::vector<std::string> inner_ground_dofs;  // inner PS DOF with a ground load that no actuator can apply
  // With the interface in actuator axes: its DOF at the cut, and their motion from the axes, q = T^-1 a.
  std::vector<Dof> cut_dofs;
  Eigen::MatrixXd motion_from_axes;
  ActuatorGeometry geometry;  // exact motion of these axes, which are linear in all matrices
};

/// Cuts the structure. Ground loads of PS masses at the interface act on the NS. Throws InputError (pointers under
/// "/partition" and "/structure"): unknown names, names given twice, an empty side, no interface, a part that floats, a
/// line without a node.
Partition cut(const Model& model, const PartitionSpec& spec);

/// Elements on the rig for this cut, valid or not (for drawings); all false for a cut of matrices.
std::vector<bool> elementsOnRig(const Model& model, const PartitionSpec& spec);

/// Positions along the axis at which a cut by position leads to a valid partition, ascending, m.
std::vector<double> cutPositions(const Model& model, bool along_y);

}  // namespace hyb
