#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "core/base/file_bytes.h"
#include "core/base/number_text.h"
#include "core/base/numbers.h"
#include "core/base/text_file.h"
#include "core/exchange/byte_reader.h"
#include "core/exchange/members.h"

namespace hyb {
namespace {

/// Lines of a universal file, and the bytes of its binary sets.
class UffLines {
 public:
  UffLines(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}
  bool atEnd() const noexcept { return place_ >= bytes_.size(); }
  std::size_t number() const noexcept { return line_; }
  std::string_view next() {
    ++line_;
    const std::size_t end = std::min(bytes_.find_first_of("\r\n", place_), bytes_.size());
    const std::string_view text = bytes_.substr(place_, end - place_);
    place_ = std::min(bytes_.substr(end).starts_with("\r\n") ? end + 2 : end + 1, bytes_.size());
    return text;
  }
  std::string_view peek() {
    const std::size_t place = place_, line = line_;
    const std::string_view text = next();
    place_ = place;
    line_ = line;
    return text;
  }
  std::string_view rest() const noexcept { return bytes_.substr(place_); }
  void skip(std::size_t bytes) noexcept { place_ = std::min(place_ + bytes, bytes_.size()); }
  [[noreturn]] void refuse(const std::string& why) const { throw InputError(name_ + ":" + std::to_string(line_), why); }

 private:
  std::string name_;
  std::string_view bytes_;
  std::size_t place_ = 0, line_ = 0;
};

bool isMark(std::string_view line) { return line.substr(0, 6) == "    -1" && trimmed(line.substr(6)).empty(); }

std::string_view cut(std::string_view line, std::size_t first, std::size_t width) {
  return first >= line.size() ? std::string_view{} : trimmed(line.substr(first, width));
}
/// A field of a record; `otherwise` if it is blank.
double numberAt(const UffLines& lines, std::string_view line, std::size_t first, std::size_t width, double otherwise) {
  const std::string_view field = cut(line, first, width);
  if (field.empty()) return otherwise;
  if (const std::optional<double> value = numberIn(field)) return *value;
  lines.refuse("columns " + std::to_string(first + 1) + " to " + std::to_string(first + width) + ": " + excerpt(field) +
               " is not a number.");
}

struct UffAxis {
  int type = 0;
  std::string label, units;
};
UffAxis axisOf(const UffLines& lines, std::string_view line) {
  const auto text = [&](std::size_t first) {
    const std::string_view words = cut(line, first, 20);
    return words == "NONE" ? std::string() : std::string(words);
  };
  return {static_cast<int>(numberAt(lines, line, 0, 10, 0)), text(26), text(47)};
}

/// One function of set 58.
struct UffFunction {
  std::array<std::string, 5> ids;
  int function = 0, data = 0;
  std::string response, reference;  // "2+Z"
  std::uint64_t count = 0;
  bool even = true;
  double start = 0.0, step = 0.0;
  UffAxis abscissa, ordinate, divisor;
  std::vector<double> x, real, imaginary;  // x: only if uneven
  bool complex() const noexcept { return data == 5 || data == 6; }
  bool twice() const noexcept { return data == 4 || data == 6; }  // double precision
  std::uint64_t values() const noexcept { return complex() ? 2 : 1; }
};

std::string nodeOf(const UffLines& lines, std::string_view line, std::size_t node_at, std::size_t direction_at) {
  constexpr std::array<std::string_view, 13> kDirections{"-RZ", "-RY", "-RX", "-Z",  "-Y",  "-X", "",
                                                         "+X",  "+Y",  "+Z",  "+RX", "+RY", "+RZ"};
  const auto node = static_cast<long>(numberAt(lines, line, node_at, 10, 0));
  const double direction = numberAt(lines, line, direction_at, 4, 0);
  if (node == 0 && direction == 0.0) return {};
  const bool known = direction >= -6.0 && direction <= 6.0;
  return std::to_string(node) + std::string(known ? kDirections[static_cast<std::size_t>(direction + 6.0)] : "");
}

UffFunction headOf(UffLines& lines) {
  UffFunction made;
  std::array<std::string_view, 11> record;
  for (std::size_t r = 0; r < record.size(); ++r) {
    if (lines.atEnd()) lines.refuse("the file ends within the head of a set 58, which has eleven lines.");
    record[r] = lines.next();
    if (r < 5) made.ids[r] = std::string(trimmed(record[r]));
    if (r == 5) {
      made.function = static_cast<int>(numberAt(lines, record[r], 0, 5, 0));
      made.response = nodeOf(lines, record[r], 41, 51);
      made.reference = nodeOf(lines, record[r], 66, 76);
    }
    if (r == 6) {
      made.data = static_cast<int>(numberAt(lines, record[r], 0, 10, 0));
      const double count = numberAt(lines, record[r], 10, 10, -1);
      made.even = numberAt(lines, record[r], 20, 10, 1) != 0.0;
      made.start = numberAt(lines, record[r], 30, 13, 0);
      made.step = numberAt(lines, record[r], 43, 13, 0);
      if (made.data != 2 && made.data != 4 && made.data != 5 && made.data != 6)
        lines.refuse("data type " + std::to_string(made.data) + " is none of set 58: 2, 4, 5 and 6 are.");
      if (!(count >= 0.0)) lines.refuse("the count of values is missing.");
      made.count = static_cast<std::uint64_t>(count);
    }
    if (r == 7) made.abscissa = axisOf(lines, record[r]);
    if (r == 8) made.ordinate = axisOf(lines, record[r]);
    if (r == 9) made.divisor = axisOf(lines, record[r]);
  }
  return made;
}

/// The numbers of one line of data in their columns; by scanning where columns give none.
void appendLine(const UffLines& lines, std::string_view line, std::span<const std::size_t> widths,
                std::vector<double>& values) {
  std::vector<double> found;
  std::size_t at = 0;
  bool by_columns = true;
  for (std::size_t k = 0; at < line.size() && !trimmed(line.substr(at)).empty() && k < widths.size(); ++k) {
    const std::string_view field = cut(line, at, widths[k]);
    if (field.find('*') != std::string_view::npos)
      lines.refuse("a field holds stars: the value did not fit when the file was written.");
    const std::optional<double> value = numberIn(field);
    if (!value) {
      by_columns = false;
      break;
    }
    found.push_back(*value);
    at += widths[k];
  }
  by_columns = by_columns && (at >= line.size() || trimmed(line.substr(at)).empty());
  if (!by_columns) {
    found.clear();
    for (std::string_view left = trimmed(line); !left.empty(); left = trimmed(left)) {
      const std::optional<double> value = takeFortranNumber(left);
      if (!value) lines.refuse(excerpt(left) + " is not a number.");
      found.push_back(*value);
    }
  }
  values.insert(values.end(), found.begin(), found.end());
}

/// Widths of the fields of one line of data.
std::vector<std::size_t> widthsOf(const UffFunction& function) {
  if (!function.twice()) return std::vector<std::size_t>(6, 13);
  if (function.even) return std::vector<std::size_t>(4, 20);
  return function.complex() ? std::vector<std::size_t>{13, 20, 20} : std::vector<std::size_t>{13, 20, 13, 20};
}

/// Shares out what stands there as x re im x re im.
void shareOut(UffFunction& function, const std::vector<double>& values) {
  const std::size_t each = (function.even ? 0 : 1) + static_cast<std::size_t>(function.values());
  for (std::size_t row = 0; row < values.size() / each; ++row) {
    std::size_t at = each * row;
    if (!function.even) function.x.push_back(values[at++]);
    function.real.push_back(values[at++]);
    if (function.complex()) function.imaginary.push_back(values[at]);
  }
}

void readText(UffLines& lines, UffFunction& function, std::vector<std::string>& notes) {
  const std::uint64_t each = (function.even ? 0 : 1) + function.values();
  const std::vector<std::size_t> widths = widthsOf(function);
  std::vector<double> values;
  bool cut_short = false;
  while (values.size() < each * function.count) {
    if (lines.atEnd() || isMark(lines.peek())) {
      cut_short = true;
      break;
    }
    appendLine(lines, lines.next(), widths, values);
  }
  if (values.size() > each * function.count) values.resize(each * function.count);
  shareOut(function, values);
  if (cut_short)
    notes.push_back("\"" + function.ids[0] + "\": the file holds " + std::to_string(function.real.size()) + " of " +
                    std::to_string(function.count) + " values that its head announces.");
}

/// Whether the end mark of a set stands at these bytes, behind at most one line end that does not belong there.
std::optional<std::size_t> markAt(std::string_view bytes) {
  for (const std::string_view orphan : {std::string_view(), std::string_view("\n"), std::string_view("\r\n")})
    if (bytes.starts_with(orphan) && bytes.substr(orphan.size()).starts_with("    -1")) return orphan.size();
  return std::nullopt;
}

void readBinary(UffLines& lines, std::string_view number_line, UffFunction& function) {
  const auto order = static_cast<int>(numberAt(lines, number_line, 7, 6, 1)),
             floats = static_cast<int>(numberAt(lines, number_line, 13, 6, 2));
  if (floats != 2)
    lines.refuse("the numbers are in the format of " + std::string(floats == 1 ? "DEC VMS" : "IBM 370") +
                 ", which is not read; save the file again with IEEE 754 numbers.");
  if (order != 1 && order != 2) lines.refuse("byte order " + std::to_string(order) + " is neither 1 nor 2.");
  const double told = numberAt(lines, number_line, 31, 12, -1);
  const std::uint64_t width = function.twice() ? 8 : 4, numbers = function.values();
  if (function.count > lines.rest().size())
    lines.refuse("the head announces " + std::to_string(function.count) + " values, and " +
                 std::to_string(lines.rest().size()) + " bytes follow.");
  // The abscissa of double values is single by the text, and double by some writers. Some write a wrong count.
  struct Try {
    std::uint64_t bytes, x_width;
  };
  std::vector<Try> tries;
  if (function.even) {
    tries = {{function.count * numbers * width, 0}};
  } else {
    tries = {{function.count * (4 + numbers * width), 4}};
    if (width == 8) tries.push_back({function.count * (8 + numbers * width), 8});
  }
  std::ranges::stable_sort(tries, {}, [&](const Try& one) { return static_cast<double>(one.bytes) != told; });
  const std::string_view rest = lines.rest();
  for (const Try& one : tries) {
    if (one.bytes > rest.size()) continue;
    const std::optional<std::size_t> orphan = markAt(rest.substr(one.bytes));
    if (!orphan) continue;
    ByteReader bytes(rest.substr(0, one.bytes), order == 1);
    const auto number = [&](std::uint64_t bytes_of) {
      return bytes_of == 8 ? bytes.value<double>() : static_cast<double>(bytes.value<float>());
    };
    for (std::uint64_t row = 0; row < function.count; ++row) {
      if (!function.even) function.x.push_back(number(one.x_width));
      function.real.push_back(number(width));
      if (function.complex()) function.imaginary.push_back(number(width));
    }
    lines.skip(one.bytes + *orphan);
    return;
  }
  for (std::size_t late = 1; late < 64; ++late)
    if (rest.size() > tries[0].bytes + late && rest.substr(tries[0].bytes + late).starts_with("    -1"))
      lines.refuse("the set ends " + std::to_string(late) +
                   " bytes late: a transfer as text has changed its binary data. Transfer the file in binary mode.");
  lines.refuse("the head announces " + std::to_string(static_cast<long long>(told)) + " bytes, its values need " +
               std::to_string(tries[0].bytes) + ", and the set ends after neither.");
}

std::string titleOf(const UffFunction& function, std::size_t place) {
  const auto stated = [](const std::string& text) { return !text.empty() && text != "NONE"; };
  if (stated(function.ids[0])) return function.ids[0];
  if (!function.response.empty())
    return function.response + (function.reference.empty() ? "" : " / " + function.reference);
  return stated(function.ordinate.label) ? function.ordinate.label : "channel " + std::to_string(place + 1);
}

std::string unitsOf(const UffFunction& function) {
  if (function.divisor.units.empty()) return function.ordinate.units;
  const bool product = function.divisor.units.find_first_of("/ ") != std::string::npos;
  return function.ordinate.units + "/" + (product ? "(" + function.divisor.units + ")" : function.divisor.units);
}

/// 1 / step, as a whole number where six digits of the step allow it.
double rateOf(double step, std::vector<std::string>& notes) {
  constexpr double kDigits = 1e-5;
  const double rate = 1.0 / step, whole = std::round(rate);
  if (whole < 1.0 || rate == whole || std::abs(rate / whole - 1.0) > kDigits) return rate;
  std::string note = "The step has six digits, as the format prescribes; the rate was taken to be " +
                     std::to_string(static_cast<long long>(whole)) + " Hz.";
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(std::move(note));
  return whole;
}

bool sameBase(const UffFunction& a, const UffFunction& b) {
  return a.abscissa.type == b.abscissa.type && a.even == b.even && a.start == b.start && a.step == b.step &&
         a.x == b.x && a.real.size() == b.real.size();
}

Table tableOf(const std::vector<const UffFunction*>& functions, std::vector<std::string>& notes) {
  constexpr int kUffTime = 17, kUffFrequency = 18;
  const UffFunction& first = *functions.front();
  std::vector<Channel> channels;
  std::vector<std::vector<double>> columns;
  const bool rated = first.abscissa.type == kUffTime && first.even && first.step > 0.0;
  if (!rated) {
    const bool timed = first.abscissa.type == kUffTime;
    Channel& base = channels.emplace_back();
    base.name = timed ? "time" : first.abscissa.type == kUffFrequency ? "frequency" : "abscissa";
    base.units = !first.abscissa.units.empty() ? first.abscissa.units : timed ? "s" : "";
    if (timed) base.role = ColumnRole::time;
    std::vector<double> x = first.x;
    if (first.even)
      for (std::size_t k = 0; k < first.real.size(); ++k)
        x.push_back(first.start + static_cast<double>(k) * first.step);
    columns.push_back(std::move(x));
  }
  for (std::size_t k = 0; k < functions.size(); ++k) {
    const UffFunction& one = *functions[k];
    const std::string title = titleOf(one, k), units = unitsOf(one);
    channels.push_back({one.complex() ? title + ", real part" : title, units, one.ordinate.label});
    columns.push_back(one.real);
    if (!one.complex()) continue;
    channels.push_back({title + ", imaginary part", units, one.ordinate.label});
    columns.push_back(one.imaginary);
  }
  Table table = tableInMemory(std::move(channels), std::move(columns));
  if (rated) {
    table.rate_hz = rateOf(first.step, notes);
    table.start_s = first.start;
  }
  if (first.ids[2] != "NONE" && !first.ids[2].empty()) table.facts.emplace_back("started_at", first.ids[2]);
  if (first.ids[3] != "NONE") table.title = first.ids[3];
  return table;
}

}  // namespace

/// Universal files with functions of set 58, text and binary; other sets are skipped. One table for the functions of
/// one abscissa; complex functions become two channels. Values are in the units of the labels.
ForeignFile readUff(const std::filesystem::path& path) {
  const std::optional<std::string> bytes = bytesOf(path);
  if (!bytes) throw InputError(path.string(), "cannot be read.");
  UffLines lines(path.string(), *bytes);
  ForeignFile found;
  std::vector<UffFunction> functions;
  bool inside = false;
  std::size_t sets = 0;
  while (!lines.atEnd()) {
    const std::string_view line = lines.next();
    if (!isMark(line)) continue;
    inside = !inside;
    if (!inside || lines.atEnd()) continue;
    const std::string_view number = lines.next();
    ++sets;
    const std::string_view kind = cut(number, 0, 6);
    if (kind != "58") continue;
    UffFunction function = headOf(lines);
    if (number.size() > 6 && (number[6] == 'b' || number[6] == 'B'))
      readBinary(lines, number, function);
    else
      readText(lines, function, found.notes);
    functions.push_back(std::move(function));
  }
  if (sets == 0) throw InputError(path.string(), "is not a universal file: no line holds -1 in columns 5 and 6.");
  if (functions.empty())
    throw InputError(path.string(), "has " + std::to_string(sets) + " data sets, and none of them is a function (58).");
  std::vector<std::vector<const UffFunction*>> groups;
  for (const UffFunction& function : functions) {
    const auto group = std::ranges::find_if(groups, [&](const auto& one) { return sameBase(*one.front(), function); });
    if (group == groups.end())
      groups.push_back({&function});
    else
      group->push_back(&function);
  }
  for (const auto& group : groups) found.tables.push_back(tableOf(group, found.notes));
  return found;
}

}  // namespace hyb
