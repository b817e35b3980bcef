#include <array>
#include <charconv>
#include <cmath>

#include "core/project/schema.h"

namespace hyb {

std::string quotedList(const std::vector<std::string>& words, const std::string& joint) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " " + joint + " " : ", ") + ("\"" + words[i] + "\"");
  return text;
}

std::string numberText(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "not a number" : value > 0 ? "infinity" : "-infinity";
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

long utf8Length(const std::string& text) {
  long length = 0;
  for (std::size_t i = 0; i < text.size(); ++length) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t bytes = lead < 0x80   ? 1
                              : lead < 0xC2 ? 0
                              : lead < 0xE0 ? 2
                              : lead < 0xF0 ? 3
                              : lead < 0xF5 ? 4
                                            : 0;
    if (bytes == 0 || i + bytes > text.size()) return -1;
    for (std::size_t k = 1; k < bytes; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0) != 0x80) return -1;
    const auto second = bytes > 1 ? static_cast<unsigned char>(text[i + 1]) : 0;
    if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) || (lead == 0xF0 && second < 0x90) ||
        (lead == 0xF4 && second > 0x8F))
      return -1;  // overlong, surrogate, beyond U+10FFFF
    i += bytes;
  }
  return length;
}

std::string pointerToken(const std::string& key) {
  std::string token;
  for (const char c : key) token += c == '~' ? std::string("~0") : c == '/' ? std::string("~1") : std::string(1, c);
  return token;
}

}  // namespace hyb
