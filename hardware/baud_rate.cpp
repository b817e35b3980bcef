#include "hardware/baud_rate.h"

#include <sys/ioctl.h>
#include <termios.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <string>

#include "core/base/error.h"

namespace hyb {
namespace {

/// Linux takes a rate as a number only through this structure. Its own header conflicts with <termios.h>, and its
/// request numbers are derived from the structure's name.
struct termios2 {
  tcflag_t c_iflag, c_oflag, c_cflag, c_lflag;
  cc_t c_line;
  cc_t c_cc[19];
  speed_t c_ispeed, c_ospeed;
};
constexpr tcflag_t kAnyRate = 0010000, kRateBits = 0010017;  // BOTHER and CBAUD
constexpr int kInputShift = 16;                              // IBSHIFT

constexpr double kBaudTolerance = 0.02;  // relative; beyond it, the last bits of a character are read wrongly

}  // namespace

void setBaudRate(int descriptor, int baud) {
  termios2 settings{};
  const auto refuse = [&](const std::string& why) {
    throw DeviceError("the driver of this port does not support " + std::to_string(baud) + " baud: " + why +
                      "; choose another baud rate");
  };
  if (::ioctl(descriptor, TCGETS2, &settings) != 0) refuse(std::strerror(errno));
  settings.c_cflag &= ~(kRateBits | kRateBits << kInputShift);
  settings.c_cflag |= kAnyRate | kAnyRate << kInputShift;
  settings.c_ispeed = settings.c_ospeed = static_cast<speed_t>(baud);
  if (::ioctl(descriptor, TCSETS2, &settings) != 0 || ::ioctl(descriptor, TCGETS2, &settings) != 0)
    refuse(std::strerror(errno));
  if (std::abs(static_cast<double>(settings.c_ospeed) - baud) > kBaudTolerance * baud)
    refuse("it sets " + std::to_string(settings.c_ospeed) + " baud instead");
}

}  // namespace hyb
