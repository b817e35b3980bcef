#pragma once

namespace hyb {

/// Any rate that the driver of this serial port can make, beside the table of termios too. Throws DeviceError: the
/// driver refuses it, or makes another one that differs by more than 2 %.
void setBaudRate(int descriptor, int baud);

}  // namespace hyb
