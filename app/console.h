#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/project/project.h"

namespace hyb::app {

/// What the program tells the shell; contract with scripts, never renumber.
enum ExitCode : int { kDone = 0, kStopped = 1, kInvalidInput = 2, kDeviceError = 3, kDefect = 4 };

/// Call first: opens those of the descriptors 0 to 2 that the program was started without, or the next file that is
/// opened would be taken for one of them, and what is printed would be written into it.
void openStandardStreams() noexcept;

/// Text as it may stand on a terminal: what names from files and devices hold beside letters, line ends and tabs is
/// spelt out ("\x1b"), so that none of it is obeyed.
std::string spelt(std::string_view text);

/// One JSON object on standard output. Throws DeviceError when it cannot be written.
void printJson(const Json& object);
/// Text on standard output, spelt. Throws DeviceError when it cannot be written; a reader that has read enough and went
/// (| head) is none of that.
void print(const std::string& text);
/// Text on standard error, spelt.
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
