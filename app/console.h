#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/project/project.h"

namespace hyb::app {

/// Exit codes; contract with scripts, never renumber.
enum ExitCode : int { kDone = 0, kStopped = 1, kInvalidInput = 2, kDeviceError = 3, kDefect = 4 };

/// Call first. Opens missing descriptors from 0 to 2; otherwise the next opened file would get such a number and
/// receive the printed output.
void openStandardStreams() noexcept;

/// Text for a terminal: control characters from names of files and devices are escaped ("\x1b"), so that the
/// terminal does not act on them. Letters, line ends and tabs stay.
std::string spelt(std::string_view text);

/// Writes one JSON object to standard output. Throws DeviceError if it cannot be written.
void printJson(const Json& object);
/// Writes text to standard output, escaped. Throws DeviceError if it cannot be written, but not if the reader has
/// ended (| head).
void print(const std::string& text);
/// Writes text to standard error, escaped.
void note(const std::string& text);

/// "40 s", "3 min", "1.5 h"
std::string timeText(double seconds);

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

/// Lines of cells in columns as wide as their longest cell, right-aligned.
std::string columnsText(const std::vector<std::vector<std::string>>& lines);

/// One line on standard error that is redrawn; silent unless standard error is a terminal.
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
