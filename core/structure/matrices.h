#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Reads and checks plain matrices: M positive definite, K positive semi-definite, all symmetric. DOF are named by the
/// project, else by the files, which must agree, else "1", "2", ...; a file's label that ends in ".rotation" is one.
/// Files that number nodes are brought to the DOF of all of them, "5" or, where nodes have several, "5.2". Asymmetry up
/// to the precision of the numbers (symmetric_part.h) is evened out. Model::notes says so, and tells of rigid-body
/// modes and of damping that feeds energy in. Influence of a ground without one: 1 for translations, 0 for rotations.
/// Throws InputError with every fault: "/structure/mass", "/structure/damping", "/structure/stiffness",
/// "/structure/dofs/3", "/structure/grounds/0/influence", or file and line.
Model matrixModel(const MatrixStructure& structure);

}  // namespace hyb
