#pragma once
#include <cstdint>
#include <string>

namespace hyb {

/// Codes that the driver itself must know.
enum AdsCode : std::uint32_t {
  kAdsPortNotFound = 0x06,
  kAdsTargetNotFound = 0x07,
  kAdsNoService = 0x701,
  kAdsNoGroup = 0x702,
  kAdsBadOffset = 0x703,
  kAdsNoSymbol = 0x710,
  kAdsOldSymbol = 0x711,
};

/// "ADS error 0x710 (1808): symbol not found; check the name of the variable". The remedy is left out where there is
/// none; of a missing route it is adsRouteRemedy(), which knows the addresses.
std::string adsErrorText(std::uint32_t code);

/// "RUN"; "state 77" for an unknown one.
std::string adsStateName(std::uint16_t state);
constexpr std::uint16_t kAdsRun = 5, kAdsConfig = 15;

/// "PLC runtime at AMS port 851 is in STOP, not in RUN; start the PLC program"
std::string adsStateSentence(int port, std::uint16_t state);

}  // namespace hyb
