#pragma once
#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "core/fidelity/face_model.h"
#include "core/project/project.h"

namespace hyb {

/// What FACE's structural model knows of a test: the computed side, and what the excitation does to it.
class FaceStructure {
 public:
  /// Null, and why, one sentence, where the model needs more than it has: another program computes, the cut has more
  /// than one interface DOF, the computed side is not linear, a file of the project is missing.
  static std::shared_ptr<const FaceStructure> make(const Project& project, std::string& why_not);

  /// Dynamic stiffness of the computed side at its interface, N/m.
  std::complex<double> computedStiffness(std::complex<double> s) const;
  /// Motion of the interface, m, at rows 0 to `rows` - 1 of an error-free test: computed side and specimen are one
  /// structure, integrated as the loop integrates its uncut one. Empty: that structure has no motion.
  std::vector<double> motion(const FaceSpecimen& specimen, std::size_t rows) const;

 private:
  explicit FaceStructure(const Project& project);
  Project project_;
  Partition partition_;  // as cut; its excitation acts on these DOF
  Partition numerical_;  // computed side as it runs
};

}  // namespace hyb
