#pragma once
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/structure/lumped.h"
#include "core/structure/model.h"

namespace hyb {

/// Storeys that move along one line, relative to the ground, which an excitation may accelerate. Storey 1 is the
/// lowest. Names: node and DOF "<storey>" at x = 0, y = 1, 2, ... with the ground at y = 0; elements "<storey>/floor"
/// (the mass) and "<storey>/columns" (spring and damper below it); "<storey>" names both.
struct ShearBuilding {
  struct Storey {
    std::string name;
    double mass_kg = 1.0;            // of the floor, > 0
    double stiffness_n_per_m = 1.0;  // of the storey below the floor, > 0
    double damping_n_s_per_m = 0.0;
  };
  std::vector<Storey> storeys;
  std::string ground = "ground";  // name of the support
};

/// Cross-section and material of beams.
struct BeamSection {
  std::string name;
  double youngs_modulus_n_per_m2 = 2.1e11;
  double second_moment_m4 = 1e-6;
  double area_m2 = 1e-3;
  double density_kg_per_m3 = 7850.0;
  double added_mass_kg_per_m = 0.0;  // sheet, cables: adds no stiffness
};

/// Straight Euler-Bernoulli beam along x from 0: deflection y and rotation (y' = rotation) at every node.
/// Names: element "<segment>/<k>", k from 1, ends at the node of the same name; the first node of the beam is "<first
/// segment>/0". DOF "<node>.y" and "<node>.rotation". Supports, springs and masses must be at a node within 1e-6 of the
/// length. A finer mesh is more accurate up to about 500 elements; rounding errors grow with the fourth power.
struct BeamStructure {
  struct Segment {
    std::string name;
    double length_m = 1.0;
    std::string section;
    int elements = 10;  // of equal length
  };
  struct Support {
    double position_m = 0.0;
    bool deflection = true, rotation = true;  // held
  };
  struct Spring {  // to the ground
    std::string name;
    double position_m = 0.0;
    double stiffness_n_per_m = 0.0, damping_n_s_per_m = 0.0;  // of the deflection
    double rotational_stiffness_n_m_per_rad = 0.0, rotational_damping_n_m_s_per_rad = 0.0;
  };
  struct Mass {
    std::string name;
    double position_m = 0.0;
    double mass_kg = 0.0, inertia_kg_m2 = 0.0;
  };
  std::vector<BeamSection> sections;
  std::vector<Segment> segments;  // one after the other
  std::vector<Support> supports;
  std::vector<Spring> springs;
  std::vector<Mass> masses;
  std::string ground = "ground";  // moves all supports along y
};

/// Planar frame of Euler-Bernoulli members with axial stiffness: x, y and rotation (counter-clockwise) at every node.
/// Names: element "<member>/<k>", k from 1 at `from`; it ends at the inner node of the same name, the last one at `to`.
/// DOF "<node>.x", "<node>.y", "<node>.rotation".
struct FrameStructure {
  struct Node {
    std::string name;
    double x_m = 0.0, y_m = 0.0;
    bool fixed_x = false, fixed_y = false, fixed_rotation = false;
  };
  struct Member {
    std::string name;
    std::string from, to;  // nodes
    std::string section;
    int elements = 4;
  };
  enum class Direction : unsigned char { x, y, rotation };
  struct Spring {
    std::string name;
    std::string from, to;  // nodes; `to` empty = ground
    Direction direction = Direction::x;
    double stiffness = 0.0, damping = 0.0;  // N/m, N s/m; N m/rad, N m s/rad for rotation
  };
  struct Mass {
    std::string name;
    std::string node;
    double mass_kg = 0.0, inertia_kg_m2 = 0.0;
  };
  std::vector<BeamSection> sections;
  std::vector<Node> nodes;
  std::vector<Member> members;
  std::vector<Spring> springs;
  std::vector<Mass> masses;
  std::string ground = "ground";  // supports ground-x and ground-y
};

/// A matrix written into the project, or in a file.
struct MatrixSource {
  std::vector<std::vector<double>> rows;  // used when `file` is empty
  std::filesystem::path file;             // CSV, Matrix Market, MAT
  std::string variable;                   // of a MAT file; empty: the only one, or "M", "C", "K"
  bool given() const noexcept { return !rows.empty() || !file.empty(); }
};

/// Treatment of DOF without mass: not accepted; removed, because they follow the others statically; or kept, for
/// implicit integrators only.
enum class Massless : unsigned char { refuse, condense, keep };

/// Plain mass, damping and stiffness matrices. DOF are relative to the grounds.
struct MatrixStructure {
  std::vector<Dof> dofs;  // may be empty: labels of the files, or "1", "2", ...
  MatrixSource m, c, k;   // c may be missing: 0
  struct Ground {
    std::string name;
    std::vector<double> influence;  // [n]; empty: 1 for every translation
  };
  std::vector<Ground> grounds;
  Massless massless = Massless::refuse;
};

/// Nonlinear link by the names of its DOF; an empty end is fixed.
struct NonlinearSpec {
  std::string name;
  std::string from, to;
  NonlinearLaw law;
};

struct Structure {
  std::variant<LumpedStructure, ShearBuilding, BeamStructure, FrameStructure, MatrixStructure> kind;
  DampingSpec damping;
  std::vector<NonlinearSpec> nonlinear;
};

/// Reads files, meshes and names DOF: the structure before its cut. Throws InputError with every fault (pointers start
/// with "/structure"; faults inside a file name the file and its line).
Model buildModel(const Structure& structure);

}  // namespace hyb
