#pragma once
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace hyb {

/// Number of letters to insert, remove or replace to turn one word into the other.
inline std::size_t editDistance(const std::string& a, const std::string& b) {
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

/// The word of `known` that is most likely meant by `word`; "" if none is close.
inline std::string closest(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t kLongest = 80;  // longer words are not misspellings of a known one
  if (word.empty() || word.size() > kLongest) return {};
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& candidate : known) {
    // A missing unit ("rate" for "rate_hz") is a small mistake despite its number of letters.
    const bool prefix = word.size() >= 3 && (candidate.starts_with(word) || word.starts_with(candidate));
    const std::size_t distance = prefix ? 1 : editDistance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

/// "Did you mean "closest"? ", or nothing; placed between two sentences.
inline std::string hint(const std::string& word, const std::vector<std::string>& known) {
  const std::string close = closest(word, known);
  return close.empty() ? "" : "Did you mean \"" + close + "\"? ";
}

inline std::string quoted(const std::string& name) { return "\"" + name + "\""; }

/// Letters A to Z in lower case; other characters are unchanged.
inline std::string lowered(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace hyb
