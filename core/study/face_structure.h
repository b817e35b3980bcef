#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/fidelity/face_model.h"
#include "core/project/project.h"

namespace hyb {

/// Data of FACE's structural model about a test: the computed side and the effect of the excitation on it.
class FaceStructure {
 public:
  /// Null, with the reason in one sentence, if the model is not applicable: another program computes, the cut has more
  /// than one interface DOF, the computed side is not linear, a file of the project is missing.
  static std::shared_ptr<const FaceStructure> make(const Project& project, std::string& why_not);

  /// Motion of the interface, m, at rows 0 to `rows` - 1 of an error-free test: computed side and specimen are one
  /// structure, integrated like the uncut structure of the loop. Empty: that structure has no motion.
  std::vector<double> motion(const FaceSpecimen& specimen, std::size_t rows) const;

 private:
  explicit FaceStructure(const Project& project);
  Project project_;
  Partition partition_;  // after the cut; the excitation acts on these DOF
  Partition numerical_;  // computed side as used in the loop
};

}  // namespace hyb
