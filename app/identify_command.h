#pragma once
#include <optional>
#include <string>

namespace hyb::app {

struct IdentifyCommand {
  std::string file;
  std::string input, output;        // channels; empty: command and measured motion of interface 1
  std::string order;                // "3" or "3,1"; empty: proposed
  std::optional<int> poles, zeros;  // instead of order
  std::string delay = "auto";       // or seconds
  std::string band;                 // "0.1:20", Hz; empty: the band with input power
  std::string hold;                 // "step", "line"; empty: derived from the input
  std::optional<double> segment_s;
  std::string from, to;  // part of the run in s; empty: all of it. A name is taken for a channel, as in version 0.9
  std::optional<int> trial;
  std::string write;  // project to write the model to; empty: none
  bool json = false;
};
/// `hybridbench identify`: frequency response and model of a recorded run.
int identifyRunCommand(const IdentifyCommand& command);

}  // namespace hyb::app
