#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/rig/rig_spec.h"

namespace hyb {

/// One actuator was moved a little, in the positive direction and alone; this is how the sensors answered.
struct WiringMove {
  int interface = 0;                // from 1: the axis whose actuator was moved
  double amplitude_m = 0.0;         // by how much it was commanded
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

/// What the answers say about each displacement and force sensor of the interfaces that were moved.
/// A displacement sensor follows its own axis by about the commanded amount. A force is that of the specimen on the
/// computed side: a specimen with stiffness pushes back, so that its own axis answers with the opposite sign. Sensors
/// that are swapped in a specimen whose axes push each other as strongly as themselves look like two reversed ones: the
/// sentence then names both.
std::vector<WiringFinding> judgeWiring(const std::vector<ChannelSpec>& channels, const std::vector<WiringMove>& moves);

}  // namespace hyb
