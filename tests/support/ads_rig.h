#pragma once
#include <string>

#include "core/rig/ads_protocol.h"
#include "core/rig/rig_spec.h"

namespace hyb::test {

/// The rig section for an AdsPartner: force, one command, displacement.
inline RigSpec adsRig(const std::string& address) {
  RigSpec rig;
  rig.use = RigUse::rig;
  rig.connection.address = address;
  AdsSpec ads;
  ads.target_net_id = "5.1.2.3.1.1";
  ads.reply_s = 5.0;
  ads.max_age_s = 10.0;
  ads.state_s = 10.0;
  ads.watchdog = "MAIN.alive";
  ads.stop = {{{"MAIN.stop", 0, 0, PlcType::boolean}, 1.0}};
  const auto channel = [&](const char* name, ChannelRole role, const char* symbol) {
    ChannelSpec spec;
    spec.name = name;
    spec.role = role;
    spec.interface = 1;
    if (role == ChannelRole::command) spec.raw_min = -1.0, spec.raw_max = 1.0;
    ads.channels.push_back({symbol});
    rig.channels.push_back(spec);
  };
  channel("force", ChannelRole::force, "MAIN.force");
  channel("command", ChannelRole::command, "MAIN.target");
  channel("displacement", ChannelRole::displacement, "MAIN.x");
  rig.connection.protocol = protocolOf(ads);
  return rig;
}

}  // namespace hyb::test
