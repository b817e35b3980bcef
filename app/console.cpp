#include "app/console.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>

namespace hyb::app {

void openStandardStreams() noexcept {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // open() returns the lowest free descriptor, which is the missing one. A missing output gets a descriptor for
    // reading, so that lost results remain a write error.
    static_cast<void>(::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY));
  }
}

namespace {

/// Bytes of the character at the start of `text`; 0: invalid UTF-8.
std::size_t lengthOf(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const std::size_t length = byte(0) < 0x80   ? 1
                             : byte(0) < 0xC2 ? 0
                             : byte(0) < 0xE0 ? 2
                             : byte(0) < 0xF0 ? 3
                             : byte(0) < 0xF5 ? 4
                                              : 0;
  if (length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0) != 0x80) return 0;
  return length;
}

/// True if a terminal acts on the character instead of showing it: C0, DEL and C1 (U+0080 to U+009F).
bool controls(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return character.size() == 1   ? (first < 0x20 && first != '\n' && first != '\t') || first == 0x7F
         : character.size() == 2 ? first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0
                                 : false;
}

/// Calls plain(characters) and control(character) in the order of the text. An invalid UTF-8 byte counts as control.
template <typename Plain, typename Control>
void forEachCharacter(std::string_view text, Plain&& plain, Control&& control) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = lengthOf(text.substr(at));
    const std::string_view character = text.substr(at, std::max<std::size_t>(1, length));
    length == 0 || controls(character) ? control(character) : plain(character);
    at += character.size();
  }
}

void write(const std::string& text) {
  static bool reader_went = false;
  if (reader_went) return;
  errno = 0;
  if (std::fputs(text.c_str(), stdout) != EOF && std::fflush(stdout) != EOF) return;
  reader_went = errno == EPIPE;
  if (!reader_went) throw DeviceError("standard output: cannot be written; check its destination.");
}

}  // namespace

std::string spelt(std::string_view text) {
  std::string result;
  forEachCharacter(
      text, [&](std::string_view plain) { result += plain; },
      [&](std::string_view control) {
        for (const char byte : control) result += format("\\x%02x", static_cast<unsigned char>(byte));
      });
  return result;
}

void print(const std::string& text) { write(spelt(text)); }

void printJson(const Json& object) {
  // The library escapes characters below U+0020; the remaining control characters are inside strings.
  std::string result;
  forEachCharacter(
      object.dump(2, ' ', false, Json::error_handler_t::replace), [&](std::string_view plain) { result += plain; },
      [&](std::string_view control) {
        result += format("\\u%04x",
                         static_cast<unsigned char>(control.back()));  // the last byte of DEL and C1 is their number
      });
  write(result + "\n");
}

void note(const std::string& text) { std::fprintf(stderr, "%s\n", spelt(text).c_str()); }

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

std::string columnsText(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], line[c].size());
    }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) text += std::string(2 + widths[c] - line[c].size(), ' ') + line[c];
    text += "\n";
  }
  return text;
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
  std::fprintf(stderr, "\r\033[K%s%s", bar.c_str(), spelt(text).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace hyb::app
