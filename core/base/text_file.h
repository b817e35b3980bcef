#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace hyb {

struct TextLine {
  std::size_t number = 0;  // from 1
  std::string_view text;
};

/// An external text line by line, with its faults. Lines end with LF, CR LF or CR; removes a byte-order mark and the
/// Ctrl-Z of DOS at the end.
class TextFile {
 public:
  /// `expected` for messages: "CSV or AT2". Throws InputError for UTF-16 text.
  TextFile(std::string name, std::string bytes, std::string expected);
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  const std::string& name() const noexcept { return name_; }
  /// The next line; fails for binary data.
  std::optional<TextLine> next();
  /// The next line that is neither blank nor starts with `comment`.
  std::optional<TextLine> nextFilled(char comment);
  /// Back to the first line.
  void rewind() noexcept;
  /// Number of the last read line.
  std::size_t line() const noexcept { return line_; }

  /// Adds a fault; ten of them end the reading. Line 0: the file as a whole.
  void fault(std::size_t line, std::string message);
  [[noreturn]] void fail(std::size_t line, std::string message);
  void throwIfAny() const;

 private:
  std::string name_, bytes_, expected_;
  std::string_view text_, rest_;
  std::size_t line_ = 0;
  std::vector<Issue> faults_;
};

/// Without surrounding blanks.
std::string_view trimmed(std::string_view text);
/// The words between blanks.
std::vector<std::string_view> wordsOf(std::string_view text);
/// For messages: in quotes, short, printable.
std::string excerpt(std::string_view text);

}  // namespace hyb
