#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/number_text.h"
#include "core/excitation/ground_motion_source.h"

namespace hyb::ground_motion {
namespace {

constexpr std::size_t kMostHeaderLines = 20;

/// Position of a keyword as a whole word, in a line of capitals.
std::optional<std::size_t> wordAt(const std::string& line, std::string_view word) {
  const auto letter = [&](std::size_t i) { return std::isalpha(static_cast<unsigned char>(line[i])) != 0; };
  for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1))
    if ((at == 0 || !letter(at - 1)) && (at + word.size() == line.size() || !letter(at + word.size()))) return at;
  return std::nullopt;
}

/// A number and the following letters.
struct Quantity {
  double value;
  std::string unit;
};

/// Value after a keyword such as NPTS; blanks and one '=' or ':' may be between.
std::optional<Quantity> quantityAfter(const std::string& line, std::string_view keyword) {
  const std::optional<std::size_t> word = wordAt(line, keyword);
  if (!word) return std::nullopt;
  const std::size_t at = line.find_first_not_of(" \t=:", *word + keyword.size());
  if (at == std::string::npos) return std::nullopt;
  const std::size_t end = std::min(line.find_first_of(" ,;\tSM", at), line.size());
  const std::optional<double> value = numberIn(std::string_view(line).substr(at, end - at));
  if (!value) return std::nullopt;
  std::string unit;
  for (std::size_t i = std::min(line.find_first_not_of(" \t", end), line.size());
       i < line.size() && std::isalpha(static_cast<unsigned char>(line[i])) != 0; ++i)
    unit += line[i];
  return Quantity{*value, unit};
}

/// True for a line with only two or more numbers: values, not a header.
bool holdsValues(std::string_view line) {
  std::size_t count = 0;
  while (takeFortranNumber(line)) ++count;
  return count > 1 && trimmed(line).empty();
}

struct Header {
  std::vector<TextLine> lines;
  std::size_t sizes_line = 4;
  std::optional<Quantity> count, step;
};

/// Four or more lines, up to the line with the count of values and their step. Later processing adds lines before it.
Header readHeader(TextFile& file) {
  Header header;
  while (const std::optional<TextLine> line = file.next()) {
    header.lines.push_back(*line);
    const std::size_t n = header.lines.size();
    const std::string text = uppercase(line->text);
    if (n >= 4 && !header.count) {
      if (!wordAt(text, "NPTS") && holdsValues(line->text)) break;
      header.count = quantityAfter(text, "NPTS");
      header.step = quantityAfter(text, "DT");
      if (header.count) header.sizes_line = n;
      if (!header.count && wordAt(text, "NPTS") && wordAt(text, "DT")) {  // older files: "4000   .0100   NPTS, DT"
        std::string_view rest = line->text;
        const std::optional<double> count = takeFortranNumber(rest), step = takeFortranNumber(rest);
        header.sizes_line = n;
        if (!count || !step) break;
        header.count = Quantity{*count, ""};
        header.step = Quantity{*step, ""};
      }
    } else if (n >= 4 && !header.step) {
      if (holdsValues(line->text)) break;
      if ((header.step = quantityAfter(text, "DT"))) header.sizes_line = n;
    }
    if ((header.count && header.step) || n == kMostHeaderLines) break;
  }
  if (header.lines.size() < 4)
    file.fail(header.lines.size(), "ends within the four header lines of a PEER AT2 file; download it again");
  if (!header.count || !header.step)
    file.fail(header.sizes_line,
              "does not give the number of values and their step; write \"NPTS= 4000, DT= .0100 SEC\"");
  return header;
}

/// Unit in a header line: the phrase, and its unit if recognised.
struct UnitPhrase {
  std::string_view phrase;
  std::optional<Unit> unit;
};
std::optional<UnitPhrase> unitPhrase(std::string_view line) {
  const std::string text = uppercase(line);
  for (const char* word : {"UNITS", "UNIT"})
    if (const std::optional<std::size_t> at = wordAt(text, word)) {
      std::size_t begin = *at + std::string_view(word).size();
      for (const char* joint : {"OF", "IN", "ARE", "IS"}) {
        const std::size_t next = std::min(text.find_first_not_of(" \t", begin), text.size());
        if (const std::string_view joint_text = joint;
            text.compare(next, joint_text.size() + 1, joint + std::string(" ")) == 0)
          begin = next + joint_text.size();
      }
      begin = std::min(text.find_first_not_of(" \t=:([\"", begin), text.size());
      return UnitPhrase{line.substr(begin), unitAtFront(line.substr(begin))};
    }
  for (const char* brackets : {"()", "[]"})
    for (std::size_t open = line.find(brackets[0]); open != std::string_view::npos;
         open = line.find(brackets[0], open + 1))
      if (const std::size_t close = line.find(brackets[1], open); close != std::string_view::npos)
        if (const std::string_view inside = line.substr(open + 1, close - open - 1); unitIn(inside))
          return UnitPhrase{inside, unitIn(inside)};
  if (const std::optional<std::size_t> at = wordAt(text, "IN"))
    if (const std::string_view phrase = line.substr(*at + 2); unitAtFront(phrase))
      return UnitPhrase{phrase, unitAtFront(phrase)};
  return std::nullopt;
}

/// The unit is in the third line; if that has none, in another line of the header.
Unit headerUnit(TextFile& file, const Header& header, const Given& given) {
  std::vector<TextLine> order{header.lines[2]};
  for (std::size_t i = 0; i + 1 < header.sizes_line && i < header.lines.size(); ++i)
    if (i != 2 && uppercase(header.lines[i].text).find("UNIT") != std::string::npos) order.push_back(header.lines[i]);
  for (const TextLine& line : order)
    if (const std::optional<UnitPhrase> found = unitPhrase(line.text)) {
      if (!found->unit)
        file.fail(line.number, "gives the unit as " + excerpt(trimmed(found->phrase)) +
                                   ", which is not understood; write G, CM/SEC/SEC, GAL or M/SEC/SEC there");
      return agreed(file, line.number, found->unit, given);
    }
  return agreed(file, 3, std::nullopt, given);
}

}  // namespace

bool isPeer(TextFile& file) {
  for (std::size_t n = 1; n <= kMostHeaderLines; ++n) {
    const std::optional<TextLine> line = file.next();
    if (!line) return false;
    const std::string text = uppercase(line->text);
    if (n >= 4 && wordAt(text, "NPTS") && (n == 4 || wordAt(text, "DT"))) return true;
    if (holdsValues(line->text)) return false;
  }
  return false;
}

GroundMotion readPeer(TextFile& file, const Given& given) {
  const Header header = readHeader(file);
  for (const char* other : {"VELOCITY", "DISPLACEMENT"})
    if (uppercase(header.lines[2].text).find(other) != std::string::npos)
      file.fail(3, "says that this is not an acceleration record; use the .AT2 file of the same motion");
  const Unit unit = headerUnit(file, header, given);
  const double count = header.count->value, step_s = header.step->value;
  if (!(count >= 2.0 && count <= 1e8) || count != std::floor(count))
    file.fail(header.sizes_line, formatted("gives NPTS = %g", count) + "; it must be a whole number of at least 2");
  if (!std::isfinite(step_s) || step_s <= 0.0)
    file.fail(header.sizes_line, formatted("gives DT = %g", step_s) + "; it must be a time in seconds greater than 0");
  if (!header.step->unit.empty() && header.step->unit[0] != 'S')
    file.fail(header.sizes_line,
              "gives DT in " + excerpt(header.step->unit) + "; write it in seconds, as \"DT= .0100 SEC\"");
  agreeOnStep(file, header.sizes_line, step_s, given);

  GroundMotion motion;
  motion.step_s = step_s;
  while (const std::optional<TextLine> line = file.next()) takeValues(file, *line, motion.acceleration_mps2);
  const std::size_t found = motion.acceleration_mps2.size(), announced = static_cast<std::size_t>(count);
  if (found < announced)
    file.fail(file.line(), "ends after " + std::to_string(found) + " of " + std::to_string(announced) +
                               " values that NPTS announces; the file is cut off, download it again");
  if (found > announced)
    motion.notes.push_back("NPTS announces " + std::to_string(announced) + " values, but " + std::to_string(found) +
                           " are in the file. All of them are used.");
  for (double& value : motion.acceleration_mps2) value *= unit.mps2;
  return motion;
}

}  // namespace hyb::ground_motion
