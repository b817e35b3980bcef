// Records as columns of text.
#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/number_text.h"
#include "core/base/words.h"
#include "core/excitation/ground_motion_source.h"

namespace hyb::ground_motion {
namespace {

constexpr std::size_t kMostPreambleLines = 200;

/// Without surrounding blanks and quotes.
std::string_view unquoted(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\"");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\"") - first + 1);
}

std::vector<std::string_view> columnsOf(std::string_view text, char delimiter) {
  if (delimiter == ' ') return wordsOf(text);
  std::vector<std::string_view> columns;
  for (;;) {
    const std::size_t end = text.find(delimiter);
    columns.push_back(unquoted(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return columns;
}

/// Number format of a table.
struct Dialect {
  char delimiter = ',', point = '.';
};

/// The dialect in which all columns of a line are numbers, if any.
std::optional<Dialect> dialectOf(std::string_view line) {
  for (const Dialect dialect : {Dialect{';', '.'}, Dialect{';', ','}, Dialect{'\t', '.'}, Dialect{'\t', ','},
                                Dialect{',', '.'}, Dialect{' ', '.'}, Dialect{' ', ','}}) {
    if (dialect.delimiter != ' ' && line.find(dialect.delimiter) == std::string_view::npos) continue;
    std::vector<std::string_view> columns = columnsOf(line, dialect.delimiter);
    if (columns.size() > 1 && columns.back().empty()) columns.pop_back();
    if (!columns.empty() && std::all_of(columns.begin(), columns.end(), [&](std::string_view column) {
          return numberIn(column, dialect.point).has_value();
        }))
      return dialect;
  }
  return std::nullopt;
}

/// Parts of a column name: "Accel[m/s^2]", "time_s", "Acc (g)", "Zeit / s".
struct ColumnName {
  std::string_view whole;
  std::string base;       // in small letters, without the unit
  std::string_view unit;  // as written; empty without unit
  bool isTime() const { return base == "t" || base == "zeit" || base.starts_with("time"); }
  bool isAcceleration() const {
    return base == "a" || base == "ag" || base.starts_with("acc") || base.find("accel") != std::string::npos ||
           base.starts_with("beschl");
  }
};

bool looksLikeUnit(std::string_view text) {
  const std::string small = lowered(std::string(text));
  return unitIn(text) || small == "s" || small == "sec" || small == "ms" || small.find("per_") != std::string::npos ||
         small.find('/') != std::string::npos;
}

ColumnName columnName(std::string_view text) {
  ColumnName name{text, {}, {}};
  std::size_t base_end = text.size();
  const std::size_t open = text.find_first_of("[({");
  if (open != std::string_view::npos && text.find_first_of("])}", open) != std::string_view::npos) {
    base_end = open;
    name.unit = trimmed(text.substr(open + 1, text.find_first_of("])}", open) - open - 1));
  } else {
    for (std::size_t at = text.find_first_of("_ /"); at != std::string_view::npos;
         at = text.find_first_of("_ /", at + 1))
      if (const std::string_view rest = trimmed(text.substr(at + 1)); looksLikeUnit(rest)) {
        base_end = at;
        name.unit = rest;
        break;
      }
  }
  name.base = lowered(std::string(trimmed(text.substr(0, base_end))));
  const std::size_t behind = text.find_first_of("_ /");
  if (name.unit.empty() && behind != std::string_view::npos && name.isTime()) {  // "time_min": any suffix is a unit
    name.unit = trimmed(text.substr(behind + 1));
    name.base = lowered(std::string(text.substr(0, behind)));
  }
  while (!name.base.empty() && std::string_view("/_ ,").find(name.base.back()) != std::string_view::npos)
    name.base.pop_back();
  return name;
}

std::vector<ColumnName> namesIn(std::string_view line, char delimiter) {
  std::vector<ColumnName> names;
  if (delimiter != ' ') {
    for (const std::string_view column : columnsOf(line, delimiter)) names.push_back(columnName(column));
    if (names.size() > 1 && names.back().whole.empty()) names.pop_back();
    return names;
  }
  std::vector<std::string_view> columns;  // "Time [s]" is one name
  for (const std::string_view word : wordsOf(line))
    if (!columns.empty() && std::string_view("[({").find(word.front()) != std::string_view::npos)
      columns.back() = line.substr(static_cast<std::size_t>(columns.back().data() - line.data()),
                                   static_cast<std::size_t>(word.data() + word.size() - columns.back().data()));
    else
      columns.push_back(word);
  for (const std::string_view column : columns) names.push_back(columnName(unquoted(column)));
  return names;
}

/// The delimiter of a line with column names.
char delimiterIn(std::string_view line) {
  for (const char delimiter : {';', '\t', ','})
    if (line.find(delimiter) != std::string_view::npos) return delimiter;
  return ' ';
}

/// Factor of a unit of time; nothing if unknown.
std::optional<double> secondsOf(std::string_view unit) {
  const std::string small = lowered(std::string(unit));
  for (const char* name : {"", "s", "sec", "secs", "second", "seconds"})
    if (small == name) return 1.0;
  if (small == "ms" || small == "msec") return 1e-3;
  return std::nullopt;
}

/// True for a line of column names: an acceleration, and a time if there are two or more names, in known units. Prose
/// may mention both.
bool isNames(std::string_view line) {
  const std::vector<ColumnName> names = namesIn(line, delimiterIn(line));
  const auto isTime = [](const ColumnName& name) { return name.isTime() && secondsOf(name.unit); };
  const auto times = std::count_if(names.begin(), names.end(), isTime);
  const auto accelerations = std::count_if(names.begin(), names.end(), [&](const ColumnName& name) {
    return !isTime(name) && name.isAcceleration() && (name.unit.empty() || unitIn(name.unit));
  });
  return names.size() == 1 ? accelerations == 1 && !names[0].unit.empty() : times == 1 && accelerations >= 1;
}

std::string_view withoutComment(std::string_view line) {
  line = trimmed(line);
  const std::size_t text = line.find_first_not_of('#');
  return text == std::string_view::npos ? std::string_view{} : trimmed(line.substr(text));
}

/// Number of the last line above the numbers with known column names; 0 if there is none. Includes comments, because
/// NumPy writes names there.
std::size_t namesLine(TextFile& file) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < kMostPreambleLines; ++i) {
    const std::optional<TextLine> line = file.next();
    if (!line) break;
    const std::string_view text = withoutComment(line->text);
    const bool numbers = !text.empty() && dialectOf(text);
    if (numbers && found != 0) break;
    if (!text.empty() && !numbers && isNames(text)) found = line->number;
  }
  file.rewind();
  return found;
}

/// Text before the numbers, and their first line.
struct Heading {
  std::optional<TextLine> names, units;
  std::optional<TextLine> first;
};

/// A line of units below the names: "s  g".
bool isUnits(std::string_view line) {
  const std::vector<std::string_view> words = columnsOf(line, delimiterIn(line));
  return !words.empty() && std::all_of(words.begin(), words.end(), [](std::string_view word) {
    const std::size_t begin = std::min(word.find_first_not_of("[("), word.size());
    return looksLikeUnit(word.substr(begin, word.find_last_not_of("])") + 1 - begin));
  });
}

/// True if the line above the numbers names their columns, with at least one known word. Otherwise it is prose.
bool mayBeNames(std::string_view line, std::string_view numbers) {
  const char delimiter = dialectOf(numbers)->delimiter;
  const std::vector<ColumnName> names = namesIn(line, delimiterIn(line));
  return names.size() == columnsOf(numbers, delimiter).size() &&
         std::any_of(names.begin(), names.end(), [](const ColumnName& name) {
           return name.isTime() || name.isAcceleration() || looksLikeUnit(name.unit);
         });
}

/// Skips text up to the first line of numbers; its last line may name the columns.
Heading readHeading(TextFile& file) {
  const std::size_t names_line = namesLine(file);
  Heading heading;
  std::optional<TextLine> above;
  while (const std::optional<TextLine> line = file.next()) {
    const std::string_view text = trimmed(line->text);
    if (line->number == names_line) {
      heading.names = TextLine{line->number, withoutComment(text)};
    } else if (line->number > names_line && !text.empty() && text.front() != '#') {
      if (dialectOf(text)) {
        if (!heading.names && above && mayBeNames(above->text, text)) heading.names = above;
        heading.first = line;
        return heading;
      }
      if (heading.names && !heading.units && isUnits(text)) {
        heading.units = line;
      } else if (heading.names) {
        for (const std::string_view column : columnsOf(text, delimiterIn(text)))
          finiteValue(file, line->number, column);
        file.fail(line->number, excerpt(text) + " is not understood; write one separator throughout");
      } else {
        above = line;
      }
    }
  }
  if (heading.names) file.fail(heading.names->number, "is followed by fewer than two samples; give more");
  if (above) file.fail(above->number, "is followed by no numbers; give a record with at least two samples");
  file.fail(0, "holds only comments; give a record with at least two samples");
}

/// The used columns: their positions and factors to SI.
struct Columns {
  std::optional<std::size_t> time;
  std::size_t acceleration = 0, count = 1;
  double seconds = 1.0, mps2 = 1.0;
};

constexpr const char* kWriteNames = "; write \"time_s,acceleration_m_per_s2\" (or _g, _gal)";

Columns namedColumns(TextFile& file, const Heading& heading, std::size_t count, char delimiter, const Given& given) {
  const TextLine& line = *heading.names;
  std::vector<ColumnName> names = namesIn(line.text, delimiterIn(line.text));
  if (names.size() != count) names = namesIn(line.text, delimiter);
  if (names.size() != count)
    file.fail(heading.first->number, "has " + std::to_string(count) + " columns, but line " +
                                         std::to_string(line.number) + " names " + std::to_string(names.size()) +
                                         "; name each column, and write numbers with a decimal point, not a comma");
  if (heading.units) {
    const std::vector<std::string_view> units = columnsOf(heading.units->text, delimiterIn(heading.units->text));
    for (std::size_t i = 0; i < std::min(units.size(), names.size()); ++i) {
      const std::size_t begin = std::min(units[i].find_first_not_of("[("), units[i].size());
      if (names[i].unit.empty()) names[i].unit = units[i].substr(begin, units[i].find_last_not_of("])") + 1 - begin);
    }
  }
  Columns columns;
  columns.count = count;
  std::vector<std::size_t> accelerations;
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i].isTime() && !columns.time) columns.time = i;
    if (names[i].isAcceleration()) accelerations.push_back(i);
  }
  if (count > 1 && !columns.time)
    file.fail(line.number, "names no column of time, but " + excerpt(names[0].whole) + kWriteNames);
  if (accelerations.size() > 1)
    file.fail(line.number, "names " + std::to_string(accelerations.size()) + " columns of acceleration, " +
                               excerpt(names[accelerations[0]].whole) + " and " +
                               excerpt(names[accelerations[1]].whole) + "; keep one of them");
  if (accelerations.empty() && count == 2 && names[1 - *columns.time].unit.empty())
    accelerations.push_back(1 - *columns.time);
  if (accelerations.empty())
    file.fail(line.number, "names no column of acceleration, but " +
                               excerpt(names[count == 2 ? 1 - *columns.time : 0].whole) + kWriteNames);
  columns.acceleration = accelerations[0];
  const ColumnName& acceleration = names[columns.acceleration];
  const std::optional<Unit> in_file = unitIn(acceleration.unit);
  if (!in_file && !acceleration.unit.empty())
    file.fail(line.number, "gives the acceleration in " + excerpt(acceleration.unit) +
                               ", which is not understood; write m/s2, g or gal there");
  columns.mps2 = agreed(file, line.number, in_file, given).mps2;
  if (columns.time) {
    const std::string_view unit = names[*columns.time].unit;
    const std::optional<double> seconds = secondsOf(unit);
    if (!seconds) file.fail(line.number, "gives times in " + excerpt(unit) + "; write time_s, time in seconds");
    columns.seconds = *seconds;
  }
  return columns;
}

Columns bareColumns(TextFile& file, const TextLine& first, std::size_t count, const Given& given) {
  if (count > 2)
    file.fail(first.number, "has " + std::to_string(count) +
                                " columns instead of time and acceleration; name them in " +
                                "the line above, and write numbers with a decimal point, not a comma");
  Columns columns;
  columns.count = count;
  if (count == 2) {
    columns.time = 0;
    columns.acceleration = 1;
  }
  columns.mps2 = agreed(file, first.number, std::nullopt, given).mps2;
  return columns;
}

// --- Times as they are printed ------------------------------------------------------------------------------------

/// Times with the rounding error of their digits.
class Times {
 public:
  void add(std::string_view field, double factor, double t_s) {
    const std::size_t exponent = field.find_first_of("eEdD"), mantissa_end = std::min(exponent, field.size());
    const std::size_t point = field.find_first_of(".,");
    const std::size_t decimals = point < mantissa_end ? mantissa_end - point - 1 : 0;
    if (exponent == std::string_view::npos)
      decimals_ = std::max(decimals_, decimals);
    else if (const std::optional<double> size = numberIn("1" + std::string(field.substr(exponent))); size)
      half_s_ = std::max(half_s_, 0.5 * factor * *size * std::pow(10.0, -static_cast<double>(decimals)));
    factor_ = factor;
    t_s_.push_back(t_s);
  }
  const std::vector<double>& all() const { return t_s_; }
  double mean() const { return (t_s_.back() - t_s_.front()) / static_cast<double>(t_s_.size() - 1); }
  /// Half of the last printed digit.
  double half() const { return std::max(half_s_, 0.5 * factor_ * std::pow(10.0, -static_cast<double>(decimals_))); }

  /// True if times with this step, and the best start, would be printed like this.
  bool fits(double step_s) const {
    double low = -HUGE_VAL, high = HUGE_VAL;  // bounds on the instant of the first
    const double half_s = half() * (1.0 + 1e-9);
    for (std::size_t i = 0; i < t_s_.size(); ++i) {
      const double begin = t_s_[i] - static_cast<double>(i) * step_s;
      const double slack = half_s + 1e-12 * std::abs(t_s_[i]);
      low = std::max(low, begin - slack);
      high = std::min(high, begin + slack);
    }
    return low <= high;
  }
  /// True if rounding is so coarse that a missing sample would not be detected.
  bool coarse() const { return !(4.0 * half() <= mean()); }

 private:
  std::vector<double> t_s_;
  std::size_t decimals_ = 0;
  double half_s_ = 0.0, factor_ = 1.0;
};

/// The step of the times, with their rounding. If exactly one rate in whole Hz explains them, it is used.
double stepOf(TextFile& file, const Times& times, const std::vector<std::size_t>& lines, const Given& given) {
  const double mean = times.mean();
  const std::vector<double>& t = times.all();
  if (given.step_s) {
    if (!times.fits(*given.step_s))
      file.fail(lines.front(), formatted("begins times with a step of %g s", mean) +
                                   formatted(", but the project says %g s; leave the step to the file", *given.step_s));
    return *given.step_s;
  }
  std::size_t uneven = 0;
  for (std::size_t i = 1; i < t.size() && uneven == 0; ++i)  // 10 % are far below a missing sample
    if (std::abs(t[i] - t[i - 1] - mean) > 0.1 * mean) uneven = i;
  const double rate = std::round(1.0 / mean), whole = 1.0 / rate;
  const bool one_rate = !times.coarse() && rate >= 1.0 && times.fits(whole) && !times.fits(1.0 / (rate + 1.0)) &&
                        (rate < 2.0 || !times.fits(1.0 / (rate - 1.0)));
  const double step_s = one_rate && std::abs(whole - mean) > 1e-9 * mean ? whole : mean;
  if (uneven != 0 && (times.coarse() || (!times.fits(mean) && !one_rate)))
    file.fail(lines[uneven], formatted("comes %g s", t[uneven] - t[uneven - 1]) + " after the line before" +
                                 formatted(", but the mean step is %g s", mean) + "; give equally spaced samples" +
                                 (times.coarse() ? ", with more digits in the times" : ""));
  return step_s;
}

}  // namespace

GroundMotion readTable(TextFile& file, const Given& given) {
  const Heading heading = readHeading(file);
  const char delimiter = dialectOf(heading.first->text)->delimiter;
  const auto split = [&](std::string_view line, std::size_t most) {
    std::vector<std::string_view> columns = columnsOf(line, delimiter);
    if (columns.size() > std::max<std::size_t>(most, 1) && columns.back().empty()) columns.pop_back();
    return columns;
  };
  const std::size_t count = split(heading.first->text, 1).size();
  const Columns columns = heading.names ? namedColumns(file, heading, count, delimiter, given)
                                        : bareColumns(file, *heading.first, count, given);
  if (!columns.time && !given.step_s)
    file.fail(heading.first->number,
              "has one column and no times; enter the time between two values as step_s of the signal, or add a column "
              "of times");

  bool points = false, commas = false;
  const auto number = [&](const TextLine& line, std::string_view field) {
    const bool comma = delimiter != ',' && field.find(',') != std::string_view::npos;
    commas = commas || comma;
    points = points || field.find('.') != std::string_view::npos;
    if (commas && points)
      file.fail(line.number, "mixes decimal points and decimal commas; write all numbers with a point");
    return finiteValue(file, line.number, field, comma ? ',' : '.');
  };
  GroundMotion motion;
  Times times;
  std::vector<std::size_t> lines;
  for (std::optional<TextLine> line = heading.first; line; line = file.nextFilled('#')) {
    const std::vector<std::string_view> row = split(line->text, count);
    if (row.size() != count)
      file.fail(line->number, "has " + std::to_string(row.size()) + " columns, but line " +
                                  std::to_string(heading.first->number) + " has " + std::to_string(count) +
                                  "; remove text between the numbers");
    if (columns.time) {
      const double t_s = columns.seconds * number(*line, row[*columns.time]);
      if (!times.all().empty() && t_s <= times.all().back())
        file.fail(line->number,
                  "has a time that does not grow; sort the samples, remove those given twice, or give more digits");
      times.add(row[*columns.time], columns.seconds, t_s);
      lines.push_back(line->number);
    }
    motion.acceleration_mps2.push_back(columns.mps2 * number(*line, row[columns.acceleration]));
  }
  if (motion.acceleration_mps2.size() < 2)
    file.fail(heading.names ? heading.names->number : heading.first->number,
              "is followed by fewer than two samples; give more");
  motion.step_s = columns.time ? stepOf(file, times, lines, given) : *given.step_s;
  return motion;
}

}  // namespace hyb::ground_motion
