#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hyb::app {

struct GaitCommand {
  std::string project;
  std::vector<std::string> set;
  std::optional<double> speed_m_per_s;
  std::uint32_t seed = 1;
  std::string write;  // project to write the start to; empty: none
  bool json = false;
};
/// `hybridbench gait`: finds a start from which the walker of a project continues to walk.
int findGait(const GaitCommand& command);

}  // namespace hyb::app
