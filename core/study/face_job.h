#pragma once
#include <optional>
#include <string>

#include "core/study/face_campaign.h"

namespace hyb {

/// A campaign as requested on the command line.
struct FaceJob {
  Project project;
  FaceOptions options;
};
/// `name` is a project (file or template) with a section /analysis/face, or a study file of "kind": "face". None:
/// another kind of study. Throws InputError, DeviceError.
std::optional<FaceJob> loadFaceJob(const std::string& name);

}  // namespace hyb
