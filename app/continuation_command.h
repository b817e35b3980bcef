#pragma once
#include <string>
#include <vector>

namespace hyb::app {

struct ContinuationCommand {
  std::string project;
  std::string csv;  // file for the points; empty: none
  std::vector<std::string> set;
  bool json = false;
};
/// `hybridbench continuation`: result of a continuation on a perfect rig with the twin's specimen.
int computeContinuation(const ContinuationCommand& command);

}  // namespace hyb::app
