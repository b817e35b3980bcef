#include "core/structure/nonlinear_links.h"

#include <algorithm>

#include "core/structure/link_law.h"
#include "core/structure/name_check.h"

namespace hyb {
namespace {

class Links {
 public:
  Links(Model& model, Checks& checks) : model_(model), names_(checks, "nonlinear links"), checks_(checks) {
    for (std::size_t i = 0; i < model.dofs.size(); ++i) dofs_[model.dofs[i].name] = static_cast<Eigen::Index>(i);
  }

  void add(const NonlinearSpec& spec, const std::string& pointer) {
    names_.add(spec.name, pointer);
    const auto is_taken = [&](const ModelElement& e) { return e.name == spec.name || e.member == spec.name; };
    if (std::any_of(model_.elements.begin(), model_.elements.end(), is_taken))
      checks_.fault(pointer + "/name", "\"" + spec.name + "\" is already a part of the structure; choose another name");
    Checks found;
    checkLaw(spec.law, found);
    checks_.take(found, pointer);
    const Eigen::Index from = end(spec.from, pointer + "/from"), to = end(spec.to, pointer + "/to");
    if (spec.from == spec.to)
      return checks_.fault(pointer + "/to", "is the same as \"from\"; a link needs two different ends");
    if (from >= 0 && to >= 0 && motion(from) != motion(to))
      checks_.fault(pointer, "connects a translation and a rotation; connect two translations or two rotations");
    if (!checks_.ok()) return;
    model_.matrices ? addToMatrices({spec.name, spec.law, from, to}) : addElement({spec.name, spec.law, from, to});
  }

 private:
  Eigen::Index end(const std::string& name, const std::string& pointer) {
    if (name.empty()) return -1;
    if (const auto dof = dofs_.find(name); dof != dofs_.end()) return dof->second;
    const bool support = std::find(model_.supports.begin(), model_.supports.end(), name) != model_.supports.end();
    checks_.fault(pointer, "\"" + name + "\" is " + (support ? "a support" : "no degree of freedom") +
                               "; use the name of a degree of freedom, or leave it empty for the fixed ground");
    return -1;
  }

  Motion motion(Eigen::Index dof) const { return model_.dofs[static_cast<std::size_t>(dof)].motion; }

  void addElement(const NonlinearLink& link) {
    ModelElement element;
    element.name = element.member = link.name;
    for (const Eigen::Index dof : {link.from, link.to}) {
      if (dof < 0) continue;
      element.dofs.push_back(dof);
      const auto owns = [dof](const ModelNode& node) {
        return std::find(node.dof.begin(), node.dof.end(), dof) != node.dof.end();
      };
      const auto node = std::find_if(model_.nodes.begin(), model_.nodes.end(), owns) - model_.nodes.begin();
      element.nodes.push_back(static_cast<std::size_t>(node));
    }
    const Eigen::MatrixXd stretch =
        element.dofs.size() == 1 ? Eigen::MatrixXd::Ones(1, 1) : Eigen::MatrixXd{{1.0, -1.0}, {-1.0, 1.0}};
    element.m = element.c = 0.0 * stretch;
    element.k = initialStiffness(link.law) * stretch;
    element.nonlinear = model_.nonlinear.size();
    model_.nonlinear.push_back(link);
    model_.elements.push_back(std::move(element));
  }

  void addToMatrices(const NonlinearLink& link) {
    const double k = initialStiffness(link.law);
    SparseMatrix& whole = model_.matrices->k;
    if (link.from >= 0) whole.coeffRef(link.from, link.from) += k;
    if (link.to >= 0) whole.coeffRef(link.to, link.to) += k;
    if (link.from >= 0 && link.to >= 0) {
      whole.coeffRef(link.from, link.to) -= k;
      whole.coeffRef(link.to, link.from) -= k;
    }
    whole.makeCompressed();
    model_.matrices->nonlinear.push_back(link);
  }

  Model& model_;
  NameCheck names_;
  Checks& checks_;
  std::map<std::string, Eigen::Index> dofs_;
};

}  // namespace

void addNonlinearLinks(const std::vector<NonlinearSpec>& links, Model& model) {
  Checks checks;
  Links adding(model, checks);
  for (std::size_t i = 0; i < links.size(); ++i) adding.add(links[i], "/structure/nonlinear/" + std::to_string(i));
  checks.throwIfAny();
}

}  // namespace hyb
