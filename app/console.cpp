#include "app/console.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>

namespace hyb::app {

void print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) == EOF || std::fflush(stdout) == EOF)
    throw DeviceError("standard output: cannot be written; check where it is sent to.");
}

void printJson(const Json& object) { print(object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"); }

void note(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

std::string timeText(double seconds) {
  if (seconds < 90.0) return format("%.0f s", seconds);
  if (seconds < 5400.0) return format("%.0f min", seconds / 60.0);
  return format("%.1f h", seconds / 3600.0);
}

std::string format(const char* pattern, ...) {
  std::array<char, 1024> text;
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text.data(), text.size(), pattern, arguments);
  va_end(arguments);
  return text.data();
}

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::show(double fraction, const std::string& text) {
  if (!terminal_) return;
  constexpr int kWidth = 40;
  std::string bar;
  if (fraction >= 0.0) {
    const int filled = static_cast<int>(kWidth * std::min(fraction, 1.0));
    bar = "[" + std::string(static_cast<std::size_t>(filled), '#') +
          std::string(static_cast<std::size_t>(kWidth - filled), '.') + "] ";
    bar += format("%3d %%  ", static_cast<int>(100.0 * std::min(fraction, 1.0)));
  }
  std::fprintf(stderr, "\r\033[K%s%s", bar.c_str(), text.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace hyb::app
