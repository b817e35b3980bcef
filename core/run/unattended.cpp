#include "core/run/unattended.h"

namespace hyb {

Project unattended(Project project) {
  for (std::size_t l = 0; l < project.limits.size(); ++l) {
    if (project.limits[l].action != Action::hold) continue;
    project.limits[l].action = Action::ramp;
    const Json::json_pointer place("/safety/limits/" + std::to_string(l) + "/action");
    if (project.document.contains(place)) project.document[place] = name(Action::ramp);
  }
  return project;
}

std::string unattendedNote(const Project& asked, const Loop& loop) {
  const int decisive = loop.status().deciding_limit.load();
  if (loop.endReason() != EndReason::limit || decisive < 0) return {};
  const auto l = static_cast<std::size_t>(decisive);
  if (l >= asked.limits.size() || asked.limits[l].action != Action::hold) return {};
  return loop.safety().limits()[l].action == Action::ramp ? " (ramped instead of held, because nobody can resume)" : "";
}

}  // namespace hyb
