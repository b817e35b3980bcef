#pragma once
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

namespace hyb {

/// Comma-separated values (RFC 4180), independent of the language: numbers have a decimal point; texts with a comma, a
/// quote or a line break are quoted. A missing number is an empty field.
class CsvText {
 public:
  void add(std::string_view text) {
    separate();
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      text_ += text;
      return;
    }
    text_ += '"';
    for (const char c : text) {
      if (c == '"') text_ += '"';
      text_ += c;
    }
    text_ += '"';
  }
  void add(double number) {
    separate();
    if (!std::isfinite(number)) return;
    constexpr int kDigits = 12;
    std::array<char, 32> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::general, kDigits);
    text_.append(digits.data(), end.ptr);
  }
  void addEmpty() { separate(); }
  void endRow() {
    text_ += '\n';
    first_ = true;
  }
  const std::string& text() const { return text_; }

 private:
  void separate() {
    if (!first_) text_ += ',';
    first_ = false;
  }
  std::string text_;
  bool first_ = true;
};

}  // namespace hyb
