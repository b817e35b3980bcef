#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/rig/rig_spec.h"

namespace hyb {

/// Response of the sensors to a small positive motion of one actuator.
struct WiringMove {
  int interface = 0;                // from 1: the axis whose actuator was moved
  double amplitude_m = 0.0;         // commanded motion
  std::vector<double> answer;       // [channel] change of the scaled value, m or N; 0 for other roles
  std::vector<double> uncertainty;  // [channel] standard error of that change
};

enum class WiringVerdict : std::uint8_t { right, reversed, swapped, silent, wrong_gain };

struct WiringFinding {
  std::size_t channel = 0;
  WiringVerdict verdict = WiringVerdict::right;
  int answers_to = 0;  // swapped: the interface whose motion it follows
  std::string sentence;
};

/// Assesses each displacement and force sensor of the moved interfaces. A displacement sensor follows its own axis by
/// about the commanded motion. A force is that of the specimen on the computed side: a specimen with stiffness resists,
/// so the force of the own axis has the opposite sign. If the axes of a specimen resist each other as strongly as
/// themselves, swapped sensors look like two reversed ones: the sentence then names both.
std::vector<WiringFinding> judgeWiring(const std::vector<ChannelSpec>& channels, const std::vector<WiringMove>& moves);

}  // namespace hyb
