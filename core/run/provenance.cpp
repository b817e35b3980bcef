#include "core/run/provenance.h"

#include <cstdio>

#include "core/structure/reduction.h"

namespace hyb {
namespace {

constexpr std::size_t kMostNames = 60;  // an attribute has room for 64 kB

template <typename... Cases>
struct Words : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Words(Cases...) -> Words<Cases...>;

std::string listed(const std::vector<Dof>& dofs) {
  std::string text;
  for (std::size_t d = 0; d < std::min(dofs.size(), kMostNames); ++d) text += (d == 0 ? "" : ", ") + dofs[d].name;
  return dofs.size() <= kMostNames ? text : text + ", ... (" + std::to_string(dofs.size()) + " in all)";
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string kindOf(const Structure& structure) {
  return std::visit(
      Words{[](const LumpedStructure&) { return "lumped"; }, [](const ShearBuilding&) { return "shear-building"; },
            [](const BeamStructure&) { return "beam"; }, [](const FrameStructure&) { return "frame"; },
            [](const MatrixStructure&) { return "matrices"; }},
      structure.kind);
}

std::string structureWords(const Structure& structure, const SystemMatrices& whole) {
  std::string text = std::visit(
      Words{
          [](const LumpedStructure& s) { return counted(s.masses.size(), "lumped mass", "lumped masses"); },
          [](const ShearBuilding& s) { return "shear building of " + counted(s.storeys.size(), "storey", "storeys"); },
          [](const BeamStructure& s) {
            int elements = 0;
            for (const auto& segment : s.segments) elements += segment.elements;
            return "Euler-Bernoulli beam of " + counted(static_cast<std::size_t>(elements), "element", "elements");
          },
          [](const FrameStructure& s) {
            return "planar frame of " + counted(s.members.size(), "Euler-Bernoulli member", "Euler-Bernoulli members");
          },
          [](const MatrixStructure&) { return std::string("mass, damping and stiffness matrices as given"); }},
      structure.kind);
  if (!structure.nonlinear.empty())
    text += " with " + counted(structure.nonlinear.size(), "nonlinear link", "nonlinear links");
  return text + "; degrees of freedom: " + listed(whole.dofs);
}

std::string reductionWords(const Reduction& reduction, Eigen::Index full, Eigen::Index kept, std::size_t interface) {
  const std::string sizes = std::to_string(full) + " to " + std::to_string(kept) + " degrees of freedom: the " +
                            std::to_string(interface) + " of the interface";
  switch (reduction.method) {
    case Reduction::Method::none:
      break;
    case Reduction::Method::static_condensation:
      return "static condensation, from " + sizes;
    case Reduction::Method::craig_bampton:
      return "Craig-Bampton, from " + sizes + " and " + std::to_string(kept - static_cast<Eigen::Index>(interface)) +
             " clamped-interface modes";
  }
  return "none: as assembled, " + std::to_string(full) + " degrees of freedom";
}

std::string solverWords(const IntegratorSpec& spec) {
  std::string text(title(spec.scheme));
  if (hasRhoInf(spec.scheme)) {
    char rho[32];
    std::snprintf(rho, sizeof rho, ", rho_inf %.4g", spec.rho_inf);
    text += rho;
  }
  if (spec.substeps > 1) text += ", " + std::to_string(spec.substeps) + " steps a tick";
  if (spec.ticks_per_step > 1) text += ", one step in " + std::to_string(spec.ticks_per_step) + " ticks";
  return text;
}

}  // namespace

void describeModel(const Project& project, const Partition& partition, RunFileHeader& header) {
  const auto side = [&](const char* name, const char* words, const SystemMatrices& system,
                        const std::vector<Eigen::Index>& interface, const Reduction& reduction) {
    const ReducedSystem reduced = reduce(system, interface, reduction);
    std::string used = reductionWords(reduction, system.size(), reduced.system.size(), interface.size());
    header.matrices.push_back({name, "",
                               "motion of the " + std::string(words) + " (rows: " + listed(system.dofs) +
                                   ") from the coordinates that were computed with (columns); " + used,
                               reduced.basis});
    return used;
  };
  // The program that computes a site's NS has its own model of it.
  const SiteSpec* const site = project.coupling->site();
  const std::string numerical = site != nullptr ? std::string("not known: another program computes it")
                                                : side("reduction", "computed side", partition.numerical,
                                                       partition.interface_in_numerical, project.partition.numerical);
  const std::string physical = project.rig.use == RigUse::rig
                                   ? std::string("none: the specimen itself")
                                   : side("reduction_physical", "specimen of the twin", partition.physical,
                                          partition.interface_in_physical, project.partition.physical);
  const std::string solver =
      site != nullptr ? "another program, connected at " + site->listen : solverWords(project.integrator);
  header.used = {
      {"structure_kind", kindOf(project.structure)},
      {"reduction_numerical", site != nullptr ? "external" : std::string(name(project.partition.numerical.method))},
      {"reduction_physical",
       project.rig.use == RigUse::rig ? "specimen" : std::string(name(project.partition.physical.method))},
      {"solver", site != nullptr ? "external" : std::string(name(project.integrator.scheme))},
      {"structure_description", structureWords(project.structure, partition.reference)},
      {"reduction_description", "computed side: " + numerical + "; specimen: " + physical},
      {"solver_description", solver},
  };
  for (auto& entry : project.compensation.method->provenance()) header.used.push_back(std::move(entry));
  if (project.rig.use != RigUse::twin)
    for (const PlugInFile& library : project.rig.connection.protocol->libraries()) {
      header.used.emplace_back("rig_driver", library.file.string());
      header.used.emplace_back("rig_driver_sha256", library.sha256);
    }
  header.designsafe.emplace_back("global_model_description", structureWords(project.structure, partition.reference));
  header.designsafe.emplace_back("numerical_substructure_description",
                                 (site != nullptr ? solver : "integrator " + solver) + "; reduction " + numerical);
  header.designsafe.emplace_back(
      "experimental_substructure_description",
      project.rig.use == RigUse::twin
          ? "digital twin of the transfer system and the physical substructure; reduction " + physical
          : "rig at " + project.rig.connection.address);
}

}  // namespace hyb
