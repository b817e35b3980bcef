#include "core/study/face_structure.h"

#include "core/coupling/uncut_structure.h"
#include "core/run/build.h"
#include "core/structure/reduction.h"

namespace hyb {

std::shared_ptr<const FaceStructure> FaceStructure::make(const Project& project, std::string& why_not) {
  if (project.coupling->site() != nullptr) {
    why_not = "Another program computes, but the model needs the computed side.";
    return nullptr;
  }
  try {
    std::shared_ptr<const FaceStructure> structure(new FaceStructure(project));
    if (structure->partition_.interface.size() != 1)
      why_not = "The cut has " + std::to_string(structure->partition_.interface.size()) +
                " interface DOF; the model supports one.";
    else if (!structure->numerical_.numerical.nonlinear.empty())
      why_not = "The computed side has nonlinear links, but the model is linear.";
    else
      return structure;
  } catch (const std::exception& error) {
    why_not = std::string("The project cannot be built for the model: ") + error.what();
  }
  return nullptr;
}

FaceStructure::FaceStructure(const Project& project)
    : project_(project),
      partition_(buildPartition(project)),
      numerical_(reduceSides(partition_, project.partition.numerical, {})) {}

std::vector<double> FaceStructure::motion(const FaceSpecimen& specimen, std::size_t rows) const {
  Partition joined = numerical_;
  joined.reference = numerical_.numerical;
  joined.reference_loads = numerical_.numerical_loads;
  joined.interface_in_reference = numerical_.interface_in_numerical;
  const Eigen::Index at = joined.interface_in_reference.front();
  joined.reference.k.coeffRef(at, at) += specimen.stiffness_n_per_m;
  joined.reference.c.coeffRef(at, at) += specimen.damping_n_s_per_m;
  joined.reference.m.coeffRef(at, at) += specimen.mass_kg;
  const double step_s = 1.0 / project_.loop.rate_hz;
  std::vector<double> samples;
  try {
    const Excitation excitation = buildExcitation(project_, partition_);
    ExcitationValue now = excitation.zero();
    UncutStructure whole(project_.integrator, joined, step_s, now);
    const bool ahead = project_.coupling->ahead();
    samples.assign(std::min<std::size_t>(rows, 1), 0.0);  // the loop is at rest in its first period
    while (samples.size() < rows) {
      const double t_s = step_s * static_cast<double>(samples.size());
      const SignalValue fade = excitationFade(project_.loop, t_s, t_s);
      excitation.at(t_s, fade.value, fade.rate, now);
      if (ahead) samples.push_back(whole.interface(0));  // as in the loop: the result of the last step
      whole.step(now);
      if (!ahead) samples.push_back(whole.interface(0));
    }
  } catch (const InputError&) {  // no such structure: mass below 0, or too stiff for the step
    samples.clear();
  }
  return samples;
}

}  // namespace hyb
