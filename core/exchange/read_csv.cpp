#include <algorithm>
#include <array>

#include "core/base/file_bytes.h"
#include "core/base/number_text.h"
#include "core/base/numbers.h"
#include "core/base/text_file.h"
#include "core/base/words.h"
#include "core/exchange/members.h"

namespace hyb {
namespace {

constexpr std::size_t kLinesLookedAt = 400;  // for the start of the numbers

struct TextDialect {
  char delimiter = ',', point = '.';
  bool operator==(const TextDialect&) const = default;
};

/// Fields between delimiters, with quotes as in RFC 4180; between blanks for the delimiter ' '. One line: a field with
/// a line break inside is not supported, as no program writes one into a record.
std::vector<std::string> fieldsOf(std::string_view line, char delimiter) {
  std::vector<std::string> fields;
  if (delimiter == ' ') {
    for (const std::string_view word : wordsOf(line)) fields.emplace_back(word);
    return fields;
  }
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i == line.size() || (line[i] == delimiter && !quoted)) {
      fields.emplace_back(trimmed(field));
      field.clear();
    } else if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        field += line[++i];
      else
        quoted = !quoted;
    } else {
      field += line[i];
    }
  }
  return fields;
}

/// How programs write a value that is not there.
bool isMissing(std::string_view field) {
  constexpr std::array<std::string_view, 9> kMissing{"", "-", "--", "na", "n/a", "#n/a", "#nv", "null", "none"};
  return std::ranges::find(kMissing, lowered(std::string(field))) != kMissing.end();
}

/// 'n' a number, 't' a text, ' ' nothing.
std::string kindsOf(const std::vector<std::string>& fields, char point) {
  std::string kinds;
  for (const std::string& field : fields) kinds += isMissing(field) ? ' ' : numberIn(field, point) ? 'n' : 't';
  return kinds;
}
bool fit(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && a[i] != ' ' && b[i] != ' ') return false;
  return true;
}
std::size_t numbersIn(std::string_view kinds) { return static_cast<std::size_t>(std::ranges::count(kinds, 'n')); }

struct LineShape {
  TextDialect dialect;
  std::string kinds;  // "" for a line without numbers
};
/// The dialect in which most fields of a line are numbers; between blanks all of them must be.
LineShape shapeOf(std::string_view line) {
  LineShape best;
  for (const TextDialect dialect :
       {TextDialect{';', ','}, TextDialect{';', '.'}, TextDialect{'\t', '.'}, TextDialect{'\t', ','},
        TextDialect{',', '.'}, TextDialect{' ', '.'}, TextDialect{' ', ','}}) {
    if (dialect.delimiter != ' ' && line.find(dialect.delimiter) == std::string_view::npos) continue;
    std::string kinds = kindsOf(fieldsOf(line, dialect.delimiter), dialect.point);
    if (dialect.delimiter == ' ' && kinds.find('t') != std::string::npos) continue;
    if (numbersIn(kinds) > numbersIn(best.kinds)) best = {dialect, std::move(kinds)};
  }
  return best;
}

struct TextHead {
  TextDialect dialect;
  std::size_t first = 0;            // number of the first line of numbers, from 1
  std::string kinds;                // of the columns: 'n' or 't'
  std::vector<std::string> before;  // the lines before that are not blank
};

/// The numbers begin where lines of one shape begin that go on to the end of what is looked at.
TextHead headOf(TextFile& file) {
  std::vector<TextLine> lines;
  while (lines.size() < kLinesLookedAt) {
    const std::optional<TextLine> line = file.next();
    if (!line) break;
    if (!trimmed(line->text).empty()) lines.push_back(*line);
  }
  file.rewind();
  std::vector<LineShape> shapes;
  for (const TextLine& line : lines) shapes.push_back(shapeOf(line.text));
  // A last line may be cut, or a remark.
  for (std::size_t last : {shapes.size(), shapes.size() - 1}) {
    if (last == 0 || last > shapes.size() || numbersIn(shapes[last - 1].kinds) == 0) continue;
    const TextDialect dialect = shapes[last - 1].dialect;
    std::string kinds = shapes[last - 1].kinds;
    // Up to a line without numbers. One that does not fit between lines of this shape is a fault, no end of a preamble.
    std::size_t first = last;
    for (std::size_t line = last; line-- > 0;) {
      const std::string above = kindsOf(fieldsOf(lines[line].text, dialect.delimiter), dialect.point);
      if (numbersIn(above) == 0) break;
      if (!fit(above, kinds)) continue;
      for (std::size_t i = 0; i < kinds.size(); ++i)
        if (kinds[i] == ' ') kinds[i] = above[i];
      first = line;
    }
    if (last - first < 2 && last < shapes.size()) continue;
    TextHead head{dialect, lines[first].number, kinds, {}};
    for (std::size_t i = 0; i < first; ++i) head.before.emplace_back(lines[i].text);
    return head;
  }
  file.fail(0, "no columns of numbers were found; give a table with one column for each channel");
}

/// "Target [mm]" -> "Target" and "mm"; also with round brackets.
void splitUnit(Channel& channel) {
  for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
    const std::size_t at = channel.name.rfind(open);
    if (at == std::string::npos || at == 0 || channel.name.back() != close) continue;
    channel.units = trimmed(std::string_view(channel.name).substr(at + 1, channel.name.size() - at - 2));
    channel.name = trimmed(std::string_view(channel.name).substr(0, at));
    return;
  }
}

/// Names and units from the last lines before the numbers that have as many fields.
std::vector<Channel> channelsOf(const TextHead& head) {
  std::vector<std::vector<std::string>> lines;
  for (auto line = head.before.rbegin(); line != head.before.rend() && lines.size() < 2; ++line) {
    std::string_view text = *line;
    while (!text.empty() && (text.front() == '#' || text.front() == '%')) text = trimmed(text.substr(1));
    std::vector<std::string> fields = fieldsOf(text, head.dialect.delimiter);
    if (fields.size() != head.kinds.size() || numbersIn(kindsOf(fields, head.dialect.point)) > 0) break;
    lines.push_back(std::move(fields));
  }
  std::vector<Channel> channels(head.kinds.size());
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (!lines.empty()) channels[c].name = lines.back()[c];
    if (lines.size() == 2) channels[c].units = lines.front()[c];
    if (lines.size() < 2) splitUnit(channels[c]);
    if (channels[c].name.empty()) channels[c].name = "column " + std::to_string(c + 1);
  }
  return channels;
}

}  // namespace

/// Columns of text: separated by commas, semicolons, tabs or blanks, with a decimal point or comma, after any lines of
/// remarks, with a line of names ("Target [mm]") or two (names, units).
ForeignFile readTextTable(const std::filesystem::path& path) {
  std::optional<std::string> bytes = bytesOf(path);
  if (!bytes) throw InputError(path.string(), "cannot be read.");
  TextFile file(path.string(), std::move(*bytes), "a table of text");
  const TextHead head = headOf(file);
  ForeignFile found;
  std::vector<Channel> channels = channelsOf(head);
  std::vector<std::vector<double>> columns(channels.size());
  while (const std::optional<TextLine> line = file.next()) {
    if (line->number < head.first || trimmed(line->text).empty()) continue;
    const std::vector<std::string> fields = fieldsOf(line->text, head.dialect.delimiter);
    if (fields.size() != channels.size()) {
      const std::size_t number = line->number;
      const std::string shape =
          "has " + std::to_string(fields.size()) + " fields in place of " + std::to_string(channels.size());
      if (file.next()) file.fail(number, shape + "; correct the line, or remove it");
      found.notes.push_back("Line " + std::to_string(number) + ", the last one, " + shape + " and was left out.");
      break;
    }
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (head.kinds[c] == 't') continue;
      const std::optional<double> value = numberIn(fields[c], head.dialect.point);
      if (!value && !isMissing(fields[c]))
        file.fault(line->number, "column \"" + channels[c].name + "\": " + excerpt(fields[c]) + " is not a number");
      columns[c].push_back(value.value_or(kNoValue));
    }
  }
  file.throwIfAny();
  for (std::size_t c = channels.size(); c-- > 0;) {
    if (head.kinds[c] == 'n') continue;
    found.notes.push_back("Column \"" + channels[c].name + "\" is text and was left out.");
    channels.erase(channels.begin() + static_cast<std::ptrdiff_t>(c));
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(c));
  }
  found.tables.push_back(tableInMemory(std::move(channels), std::move(columns)));
  return found;
}

}  // namespace hyb
