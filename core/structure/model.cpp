#include "core/structure/model.h"

#include "core/base/error.h"
#include "core/structure/damping.h"

namespace hyb {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

SparseMatrix sparse(Eigen::Index n, const Triplets& entries) {
  SparseMatrix matrix(n, n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

void add(Triplets& entries, const std::vector<Eigen::Index>& dofs, const Eigen::MatrixXd& local) {
  for (std::size_t i = 0; i < dofs.size(); ++i)
    for (std::size_t j = 0; j < dofs.size(); ++j)
      if (const double value = local(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)); value != 0.0)
        entries.emplace_back(static_cast<int>(dofs[i]), static_cast<int>(dofs[j]), value);
}

}  // namespace

SystemMatrices assembleElements(const Model& model, const std::vector<bool>& chosen) {
  const auto n = static_cast<Eigen::Index>(model.dofs.size());
  const auto s = static_cast<Eigen::Index>(model.supports.size());
  SystemMatrices system;
  system.dofs = model.dofs;
  system.supports = model.supports;
  system.m_support = system.c_support = system.k_support = Eigen::MatrixXd::Zero(n, s);
  Triplets m, c, k;
  for (std::size_t e = 0; e < model.elements.size(); ++e) {
    if (!chosen[e]) continue;
    const ModelElement& element = model.elements[e];
    add(m, element.dofs, element.m);
    add(c, element.dofs, element.c);
    add(k, element.dofs, element.k);
    if (element.support)
      for (std::size_t i = 0; i < element.dofs.size(); ++i) {
        const auto column = static_cast<Eigen::Index>(*element.support);
        system.c_support(element.dofs[i], column) += element.c_support[static_cast<Eigen::Index>(i)];
        system.k_support(element.dofs[i], column) += element.k_support[static_cast<Eigen::Index>(i)];
      }
    if (element.nonlinear) system.nonlinear.push_back(model.nonlinear[*element.nonlinear]);
  }
  system.m = sparse(n, m);
  system.c = sparse(n, c);
  system.k = sparse(n, k);
  return system;
}

Eigen::MatrixXd groundLoad(const Model& model, const SparseMatrix& m) {
  Eigen::MatrixXd load = -(m * model.influence);
  if (model.held_mass.size() > 0) load -= model.held_mass;
  return load;
}

SystemMatrices assemble(const Model& model) {
  SystemMatrices system =
      model.matrices ? *model.matrices : assembleElements(model, std::vector<bool>(model.elements.size(), true));
  system.m_support = groundLoad(model, system.m);
  addDamping(model.damping, system);
  return system;
}

}  // namespace hyb
