#include "core/structure/matrices.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/checks.h"
#include "core/linalg/sparse.h"
#include "core/structure/matrix_file.h"
#include "core/structure/symmetric_part.h"

namespace hyb {
namespace {

using Index = Eigen::Index;

// Eigenvalues that count as 0, with the matrix scaled to a diagonal of 1: well above rounding in a factorisation, below
// the lowest of a cantilever of 500 beam elements.
constexpr double kZeroEigenvalue = 1e-13;

std::string inQuotes(const std::string& text) { return "\"" + text + "\""; }
std::string exactly(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.12g", value);
  return buffer;
}
std::string counted(Index count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// One of the three matrices, its source, and its name in messages.
struct Part {
  std::string pointer, name, letter;
  const MatrixSource& source;
  SparseMatrix matrix{};                    // 0 x 0 until it is read
  std::vector<std::string> labels{};        // of the file
  std::vector<Freedom> freedoms{}, held{};  // of a file that numbers nodes
  std::string place() const { return source.file.empty() ? name : source.file.filename().string(); }
};

SparseMatrix fromRows(const Part& part, Checks& checks) {
  const std::vector<std::vector<double>>& rows = part.source.rows;
  const std::size_t n = rows.size();
  bool sound = true;
  const auto fault = [&](const std::string& message) {
    checks.fault(part.pointer, message);
    sound = false;
  };
  if (n > static_cast<std::size_t>(kMaxFileDofs))
    fault("has " + std::to_string(n) + " rows; at most " + std::to_string(kMaxFileDofs) + " DOF are read");
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < n && sound; ++i) {
    const std::string row = "row " + std::to_string(i + 1);
    if (rows[i].size() != n)
      fault("has " + std::to_string(rows[i].size()) + " entries in " + row + " of " + std::to_string(n) +
            "; give a square matrix, one row and one column for each DOF");
    for (std::size_t j = 0; j < rows[i].size(); ++j) {
      if (!std::isfinite(rows[i][j]))
        fault("has an entry in " + row + ", column " + std::to_string(j + 1) + " that is not finite; correct it");
      else if (rows[i][j] != 0.0)
        entries.emplace_back(static_cast<int>(i), static_cast<int>(j), rows[i][j]);
    }
  }
  if (!sound) return {};
  SparseMatrix matrix(static_cast<Index>(n), static_cast<Index>(n));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void read(Part& part, std::vector<std::string>& notes, Checks& checks) {
  if (part.source.file.empty()) {
    part.matrix = fromRows(part, checks);
    return;
  }
  try {
    MatrixFile file = readMatrixFile(part.source.file, part.source.variable, part.letter);
    part.matrix = file.matrix;
    part.labels = std::move(file.labels);
    part.freedoms = std::move(file.freedoms);
    part.held = std::move(file.held);
    for (const std::string& remark : file.notes)
      notes.push_back("The " + part.name + " matrix (" + part.place() + "): " + remark);
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues()) checks.fault(issue.where, issue.message);
  }
}

/// "5", or "5.2" if nodes have several DOF.
std::vector<std::string> labelsOf(const std::vector<Freedom>& freedoms) {
  const bool alike = std::all_of(freedoms.begin(), freedoms.end(),
                                 [&](const Freedom& freedom) { return freedom.dof == freedoms.front().dof; });
  std::vector<std::string> labels;
  for (const Freedom& freedom : freedoms)
    labels.push_back(std::to_string(freedom.node) + (alike ? "" : "." + std::to_string(freedom.dof)));
  return labels;
}

/// Programs that number nodes omit DOF without entries, for example without mass. Each such file gets the DOF of all of
/// them, without those that one of them holds.
void alignFreedoms(std::vector<Part>& parts, std::vector<std::string>& notes) {
  std::set<Freedom> all, held;
  for (const Part& part : parts) {
    all.insert(part.freedoms.begin(), part.freedoms.end());
    held.insert(part.held.begin(), part.held.end());
  }
  for (const Freedom& freedom : held) all.erase(freedom);
  if (all.empty()) return;
  if (!held.empty())
    notes.push_back("Left out because they are held: " + counted(static_cast<Index>(held.size()), "degree") +
                    " of freedom, as of node " + std::to_string(held.begin()->node) + ".");
  const std::vector<Freedom> order(all.begin(), all.end());
  const auto n = static_cast<Index>(order.size());
  for (Part& part : parts) {
    if (part.freedoms.empty()) continue;
    std::vector<int> place;  // -1: held
    for (const Freedom& freedom : part.freedoms) {
      const auto found = std::lower_bound(order.begin(), order.end(), freedom);
      place.push_back(found == order.end() || *found != freedom ? -1 : static_cast<int>(found - order.begin()));
    }
    std::vector<Eigen::Triplet<double>> entries;
    for (Index j = 0; j < part.matrix.outerSize(); ++j)
      for (SparseMatrix::InnerIterator it(part.matrix, j); it; ++it) {
        const int row = place[static_cast<std::size_t>(it.row())], column = place[static_cast<std::size_t>(it.col())];
        if (row >= 0 && column >= 0) entries.emplace_back(row, column, it.value());
      }
    part.matrix = SparseMatrix(n, n);
    part.matrix.setFromTriplets(entries.begin(), entries.end());
    part.freedoms = order;
    part.labels = labelsOf(order);
  }
}

/// Motion of a DOF from its label or number: 4 to 6 are rotations about an axis.
Motion motionOf(const Part& part, std::size_t i) {
  constexpr int kFirstRotation = 4;
  const bool turns =
      part.freedoms.empty() ? part.labels[i].ends_with(".rotation") : part.freedoms[i].dof >= kFirstRotation;
  return turns ? Motion::rotation : Motion::translation;
}

/// Difference between two lists with the same number of labels, for a message; empty if there is none.
std::string difference(const std::vector<std::string>& labels, const std::vector<std::string>& others,
                       const std::string& others_place) {
  const auto [here, there] = std::mismatch(labels.begin(), labels.end(), others.begin());
  if (here == labels.end()) return {};
  return "calls DOF " + std::to_string(here - labels.begin() + 1) + " " + inQuotes(*here) + ", but " + others_place +
         " calls it " + inQuotes(*there);
}

/// Names the n DOF. Parts of another size are left to the check of sizes.
std::vector<Dof> nameDofs(const MatrixStructure& structure, const std::vector<Part>& parts, std::size_t n,
                          Checks& checks) {
  const Part* first = nullptr;
  for (const Part& part : parts) {
    if (part.labels.size() != n) continue;
    if (!first)
      first = &part;
    else if (const std::string fault = difference(part.labels, first->labels, first->place()); !fault.empty())
      checks.fault(part.source.file.string(), fault + "; all files must label the same DOF in the same order");
  }
  if (structure.dofs.empty()) {
    std::vector<Dof> dofs;
    for (std::size_t i = 0; i < n; ++i)
      if (first)
        dofs.push_back({first->labels[i], motionOf(*first, i)});
      else
        dofs.push_back({std::to_string(i + 1), Motion::translation});
    return dofs;
  }

  const std::vector<std::string> given = names(structure.dofs);
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string pointer = "/structure/dofs/" + std::to_string(i);
    if (given[i].empty())
      checks.fault(pointer, "has an empty name; name every DOF");
    else if (const auto [at, is_new] = seen.emplace(given[i], i); !is_new)
      checks.fault(pointer, inQuotes(given[i]) + " is already the name of /structure/dofs/" +
                                std::to_string(at->second) + "; names of DOF must all differ");
  }
  // The project may use other names, but the same names in another order are an error.
  if (first && n == given.size() && std::is_permutation(given.begin(), given.end(), first->labels.begin()))
    if (const std::string fault = difference(given, first->labels, first->place()); !fault.empty())
      checks.fault("/structure/dofs", fault + "; put the DOF in the order of the matrices");
  return structure.dofs;
}

/// Removes asymmetry within rounding; a larger one is a fault that names the worst pair.
void symmetrise(Part& part, const std::vector<Dof>& dofs, std::vector<std::string>& notes, Checks& checks) {
  const Asymmetry found = asymmetryOf(part.matrix);
  if (found.of_largest == 0.0) return;
  if (!found.allowed) {
    const auto entry = [&](Index i, Index j) {
      return "(" + inQuotes(dofs[static_cast<std::size_t>(i)].name) + ", " +
             inQuotes(dofs[static_cast<std::size_t>(j)].name) + ") = " + exactly(part.matrix.coeff(i, j));
    };
    checks.fault(part.pointer, "is not symmetric: " + entry(found.row, found.column) + ", but " +
                                   entry(found.column, found.row) + "; make both entries equal");
    return;
  }
  part.matrix = symmetricPart(part.matrix);
  notes.push_back("The " + part.name + " matrix was made symmetric: mirrored entries differed by up to " +
                  Checks::text(found.of_largest, "") + " of the largest entry" +
                  (found.precision.empty() ? "." : ", within the rounding of " + found.precision + "."));
}

/// Pivots of the factorised matrix A + shift I: the number of negative ones equals that of eigenvalues of A below
/// -shift (Sylvester).
struct Pivots {
  Index negative = 0;
  Index worst = 0;  // row of the most negative one
};
Pivots pivots(const SparseMatrix& matrix, double shift) {
  SparseMatrix identity(matrix.rows(), matrix.cols());
  identity.setIdentity();
  for (;; shift *= 1.01) {  // avoids a pivot that is exactly 0
    const SparseMatrix shifted = matrix + shift * identity;
    const linalg::SparseFactors factors(shifted);
    if (!factors.regular()) continue;
    const Eigen::VectorXd d = factors.pivots();
    Pivots result;
    Index at = 0;
    d.minCoeff(&at);
    result.negative = (d.array() < 0.0).count();
    result.worst = factors.sequence()[at];
    return result;
  }
}

/// Scales rows and columns to a diagonal of 1 (rows with 0 are unchanged). The signs of the eigenvalues do not change.
SparseMatrix scaled(const SparseMatrix& matrix) {
  const Eigen::VectorXd diagonal = matrix.diagonal();
  const Eigen::VectorXd factors = (diagonal.array() > 0.0).select(diagonal.array().rsqrt(), 1.0);
  return factors.asDiagonal() * matrix * factors.asDiagonal();
}

/// DOF without any mass, ascending.
std::vector<Index> masslessDofs(const SparseMatrix& m) {
  std::vector<Index> dofs;
  for (Index i = 0; i < m.cols(); ++i)
    if (m.col(i).cwiseAbs().sum() == 0.0) dofs.push_back(i);
  return dofs;
}

/// "DOF "2.rotation"", "14 DOF, "1.rotation", "2.rotation", "3.rotation" and others,".
std::string listOf(const std::vector<Index>& which, const std::vector<Dof>& dofs) {
  constexpr std::size_t kNamed = 3;
  std::string text = which.size() == 1 ? "DOF " : std::to_string(which.size()) + " DOF, ";
  for (std::size_t i = 0; i < std::min(kNamed, which.size()); ++i)
    text += (i > 0 ? ", " : "") + inQuotes(dofs[static_cast<std::size_t>(which[i])].name);
  return text + (which.size() > kNamed ? " and others," : which.size() > 1 ? "," : "");
}

void checkMass(const Part& part, const std::vector<Dof>& dofs, Massless light, Checks& checks) {
  const Eigen::VectorXd diagonal = part.matrix.diagonal();
  const std::vector<Index> massless = masslessDofs(part.matrix);
  const bool kept = light == Massless::keep;
  bool positive = kept || massless.empty();
  if (!positive)
    checks.fault(part.pointer, "gives " + listOf(massless, dofs) +
                                   " no mass; give them mass, or set /structure/massless to \"condense\": they then "
                                   "follow the others statically");
  for (Index i = 0; i < diagonal.size(); ++i) {
    if (diagonal[i] > 0.0 || std::binary_search(massless.begin(), massless.end(), i)) continue;
    positive = false;
    checks.fault(part.pointer, "gives DOF " + inQuotes(dofs[static_cast<std::size_t>(i)].name) + " the mass " +
                                   exactly(diagonal[i]) + "; masses must be greater than 0");
  }
  if (!positive) return;
  if (const Pivots found = pivots(scaled(part.matrix), kept ? kZeroEigenvalue : -kZeroEigenvalue); found.negative > 0)
    checks.fault(part.pointer, "is not positive definite: a motion of DOF " +
                                   inQuotes(dofs[static_cast<std::size_t>(found.worst)].name) +
                                   " and its neighbours has zero or negative mass; correct the entries in its row");
}

void checkStiffness(const Part& part, const std::vector<Dof>& dofs, std::vector<std::string>& notes, Checks& checks) {
  const Eigen::VectorXd diagonal = part.matrix.diagonal();
  bool sound = true;
  for (Index i = 0; i < diagonal.size(); ++i) {
    const double coupling = part.matrix.col(i).cwiseAbs().sum() - std::abs(diagonal[i]);
    if (diagonal[i] > 0.0 || (diagonal[i] == 0.0 && coupling == 0.0)) continue;
    sound = false;
    checks.fault(part.pointer, "has " + exactly(diagonal[i]) + " on the diagonal at DOF " +
                                   inQuotes(dofs[static_cast<std::size_t>(i)].name) +
                                   "; it must be greater than 0 for a DOF with a spring");
  }
  if (!sound) return;
  const SparseMatrix k = scaled(part.matrix);
  if (const Pivots found = pivots(k, kZeroEigenvalue); found.negative > 0) {
    double size = 10.0 * kZeroEigenvalue;  // of the lowest eigenvalue, to the next power of ten
    while (size < 1.0 && pivots(k, size).negative > 0) size *= 10.0;
    checks.fault(part.pointer,
                 "has " + counted(found.negative, "negative eigenvalue") + ", about " + Checks::text(-size, "") +
                     " with the diagonal scaled to 1, near DOF " +
                     inQuotes(dofs[static_cast<std::size_t>(found.worst)].name) +
                     (size <= 1e-3 ? "; write the entries with all 16 digits, or check the signs in its row"
                                   : "; check the signs in its row"));
  } else if (const Index free = pivots(k, -kZeroEigenvalue).negative; free > 0) {
    notes.push_back("The stiffness matrix has " + counted(free, "rigid-body mode") +
                    ": the structure is not fully held.");
  }
}

void checkDamping(const Part& part, std::vector<std::string>& notes) {
  const double largest = part.matrix.nonZeros() > 0 ? part.matrix.coeffs().cwiseAbs().maxCoeff() : 0.0;
  if (largest > 0.0 && pivots(part.matrix / largest, kZeroEigenvalue).negative > 0)
    notes.push_back("The damping matrix has negative eigenvalues: it adds energy to some motions.");
}

/// True if the stiffness of DOF without mass, with its factors, holds all of them.
bool holds(const linalg::SparseFactors& factors, const SparseMatrix& stiffness) {
  return factors.regular() && factors.pivots().minCoeff() > kZeroEigenvalue * stiffness.diagonal().maxCoeff();
}

/// DOF without mass stay only if the stiffness gives them a position.
void checkHeldLight(const Part& mass, const Part& stiffness, const std::vector<Dof>& dofs, Checks& checks) {
  const std::vector<Index> light = masslessDofs(mass.matrix);
  if (light.empty()) return;
  const SparseMatrix inner = block(stiffness.matrix, light, light);
  if (!holds(linalg::SparseFactors(inner), inner))
    checks.fault("/structure/massless",
                 "cannot keep " + listOf(light, dofs) +
                     " because the stiffness does not hold all of them; give them mass or stiffness");
}

/// Static (Guyan) condensation: removes the DOF without mass from all three matrices. With x_b = T x_a, T = -K_bb^-1
/// K_ba, it is exact without damping and with stiffness-proportional damping at these DOF. Source: R. J. Guyan,
/// Reduction of stiffness and mass matrices, AIAA J. 3 (1965). Returns the kept DOF.
std::vector<Index> condenseMassless(Part& mass, Part& damping, Part& stiffness, const std::vector<Dof>& dofs,
                                    std::vector<std::string>& notes, Checks& checks) {
  const std::vector<Index> light = masslessDofs(mass.matrix);
  std::vector<Index> kept;
  for (Index i = 0; i < mass.matrix.cols(); ++i)
    if (!std::binary_search(light.begin(), light.end(), i)) kept.push_back(i);
  if (light.empty() || kept.empty()) return kept;
  const SparseMatrix inner = block(stiffness.matrix, light, light);
  const linalg::SparseFactors held(inner);
  if (!holds(held, inner)) {
    checks.fault("/structure/massless",
                 "cannot condense " + listOf(light, dofs) +
                     " because the stiffness does not hold all of them; give them mass or stiffness");
    return kept;
  }
  const SparseMatrix follow = held.solve(SparseMatrix(-block(stiffness.matrix, light, kept)));
  const SparseMatrix transposed = follow.transpose();
  const auto congruent = [&](const SparseMatrix& a) {
    const SparseMatrix across = block(a, kept, light) * follow;
    return SparseMatrix(block(a, kept, kept) + across + SparseMatrix(across.transpose()) +
                        transposed * block(a, light, light) * follow);
  };
  const SparseMatrix unbalanced =
      block(damping.matrix, light, kept) + SparseMatrix(block(damping.matrix, light, light) * follow);
  const bool exact = unbalanced.norm() <= 1e-9 * damping.matrix.norm();
  stiffness.matrix = congruent(stiffness.matrix);
  damping.matrix = congruent(damping.matrix);
  mass.matrix = block(mass.matrix, kept, kept);
  notes.push_back("Condensed statically because of zero mass: " + listOf(light, dofs) + " which are removed" +
                  (exact ? "." : "; their damping is condensed with their static motion, which is an approximation."));
  return kept;
}

Eigen::MatrixXd readGrounds(const MatrixStructure& structure, const std::vector<Dof>& dofs, Checks& checks) {
  const auto n = static_cast<Index>(dofs.size());
  Eigen::MatrixXd influence(n, static_cast<Index>(structure.grounds.size()));
  std::map<std::string, std::string> seen;
  for (std::size_t i = 0; i < dofs.size(); ++i)
    seen.emplace(dofs[i].name,
                 structure.dofs.empty() ? "DOF " + std::to_string(i + 1) : "/structure/dofs/" + std::to_string(i));
  for (std::size_t g = 0; g < structure.grounds.size(); ++g) {
    const MatrixStructure::Ground& ground = structure.grounds[g];
    const std::string pointer = "/structure/grounds/" + std::to_string(g);
    if (ground.name.empty())
      checks.fault(pointer + "/name", "is empty; name every ground");
    else if (const auto [at, is_new] = seen.emplace(ground.name, pointer); !is_new)
      checks.fault(pointer + "/name", inQuotes(ground.name) + " is already the name of " + at->second +
                                          "; names of grounds and DOF must all differ");
    if (!ground.influence.empty() && ground.influence.size() != dofs.size()) {
      checks.fault(pointer + "/influence", "has " + std::to_string(ground.influence.size()) + " entries for " +
                                               std::to_string(n) + " DOF; give one for each, or leave it out");
      continue;
    }
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      influence(i, static_cast<Index>(g)) = !ground.influence.empty()                ? ground.influence[at]
                                            : dofs[at].motion == Motion::translation ? 1.0
                                                                                     : 0.0;
    }
    if (!std::all_of(ground.influence.begin(), ground.influence.end(), [](double v) { return std::isfinite(v); }))
      checks.fault(pointer + "/influence", "has an entry that is not finite; correct it");
  }
  return influence;
}

}  // namespace

Model matrixModel(const MatrixStructure& structure) {
  Checks checks;
  std::vector<Part> parts{{"/structure/mass", "mass", "M", structure.m},
                          {"/structure/damping", "damping", "C", structure.c},
                          {"/structure/stiffness", "stiffness", "K", structure.k}};
  Part &mass = parts[0], &damping = parts[1], &stiffness = parts[2];
  Model model;
  for (Part& part : parts)
    if (part.source.given())
      read(part, model.notes, checks);
    else if (&part != &damping)
      checks.fault(part.pointer, "is missing; give the " + part.name + " matrix as rows or as a file");

  alignFreedoms(parts, model.notes);
  Index n = static_cast<Index>(structure.dofs.size());
  std::string n_place = "/structure/dofs has " + counted(n, "name");
  for (const Part& part : parts) {
    const Index size = part.matrix.rows();
    if (size == 0) continue;
    if (n == 0) {
      n = size;
      n_place = part.pointer + " has " + std::to_string(n);
    } else if (size != n) {
      checks.fault(part.pointer,
                   "has " + std::to_string(size) + " DOF, but " + n_place + "; use the same number of DOF");
    }
  }

  model.dofs = nameDofs(structure, parts, static_cast<std::size_t>(n), checks);
  checks.throwIfAny();  // from here on sizes agree
  if (!damping.source.given()) damping.matrix.resize(n, n);
  for (Part& part : parts) symmetrise(part, model.dofs, model.notes, checks);
  bool sound = checks.ok();
  model.influence = readGrounds(structure, model.dofs, checks);
  if (checks.ok() && structure.massless == Massless::condense) {
    const std::vector<Index> kept = condenseMassless(mass, damping, stiffness, model.dofs, model.notes, checks);
    std::vector<Dof> dofs;
    for (const Index dof : kept) dofs.push_back(model.dofs[static_cast<std::size_t>(dof)]);
    model.dofs = std::move(dofs);
    model.influence = Eigen::MatrixXd(model.influence(kept, Eigen::all));
    sound = checks.ok();
  }
  if (sound) {
    checkMass(mass, model.dofs, structure.massless, checks);
    checkStiffness(stiffness, model.dofs, model.notes, checks);
    if (structure.massless == Massless::keep) checkHeldLight(mass, stiffness, model.dofs, checks);
    checkDamping(damping, model.notes);
  }
  checks.throwIfAny();

  n = mass.matrix.rows();
  for (const MatrixStructure::Ground& ground : structure.grounds) model.supports.push_back(ground.name);
  for (Index i = 0; i < n; ++i) {
    const Dof& dof = model.dofs[static_cast<std::size_t>(i)];
    ModelNode node{.name = dof.name, .x_m = static_cast<double>(i)};
    node.dof[dof.motion == Motion::rotation ? 2 : 0] = i;
    model.nodes.push_back(std::move(node));
  }
  SystemMatrices system;
  system.dofs = model.dofs;
  system.supports = model.supports;
  system.m = mass.matrix;
  system.c = damping.matrix;
  system.k = stiffness.matrix;
  system.m_support = -(system.m * model.influence);
  system.c_support = system.k_support = Eigen::MatrixXd::Zero(n, model.influence.cols());
  model.matrices = std::move(system);
  return model;
}

}  // namespace hyb
