#include "core/structure/mechanism.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"

namespace hyb {
namespace {

using Row = Eigen::RowVectorXd;

/// Rigid bodies of the drawing plane, three motions each: along x, along y, rotation times the structure's size.
class RigidBodies {
 public:
  explicit RigidBodies(const Model& model) : model_(model), parent_(model.nodes.size()) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    for (const ModelElement& element : model.elements)
      if (element.shape == ElementShape::beam) parent_[root(element.nodes[0])] = root(element.nodes[1]);
    body_.assign(model.nodes.size(), 0);
    for (std::size_t i = 0; i < parent_.size(); ++i)
      if (root(i) == i) {
        body_[i] = static_cast<Eigen::Index>(centre_.size());
        centre_.push_back(i);
      }
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      const ModelNode &node = model.nodes[i], &first = model.nodes.front();
      body_[i] = body_[root(i)];
      size_ = std::max({size_, std::abs(node.x_m - first.x_m), std::abs(node.y_m - first.y_m)});
    }
    if (size_ == 0.0) size_ = 1.0;
  }

  Eigen::Index motions() const { return 3 * static_cast<Eigen::Index>(centre_.size()); }

  bool isCentre(std::size_t node) const { return centre_[static_cast<std::size_t>(body_[node])] == node; }

  /// Motion of a node along x (0), y (1) or rotation (2) from those of the bodies.
  Row motion(std::size_t node, std::size_t direction) const {
    const ModelNode &here = model_.nodes[node], &centre = model_.nodes[centre_[static_cast<std::size_t>(body_[node])]];
    Row row = Row::Zero(motions());
    row[3 * body_[node] + static_cast<Eigen::Index>(direction)] = 1.0;
    if (direction == 0) row[3 * body_[node] + 2] = -(here.y_m - centre.y_m) / size_;
    if (direction == 1) row[3 * body_[node] + 2] = (here.x_m - centre.x_m) / size_;
    return row;
  }

 private:
  std::size_t root(std::size_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  const Model& model_;
  std::vector<std::size_t> parent_;
  std::vector<Eigen::Index> body_;   // of each node
  std::vector<std::size_t> centre_;  // node of each body that it turns about
  double size_ = 0.0;
};

/// Motions with a resistance, one row each.
Eigen::MatrixXd resisted(const Model& model, const RigidBodies& bodies) {
  std::vector<Row> rows, of_dof(model.dofs.size());
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      if (const Eigen::Index dof = model.nodes[i].dof[d]; dof >= 0)
        of_dof[static_cast<std::size_t>(dof)] = bodies.motion(i, d);
      else if (model.nodes[i].fixed[d] || bodies.isCentre(i))  // a motion that a body lacks is missing at all its nodes
        rows.push_back(bodies.motion(i, d));
  const auto of = [&](Eigen::Index dof) {
    return dof < 0 ? Row(Row::Zero(bodies.motions())) : of_dof[static_cast<std::size_t>(dof)];
  };
  for (const ModelElement& element : model.elements) {
    if (element.shape != ElementShape::link) continue;
    for (std::size_t i = 0; i < element.dofs.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const Row weights = element.k.row(at).cwiseAbs() + element.c.row(at).cwiseAbs();
      if (weights.isZero(0.0)) continue;
      Row row = of(element.dofs[i]);
      for (std::size_t j = 0; j < element.dofs.size(); ++j)  // springs between two DOF resist their difference
        if (j != i && weights[static_cast<Eigen::Index>(j)] > 0.0) row -= of(element.dofs[j]);
      rows.push_back(std::move(row));
    }
  }
  for (const NonlinearLink& link : model.nonlinear) rows.push_back(of(link.from) - of(link.to));
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()), bodies.motions());
  for (std::size_t i = 0; i < rows.size(); ++i) matrix.row(static_cast<Eigen::Index>(i)) = rows[i];
  return matrix;
}

}  // namespace

void refuseMechanisms(const Model& model) {
  if (std::none_of(model.elements.begin(), model.elements.end(),
                   [](const ModelElement& element) { return element.shape == ElementShape::beam; }))
    return;
  const RigidBodies bodies(model);
  const Eigen::MatrixXd rows = resisted(model, bodies);
  // Eigenvectors of the normal equations: motions held by less than 1e-7 of the strongest support count as free.
  const linalg::SymmetricModes modes = linalg::symmetricModes(rows.transpose() * rows);
  const double strongest = std::max(modes.values.maxCoeff(), 1.0);
  const Eigen::Index free = (modes.values.array() <= 1e-14 * strongest).count();
  if (free == 0) return;
  const Eigen::MatrixXd ways = modes.vectors.leftCols(free);
  Eigen::MatrixXd moves(free, static_cast<Eigen::Index>(model.dofs.size()));
  for (std::size_t i = 0; i < model.nodes.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      if (const Eigen::Index dof = model.nodes[i].dof[d]; dof >= 0)  // a rotation is named only if no node translates
        moves.col(dof) = (d == 2 ? 1e-3 : 1.0) * (bodies.motion(i, d) * ways).transpose();
  // Pivots are the DOF that move most; holding them all would hold the structure.
  const Eigen::VectorXi pivots = linalg::spanningColumns(moves);
  std::vector<Issue> issues;
  for (Eigen::Index i = 0; i < std::min(free, moves.cols()); ++i) {
    const Eigen::Index dof = pivots[i];
    issues.push_back({"/structure", "\"" + model.dofs[static_cast<std::size_t>(dof)].name +
                                        "\" can move without any stiffness: hold it, or add a member or a spring"});
  }
  throw InputError(std::move(issues));
}

}  // namespace hyb
