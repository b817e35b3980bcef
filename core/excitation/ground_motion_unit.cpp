#include <algorithm>
#include <array>

#include "core/base/words.h"
#include "core/excitation/ground_motion_source.h"

namespace hyb::ground_motion {
namespace {

constexpr double kStandardGravity_mps2 = 9.80665;

struct Spelling {
  std::string_view from, to;
};
/// Longer spellings first, so that none is found inside another.
constexpr std::array kSpellings = {Spelling{"\xC2\xB2", "2"},
                                   Spelling{"\xB2", "2"},
                                   Spelling{"\xC2\xB7", ""},
                                   Spelling{"\xB7", ""},
                                   Spelling{"**", ""},
                                   Spelling{"^", ""},
                                   Spelling{"*", ""},
                                   Spelling{"'", ""},
                                   Spelling{"_per_", "/"},
                                   Spelling{"_", "/"},
                                   Spelling{" per ", "/"},
                                   Spelling{"centimetres", "cm"},
                                   Spelling{"centimeters", "cm"},
                                   Spelling{"centimetre", "cm"},
                                   Spelling{"centimeter", "cm"},
                                   Spelling{"metres", "m"},
                                   Spelling{"meters", "m"},
                                   Spelling{"metre", "m"},
                                   Spelling{"meter", "m"},
                                   Spelling{"inches", "in"},
                                   Spelling{"inch", "in"},
                                   Spelling{"feet", "ft"},
                                   Spelling{"seconds", "s"},
                                   Spelling{"second", "s"},
                                   Spelling{"sec", "s"},
                                   Spelling{" ", ""},
                                   Spelling{"\t", ""}};

/// Small letters in a uniform spelling: "CM/SEC**2" -> "cm/s2".
std::string plainSpelling(std::string_view text) {
  std::string plain = lowered(std::string(trimmed(text)));
  for (const Spelling& spelling : kSpellings)
    for (std::size_t at = plain.find(spelling.from); at != std::string::npos; at = plain.find(spelling.from, at))
      plain.replace(at, spelling.from.size(), spelling.to);
  return plain;
}

struct Length {
  std::string_view name;
  double metres;
};
constexpr std::array kLengths = {Length{"m", 1.0}, Length{"cm", 0.01}, Length{"mm", 0.001}, Length{"in", 0.0254},
                                 Length{"ft", 0.3048}};
constexpr std::array<std::string_view, 6> kPerSecondTwice = {"/s2", "/s/s", "/ss", "/(s2)", "/(ss)", "s-2"};

}  // namespace

std::optional<Unit> unitIn(std::string_view text) {
  const std::string plain = plainSpelling(text);
  if (plain == "g" || plain == "gs") return Unit{"g", kStandardGravity_mps2};
  if (plain == "mg" || plain == "milli-g") return Unit{"mg", 1e-3 * kStandardGravity_mps2};
  if (plain == "gal" || plain == "gals") return Unit{"gal", 0.01};
  for (const Length& length : kLengths) {
    if (!plain.starts_with(length.name)) continue;
    const std::string_view rest = std::string_view(plain).substr(length.name.size());
    if (std::find(kPerSecondTwice.begin(), kPerSecondTwice.end(), rest) != kPerSecondTwice.end())
      return Unit{std::string(length.name) + "/s2", length.metres};
  }
  return std::nullopt;
}

std::optional<Unit> unitAtFront(std::string_view phrase) {
  constexpr std::size_t kMostWords = 6;  // "CM PER SEC PER SEC" has five
  const std::vector<std::string_view> words = wordsOf(phrase.substr(0, phrase.find_first_of(",;")));
  for (std::size_t count = std::min(kMostWords, words.size()); count > 0; --count) {
    const std::string_view last = words[count - 1];
    std::string_view text = phrase.substr(static_cast<std::size_t>(words[0].data() - phrase.data()),
                                          static_cast<std::size_t>(last.data() + last.size() - words[0].data()));
    const bool ends = text.find_last_of(".:)]\"") == text.size() - 1;
    while (!text.empty() && std::string_view(".:)]\"").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    std::optional<Unit> unit = unitIn(text);
    if (!unit) continue;
    if (ends || count == words.size()) return unit;
    // "G X 10", "G *100", "G TIMES 10", "G (981 CM/S/S)": more than a unit.
    const std::string next = lowered(std::string(words[count]));
    const bool word = next.size() > 1 && next[0] >= 'a' && next[0] <= 'z';
    for (const char* factor : {"times", "multiplied", "divided", "scaled", "over", "by", "per", "squared"})
      if (next == factor) return std::nullopt;
    return word ? unit : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace hyb::ground_motion
