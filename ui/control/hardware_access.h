#pragma once
#include <functional>
#include <string>
#include <vector>

#include "core/run/device_factory.h"
#include "core/run/external_site.h"

namespace hyb::ui {

/// Access of the window to hardware and to other programs. The program provides it, so that the window depends on no
/// driver. Each may be empty.
struct HardwareAccess {
  DeviceFactory devices = {};
  std::function<std::vector<std::string>()> serial_ports = {};  // paths; stable names first
  SiteFactory programs = {};                                    // serves programs that lead a test
};

}  // namespace hyb::ui
