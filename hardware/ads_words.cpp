#include "hardware/ads_words.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace hyb {
namespace {

struct AdsErrorFacts {
  std::uint32_t code;
  const char* meaning;
  const char* remedy;
};
/// Codes as in Beckhoff's documentation (reference note on links, section 3.4), ascending.
constexpr std::array<AdsErrorFacts, 43> kAdsErrors = {{
    {0x01, "internal error", ""},
    {0x04, "mailbox full", "lower the loop rate, as the controller gets more requests than it handles in a cycle"},
    {kAdsPortNotFound, "target port not found",
     "bring TwinCAT to RUN mode with a PLC program, or correct the AMS port (851: first runtime of TwinCAT 3, 801: of "
     "TwinCAT 2)"},
    {kAdsTargetNotFound, "target machine not found", ""},  // the remedy is the route
    {0x08, "unknown command", ""},
    {0x0B, "unknown AMS command", ""},
    {0x0D, "port not connected", "bring TwinCAT to RUN mode"},
    {0x0E, "invalid AMS length", ""},
    {0x0F, "invalid AMS NetId", "correct the AMS NetId of the controller"},
    {0x12, "port disabled", "bring TwinCAT to RUN mode"},
    {0x19, "no memory", "restart the controller"},
    {0x1A, "TCP send error", "check cable and route"},
    {0x1B, "host unreachable", "check cable and route"},
    {0x506, "port in use", "choose another AMS port for the bench"},
    {0x507, "port not registered", "check the AMS port of the bench"},
    {0x508, "no more ports", "end other ADS clients"},
    {0x701, "service not supported", "use another AMS port, or index group and offset"},
    {0x702, "invalid index group", "correct the index group"},
    {0x703, "invalid index offset", "correct the index offset"},
    {0x704, "reading or writing not permitted", "use a variable that may be written"},
    {0x705, "size not correct", "enter the type that the variable has in the PLC"},
    {0x706, "invalid data", "enter a value in the range of the variable"},
    {0x707, "device not ready", "bring the PLC to RUN"},
    {0x708, "device busy", "lower the loop rate"},
    {0x70A, "out of memory", "restart the controller"},
    {0x70B, "invalid parameter", ""},
    {0x70C, "not found", ""},
    {0x70E, "wrong state", "bring the PLC to RUN"},
    {kAdsNoSymbol, "symbol not found",
     "write the variable with its program or variable list (MAIN.target, GVL.force), and download the program that has "
     "it"},
    {kAdsOldSymbol, "symbol version invalid", "connect again, as the PLC program was changed"},
    {0x712, "invalid state", "bring the PLC to RUN"},
    {0x713, "transmission mode not supported", ""},
    {0x714, "notification handle invalid", ""},
    {0x716, "no more handles", "restart the controller"},
    {0x719, "device time-out", "lower the loop rate, or raise the reply time limit"},
    {0x722, "symbol not active", "activate the configuration that has the variable"},
    {0x723, "access denied", "allow the access in the controller"},
    {0x736, "licence error", "renew the licence of the controller"},
    {0x741, "invalid parameter at the client", ""},
    {0x745, "time-out", ""},  // the remedy is the route
    {0x748, "port not open", "bring TwinCAT to RUN mode"},
    {0x750, "no connection", "check cable and route"},
    {0x752, "key not found", ""},
}};

constexpr std::array<const char*, 20> kAdsStates = {
    "INVALID",     "IDLE",        "RESET",         "INIT",       "START",        "RUN",      "STOP",
    "SAVE CONFIG", "LOAD CONFIG", "POWER FAILURE", "POWER GOOD", "ERROR",        "SHUTDOWN", "SUSPEND",
    "RESUME",      "CONFIG",      "RECONFIG",      "STOPPING",   "INCOMPATIBLE", "EXCEPTION"};

}  // namespace

std::string adsErrorText(std::uint32_t code) {
  char text[48];
  std::snprintf(text, sizeof text, "ADS error 0x%X (%u)", static_cast<unsigned>(code), static_cast<unsigned>(code));
  const auto found = std::ranges::find(kAdsErrors, code, &AdsErrorFacts::code);
  if (found == kAdsErrors.end()) return std::string(text) + "; see the list of ADS return codes of the controller";
  return std::string(text) + ": " + found->meaning + (*found->remedy != '\0' ? std::string("; ") + found->remedy : "");
}

std::string adsStateName(std::uint16_t state) {
  return state < kAdsStates.size() ? kAdsStates[state] : "state " + std::to_string(state);
}

std::string adsStateSentence(int port, std::uint16_t state) {
  std::string remedy = "start the PLC program";
  if (adsStateName(state).find("CONFIG") != std::string::npos) remedy = "restart TwinCAT in RUN mode";
  if (adsStateName(state) == "EXCEPTION") remedy = "the PLC program failed: see the messages of TwinCAT and restart it";
  return "the PLC runtime at AMS port " + std::to_string(port) + " is in " + adsStateName(state) + ", not in RUN; " +
         remedy;
}

}  // namespace hyb
