#pragma once
#include <cstdint>
#include <string>

#include "core/error.h"
#include "core/project/project.h"

namespace hyb::app {

/// What the program tells the shell; contract with scripts, never renumber.
enum ExitCode : int { kDone = 0, kStopped = 1, kInvalidInput = 2, kDeviceError = 3, kDefect = 4 };

/// One JSON object on standard output. Throws DeviceError when nobody takes it.
void printJson(const Json& object);
/// Text on standard output. Throws DeviceError when nobody takes it.
void print(const std::string& text);
/// Text on standard error.
void note(const std::string& text);

/// "40 s", "3 min", "1.5 h"
std::string timeText(double seconds);

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

/// One line on standard error that is drawn over and over; silent unless that is a terminal.
class Progress {
 public:
  Progress();
  ~Progress();  // wipes the line
  /// fraction in 0..1; negative: unknown.
  void show(double fraction, const std::string& text);

 private:
  bool terminal_;
  bool drawn_ = false;
};

}  // namespace hyb::app
