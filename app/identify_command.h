#pragma once
#include <optional>
#include <string>

namespace hyb::app {

struct IdentifyCommand {
  std::string file;
  std::string input, output;        // channels; empty: command and measured motion of interface 1
  std::string order;                // "3" or "3,1"; empty: proposed
  std::optional<int> poles, zeros;  // in place of order
  std::string delay = "auto";       // or seconds
  std::string band;                 // "0.1:20", Hz; empty: where the input has power
  std::string hold;                 // "step", "line"; empty: as the input is
  std::optional<double> segment_s;
  std::string write;  // project that gets the model; empty: none
  bool json = false;
};
/// `hybridbench identify`: frequency response and model of a recorded run.
int identifyRunCommand(const IdentifyCommand& command);

}  // namespace hyb::app
