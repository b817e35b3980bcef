#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "core/project/schema.h"

namespace hyb {
namespace {

std::size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row.back();
}

}  // namespace

std::string closest(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 80;  // nobody means a known word by a longer one
  if (word.empty() || word.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // A forgotten unit ("rate" for "rate_hz") is a smaller slip than its letters say.
    const bool prefix = word.size() >= 3 && (candidate.starts_with(word) || word.starts_with(candidate));
    const std::size_t distance = prefix ? 1 : editDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string hint(const std::string& word, const std::vector<std::string>& known) {
  const std::string close = closest(word, known);
  return close.empty() ? "" : "Did you mean \"" + close + "\"? ";
}

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
