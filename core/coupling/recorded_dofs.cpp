#include "core/coupling/recorded_dofs.h"

#include <algorithm>

#include "core/structure/sides.h"

namespace hyb {

std::string numericalColumn(std::size_t k) { return "dof_numerical_" + std::to_string(k); }
std::string referenceColumn(std::size_t k) { return "dof_reference_" + std::to_string(k); }
std::string measuredColumn(std::size_t k) { return "dof_measured_" + std::to_string(k); }

std::vector<RecordedDof> recordedDofs(const std::vector<std::string>& names, const Partition& partition, bool reference,
                                      Checks& checks) {
  const auto placeOf = [](const std::string& name, const std::vector<Dof>& dofs) {
    const auto at = std::ranges::find_if(dofs, [&](const Dof& dof) { return dof.name == name; });
    return at == dofs.end() ? Eigen::Index{-1} : static_cast<Eigen::Index>(at - dofs.begin());
  };
  const std::vector<Dof>& at_cut = partition.cut_dofs.empty() ? partition.interface : partition.cut_dofs;
  std::vector<Dof> known = at_cut;
  for (const Dof& dof : partition.numerical.dofs)
    if (placeOf(dof.name, partition.interface) < 0) known.push_back(dof);
  std::vector<RecordedDof> recorded;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string& name = names[k];
    const std::string where = "/record/" + std::to_string(k);
    if (std::count(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), name) > 0)
      checks.fault(where, "\"" + name + "\" is given twice; remove one");
    const Eigen::Index in_known = dofCalled(name, known, where, checks);
    if (in_known < 0) continue;
    RecordedDof& dof = recorded.emplace_back();
    dof.in_cut = placeOf(name, at_cut);
    dof.in_numerical = placeOf(name, partition.numerical.dofs);
    dof.in_reference = placeOf(name, partition.reference.dofs);
    const std::string unit = known[static_cast<std::size_t>(in_known)].motion == Motion::rotation ? "rad" : "m";
    const std::string group = "Recorded: " + name;
    const auto add = [&](const std::string& column, const std::string& words, const std::string& title) {
      dof.columns.push_back({column, unit, words + " of " + name, 0, name + " " + title, group});
    };
    add(numericalColumn(k + 1), "motion on the numerical side", "computed");
    if (reference) add(referenceColumn(k + 1), "motion in the uncut structure", "reference");
    if (dof.in_cut >= 0) add(measuredColumn(k + 1), "measured motion", "measured");
  }
  return recorded;
}

std::vector<Channel> columnsOf(const std::vector<RecordedDof>& recorded) {
  std::vector<Channel> columns;
  for (const RecordedDof& dof : recorded) columns.insert(columns.end(), dof.columns.begin(), dof.columns.end());
  return columns;
}

RecordedMotion::RecordedMotion(std::vector<RecordedDof> recorded, const Partition& partition)
    : recorded_(std::move(recorded)),
      at_(partition.interface_in_numerical),
      cut_from_axes_(partition.cut_dofs.empty() ? Eigen::MatrixXd::Identity(static_cast<Eigen::Index>(at_.size()),
                                                                            static_cast<Eigen::Index>(at_.size()))
                                                : partition.motion_from_axes),
      columns_(columnsOf(recorded_).size()) {}

/// A DOF of the cut from values of the interface axes.
template <typename Axis>
double RecordedMotion::atCut(Eigen::Index cut, const Axis& axis) const noexcept {
  double sum = 0.0;
  for (std::size_t i = 0; i < at_.size(); ++i) sum += cut_from_axes_(cut, static_cast<Eigen::Index>(i)) * axis(i);
  return sum;
}

void RecordedMotion::read(const Eigen::VectorXd& numerical, const Eigen::VectorXd& measured,
                          const UncutStructure* uncut, std::span<double> values) const noexcept {
  std::size_t v = 0;
  for (const RecordedDof& dof : recorded_) {
    values[v++] = dof.shape.size() > 0    ? dof.shape.dot(numerical)
                  : dof.in_numerical >= 0 ? numerical[dof.in_numerical]
                                          : atCut(dof.in_cut, [&](std::size_t i) { return numerical[at_[i]]; });
    if (uncut)
      values[v++] = dof.in_reference >= 0 ? uncut->motion(dof.in_reference)
                                          : atCut(dof.in_cut, [&](std::size_t i) { return uncut->interface(i); });
    if (dof.in_cut >= 0)
      values[v++] = atCut(dof.in_cut, [&](std::size_t i) { return measured[static_cast<Eigen::Index>(i)]; });
  }
}

}  // namespace hyb
