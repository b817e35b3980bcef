#pragma once
#include "core/structure/structure.h"

namespace hyb {

/// Reads and checks plain matrices: M positive definite, K positive semi-definite, all symmetric. DOF names come from
/// the project, else from the files, which must agree, else they are "1", "2", ...; a label of a file that ends in
/// ".rotation" is a rotation. Files that number nodes are extended to the DOF of all of them, "5" or, if nodes have
/// several, "5.2". Asymmetry up to the precision of the numbers (symmetric_part.h) is removed. Model::notes reports
/// this, rigid-body modes, and damping that adds energy. Default influence of a ground: 1 for translations, 0 for
/// rotations. Throws InputError with every fault: "/structure/mass", "/structure/damping", "/structure/stiffness",
/// "/structure/dofs/3", "/structure/grounds/0/influence", or file and line.
Model matrixModel(const MatrixStructure& structure);

}  // namespace hyb
