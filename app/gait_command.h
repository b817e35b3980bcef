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
  std::string write;  // project that gets the start; empty: none
  bool json = false;
};
/// `hybridbench gait`: a start from which the walker of a project goes on walking.
int findGait(const GaitCommand& command);

}  // namespace hyb::app
