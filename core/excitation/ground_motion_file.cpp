#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string_view>

#include "core/error.h"
#include "core/excitation/ground_motion.h"
#include "core/file_bytes.h"

namespace hyb {
namespace {

constexpr std::uintmax_t kMaxBytes = 64u << 20;
constexpr double kMaxDuration_s = 3600.0;
constexpr double kStandardGravity_mps2 = 9.80665;

struct Line {
  std::size_t number;  // from 1
  std::string_view text;
};

/// A file's text in lines, and the place in it for messages.
class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& file) : name_(file.string()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
      fail(0, error || !std::filesystem::exists(file, error) ? "does not exist or cannot be reached; check the path"
                                                             : "is not a file; give a CSV or AT2 file");
    if (std::filesystem::file_size(file, error) > kMaxBytes)
      fail(0, "is larger than 64 MiB; cut the record to what the test needs");
    std::optional<std::string> bytes = bytesOf(file);
    if (!bytes) fail(0, "cannot be read; check its permissions");
    text_ = std::move(*bytes);
    split();
  }

  const std::vector<Line>& lines() const noexcept { return lines_; }
  [[noreturn]] void fail(std::size_t line, const std::string& message) const {
    throw InputError(line == 0 ? name_ : name_ + ":" + std::to_string(line), message);
  }

 private:
  void split() {
    if (text_.starts_with("\xFE\xFF") || text_.starts_with("\xFF\xFE")) fail(0, "is UTF-16 text; save it as UTF-8");
    std::string_view rest = text_;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    for (std::size_t number = 1; !rest.empty(); ++number) {
      const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
      const std::string_view line = rest.substr(0, end);
      if (std::any_of(line.begin(), line.end(),
                      [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; }))
        fail(number, "holds binary data; give a text file, CSV or PEER AT2");
      lines_.push_back({number, line});
      rest.remove_prefix(std::min(rest.substr(end).starts_with("\r\n") ? end + 2 : end + 1, rest.size()));
    }
    if (std::all_of(lines_.begin(), lines_.end(),
                    [](const Line& l) { return l.text.find_first_not_of(" \t") == std::string_view::npos; }))
      fail(0, "is empty; give a record with at least two samples");
  }

  std::string name_, text_;
  std::vector<Line> lines_;
};

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\"");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\"") - first + 1);
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// Text for a message: short, printable.
std::string excerpt(std::string_view text) {
  std::string shown(text.substr(0, 40));
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return "\"" + shown + (text.size() > 40 ? "...\"" : "\"");
}

std::string formatted(const char* format, double value) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

/// A whole field as a number; finite or not.
std::optional<double> parseNumber(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return HUGE_VAL;
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

double finiteNumber(const TextFile& file, std::size_t line, std::string_view text) {
  const std::optional<double> value = parseNumber(text);
  if (!value)
    file.fail(line, excerpt(text) + (text.find(',') != std::string_view::npos
                                         ? " has a decimal comma; write numbers with a point, as 0.02"
                                         : " is not a number; remove text between the numbers"));
  if (!std::isfinite(*value)) file.fail(line, excerpt(text) + " is not a finite number; mend or remove this sample");
  return *value;
}

std::vector<std::string_view> fields(std::string_view text, char delimiter) {
  std::vector<std::string_view> result;
  if (delimiter == ' ') {
    for (text = trim(text); !text.empty(); text = trim(text)) {
      const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
      result.push_back(text.substr(0, end));
      text.remove_prefix(end);
    }
    return result;
  }
  for (;;) {
    const std::size_t end = text.find(delimiter);
    result.push_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + 1);
  }
}

double factorOf(AccelerationUnit unit) {
  return unit == AccelerationUnit::g ? kStandardGravity_mps2 : unit == AccelerationUnit::gal ? 0.01 : 1.0;
}

/// The unit that counts, if what the file says and what is asked for agree.
AccelerationUnit agree(const TextFile& file, std::size_t line, AccelerationUnit in_file, AccelerationUnit asked) {
  const char* names[] = {"", "m/s2", "g", "gal"};
  if (in_file == AccelerationUnit::from_file && asked == AccelerationUnit::from_file)
    file.fail(line,
              "does not say the unit of the acceleration; write the header \"time_s,acceleration_m_per_s2\" (or "
              "_g, _gal) or give the unit in the project");
  if (asked == AccelerationUnit::from_file || in_file == AccelerationUnit::from_file)
    return in_file == AccelerationUnit::from_file ? asked : in_file;
  if (asked != in_file)
    file.fail(line, std::string("is in ") + names[static_cast<int>(in_file)] + ", but the project says " +
                        names[static_cast<int>(asked)] + "; leave the unit to the file");
  return asked;
}

GroundMotion readCsv(const TextFile& file, AccelerationUnit asked) {
  std::vector<Line> rows;
  for (const Line& line : file.lines())
    if (const std::string_view text = trim(line.text); !text.empty() && text.front() != '#') rows.push_back(line);
  if (rows.empty()) file.fail(0, "holds only comments; give a record with at least two samples");

  const std::string_view head = rows.front().text;
  const auto has = [&](char c) { return head.find(c) != std::string_view::npos; };
  const char delimiter = has(';') ? ';' : has('\t') ? '\t' : has(',') ? ',' : ' ';
  const auto twoFields = [&](const Line& row) {
    std::vector<std::string_view> both = fields(row.text, delimiter);
    if (both.size() != 2)
      file.fail(row.number, "has " + std::to_string(both.size()) + " columns instead of time and acceleration" +
                                (row.text.find(',') != std::string_view::npos
                                     ? "; keep two columns, and write numbers with a decimal point, not a comma"
                                     : "; keep two columns"));
    return both;
  };

  AccelerationUnit in_file = AccelerationUnit::from_file;
  const std::size_t head_line = rows.front().number;
  const std::vector<std::string_view> names = twoFields(rows.front());
  const bool has_header =
      !names[0].empty() && std::isalpha(static_cast<unsigned char>(names[0].front())) != 0 && !parseNumber(names[0]);
  if (has_header) {
    const std::string time = upper(names[0]), acceleration = upper(names[1]);
    if (time != "TIME_S")
      file.fail(head_line, "calls the first column " + excerpt(names[0]) + "; it must be time_s, time in seconds");
    if (acceleration == "ACCELERATION_M_PER_S2") in_file = AccelerationUnit::mps2;
    if (acceleration == "ACCELERATION_G") in_file = AccelerationUnit::g;
    if (acceleration == "ACCELERATION_GAL") in_file = AccelerationUnit::gal;
    rows.erase(rows.begin());
  }
  const double factor = factorOf(agree(file, head_line, in_file, asked));
  if (rows.size() < 2) file.fail(head_line, "is followed by fewer than two samples; give more");

  GroundMotion motion;
  std::vector<double> time_s;
  for (const Line& row : rows) {
    const std::vector<std::string_view> both = twoFields(row);
    const double t = finiteNumber(file, row.number, both[0]);
    if (!time_s.empty() && t <= time_s.back())
      file.fail(row.number, "has a time that does not grow; sort the samples and remove those given twice");
    time_s.push_back(t);
    motion.acceleration_mps2.push_back(factor * finiteNumber(file, row.number, both[1]));
  }
  motion.step_s = (time_s.back() - time_s.front()) / static_cast<double>(time_s.size() - 1);
  for (std::size_t i = 1; i < time_s.size(); ++i) {
    // 10 % allows for printed times that are rounded, and is far from a sample that is missing.
    if (std::abs(time_s[i] - time_s[i - 1] - motion.step_s) > 0.1 * motion.step_s)
      file.fail(rows[i].number, formatted("comes %g s", time_s[i] - time_s[i - 1]) + " after the line before" +
                                    formatted(", but the mean step is %g s", motion.step_s) +
                                    "; give equally spaced samples");
  }
  return motion;
}

/// The number after a keyword such as NPTS; blanks and one '=' or ':' may stand between.
std::optional<double> numberAfter(const std::string& line, const std::string& keyword) {
  std::size_t at = line.find(keyword);
  if (at == std::string::npos) return std::nullopt;
  at = line.find_first_not_of(" \t=:", at + keyword.size());
  if (at == std::string::npos) return std::nullopt;
  return parseNumber(std::string_view(line).substr(at, line.find_first_of(" ,;\tS", at) - at));
}

GroundMotion readPeer(const TextFile& file, AccelerationUnit asked) {
  const std::vector<Line>& lines = file.lines();
  if (lines.size() < 4)
    file.fail(lines.size(), "ends within the four header lines of a PEER AT2 file; download it again");
  const std::string quantity = upper(lines[2].text), sizes = upper(lines[3].text);
  for (const char* other : {"VELOCITY", "DISPLACEMENT"})
    if (quantity.find(other) != std::string::npos)
      file.fail(3, "says that this is not an acceleration record; use the .AT2 file of the same motion");
  const double factor = factorOf(agree(file, 3, AccelerationUnit::g, asked));

  GroundMotion motion;
  std::optional<double> count = numberAfter(sizes, "NPTS"), step = numberAfter(sizes, "DT");
  if (!count || !step) {  // older files: "4000   .0100   NPTS, DT"
    const std::vector<std::string_view> words = fields(sizes, ' ');
    if (sizes.find("NPTS") == std::string::npos || words.size() < 2 || !parseNumber(words[0]) || !parseNumber(words[1]))
      file.fail(4, "does not give the number of values and their step; write \"NPTS= 4000, DT= .0100 SEC\"");
    count = parseNumber(words[0]);
    step = parseNumber(words[1]);
  }
  if (!(*count >= 2.0 && *count <= 1e8) || *count != std::floor(*count))
    file.fail(4, formatted("gives NPTS = %g", *count) + "; it must be a whole number of at least 2");
  if (!std::isfinite(*step) || *step <= 0.0)
    file.fail(4, formatted("gives DT = %g", *step) + "; it must be a time in seconds greater than 0");
  motion.step_s = *step;

  const auto expected = static_cast<std::size_t>(*count);
  for (std::size_t i = 4; i < lines.size(); ++i)
    for (const std::string_view word : fields(lines[i].text, ' ')) {
      if (motion.acceleration_mps2.size() == expected)
        file.fail(lines[i].number, "goes on after the " + std::to_string(expected) +
                                       " values that NPTS announces; remove what is too much or mend NPTS");
      motion.acceleration_mps2.push_back(factor * finiteNumber(file, lines[i].number, word));
    }
  if (motion.acceleration_mps2.size() < expected)
    file.fail(lines.back().number, "ends after " + std::to_string(motion.acceleration_mps2.size()) + " of " +
                                       std::to_string(expected) +
                                       " values that NPTS announces; the file is cut off, download it again");
  return motion;
}

bool looksLikePeer(const std::filesystem::path& path, const TextFile& file) {
  return upper(path.extension().string()) == ".AT2" ||
         (file.lines().size() > 3 && upper(file.lines()[3].text).find("NPTS") != std::string::npos);
}

}  // namespace

GroundMotion readGroundMotion(const std::filesystem::path& path, GroundMotionFormat format, AccelerationUnit unit) {
  const TextFile file(path);
  const bool peer =
      format == GroundMotionFormat::automatic ? looksLikePeer(path, file) : format == GroundMotionFormat::peer_at2;
  GroundMotion motion = peer ? readPeer(file, unit) : readCsv(file, unit);
  const double duration_s = motion.step_s * static_cast<double>(motion.acceleration_mps2.size() - 1);
  if (!(duration_s <= kMaxDuration_s))
    file.fail(0, formatted("lasts %g s", duration_s) + "; give times in seconds, and at most one hour");
  return motion;
}

}  // namespace hyb
