#pragma once

namespace hyb {

/// Sets any rate that the driver of this serial port supports, including rates outside the termios table. Throws
/// DeviceError if the driver refuses the rate or sets one that differs by more than 2 %.
void setBaudRate(int descriptor, int baud);

}  // namespace hyb
