#include "hardware/ads_plan.h"

#include <string>

#include "core/rig/device_channels.h"

namespace hyb {
namespace {

std::string taskVariable(int task, const char* member) {
  return "TwinCAT_SystemInfoVarList._TaskInfo[" + std::to_string(task) + "]." + member;
}

}  // namespace

AdsPlan::AdsPlan(const AdsSpec& spec, const std::vector<ChannelSpec>& channels) {
  for (const bool output : {false, true})
    for (std::size_t c = 0; c < channels.size(); ++c) {
      if (isOutput(channels[c].role) != output) continue;
      (output ? writes : reads).push_back(values.size());
      values.push_back({spec.channels[c], channelPlace(c, "symbol"), channelPlace(c, "plc_type"), output});
    }
  inputs = reads.size();
  outputs = writes.size();
  const auto own = [&](const std::string& symbol, const char* where, bool written, const char* remedy) {
    values.push_back({{symbol, 0, 0, PlcType::udint}, where, where, written, remedy});
    return values.size() - 1;
  };
  if (spec.task > 0) {
    const char* const where = "/rig/connection/task";
    const char* const remedy =
        "enter the number of a PLC task, from 1, or 0 for a controller without this variable, such as TwinCAT 2";
    reads.push_back(own(taskVariable(spec.task, "CycleCount"), where, false, remedy));
    cycle_time = own(taskVariable(spec.task, "CycleTime"), where, false, remedy);
  }
  if (!spec.watchdog.empty() && outputs > 0) writes.push_back(own(spec.watchdog, "/rig/connection/watchdog", true, ""));
  for (std::size_t s = 0; s < spec.stop.size(); ++s) {
    const std::string where = "/rig/connection/stop_values/" + std::to_string(s);
    stops.push_back(values.size());
    values.push_back({spec.stop[s].first, where + "/symbol", where + "/plc_type", true});
  }
}

}  // namespace hyb
