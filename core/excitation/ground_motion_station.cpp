// Records as networks of stations publish them.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/base/number_text.h"
#include "core/base/words.h"
#include "core/excitation/ground_motion_source.h"

namespace hyb::ground_motion {
namespace {

// --- K-NET and KiK-net. Source: NIED, "About K-NET ASCII format" ---------------------------------------------------

constexpr std::size_t kLabelColumns = 18;
enum KnetLine : std::size_t { kSamplingFrequency = 11, kScaleFactor = 14, kKnetHeaderLines = 17 };

/// The number at the front of a text, followed by any text.
std::optional<double> leadingNumber(std::string_view text) {
  text = trimmed(text);
  return numberIn(text.substr(0, text.find_first_not_of("+-.0123456789eE")));
}

// --- COSMOS V2. Source: COSMOS, Strong Motion Data Format 1.20 -----------------------------------------------------

constexpr std::size_t kProcessing = 1, kQuantity = 2, kUnits = 3;  // integer values, from 1
constexpr std::size_t kStep = 62;                                  // real value: interval of the series, ms

/// Repeat and width of a Fortran format: "(8F10.5)", "(10I8)".
struct FieldFormat {
  std::size_t per_line = 0, width = 0;
};
std::optional<FieldFormat> fieldFormat(const std::string& line) {
  const std::size_t at = line.rfind("FORMAT");
  if (at == std::string::npos) return std::nullopt;
  const std::size_t open = line.find('(', at), letter = line.find_first_of("IFE", open);
  if (open == std::string::npos || letter == std::string::npos) return std::nullopt;
  const std::optional<double> count = numberIn(trimmed(std::string_view(line).substr(open + 1, letter - open - 1))),
                              width = leadingNumber(std::string_view(line).substr(letter + 1));
  if (!count || !width || !(*count >= 1.0 && *count <= 1000.0) || !(*width >= 1.0 && *width <= 100.0))
    return std::nullopt;
  return FieldFormat{static_cast<std::size_t>(*count), static_cast<std::size_t>(*width)};
}

class Cosmos {
 public:
  explicit Cosmos(TextFile& file) : file_(file) {}

  GroundMotion read(const Given& given) {
    skip(textLines() - 1);
    const std::vector<double> whole = section("INTEGER"), real = section("REAL");
    const std::optional<std::size_t> comments = count(uppercase(line().text));
    if (!comments) file_.fail(file_.line(), "does not give the number of comment lines; get the file again");
    skip(*comments);
    if (whole.size() < kUnits || real.size() < kStep)
      file_.fail(0, "has fewer header values than a COSMOS V2 file needs; get the file again");
    if (whole[kProcessing - 1] != 2.0)
      file_.fail(0, formatted("is a COSMOS V%g file", whole[kProcessing - 1]) + "; use the V2 file of the same record");
    if (whole[kQuantity - 1] != 1.0) file_.fail(0, "has no acceleration; use the file of the acceleration");

    const TextLine head = line();
    const std::string text = uppercase(head.text);
    const std::optional<Unit> by_number = unitOf(whole[kUnits - 1]);
    const std::size_t word = text.find("UNITS");
    const std::size_t begin = word == std::string::npos ? word : text.find('=', word);
    std::optional<Unit> by_text;
    if (begin != std::string::npos)
      by_text = unitIn(head.text.substr(begin + 1, head.text.find_first_of("(,", begin) - begin - 1));
    if (by_number && by_text && by_number->mps2 != by_text->mps2)
      file_.fail(head.number, "says " + by_text->name + ", but the header says " + by_number->name +
                                  "; get the file again, or correct one of them");
    const Unit unit = agreed(file_, head.number, by_number ? by_number : by_text, given);

    GroundMotion motion;
    motion.step_s = 1e-3 * real[kStep - 1];
    if (!(motion.step_s > 0.0 && std::isfinite(motion.step_s)))
      file_.fail(0, formatted("gives a step of %g ms", real[kStep - 1]) + "; it must be greater than 0");
    agreeOnStep(file_, 0, motion.step_s, given);
    motion.acceleration_mps2 = values(head);
    if (motion.acceleration_mps2.size() < 2)
      file_.fail(head.number, "announces fewer than two samples; use another record");
    for (double& value : motion.acceleration_mps2) value *= unit.mps2;
    while (const std::optional<TextLine> rest = file_.nextFilled('\0'))
      if (isHead(rest->text)) file_.fail(rest->number, "begins another channel; keep one channel in the file");
    return motion;
  }

  static bool isHead(std::string_view text) {
    const std::string head = uppercase(text);
    return head.find("(FORMAT V") != std::string::npos && head.find("TEXT LINES") != std::string::npos;
  }

 private:
  TextLine line() {
    const std::optional<TextLine> next = file_.next();
    if (!next) file_.fail(file_.line(), "ends within a COSMOS V2 record; the file is cut off, download it again");
    return *next;
  }
  void skip(std::size_t lines) {
    for (std::size_t i = 0; i < lines; ++i) line();
  }
  /// The whole number at the front of a line.
  static std::optional<std::size_t> count(std::string_view text) {
    constexpr double kMost = 1e8;
    const std::optional<double> value = leadingNumber(text);
    if (!value || !(*value >= 0.0 && *value <= kMost) || *value != std::floor(*value)) return std::nullopt;
    return static_cast<std::size_t>(*value);
  }
  /// "... (Format v01.20 with 13 text lines)".
  std::size_t textLines() {
    const std::string text = uppercase(line().text);
    if (!isHead(text))
      file_.fail(1, "is a V2 file of the form before COSMOS, which is not read; get the record as COSMOS V2 or AT2");
    const std::size_t with = text.find("WITH");
    const std::optional<std::size_t> lines =
        with == std::string::npos ? std::nullopt : count(std::string_view(text).substr(with + 4));
    if (!lines || *lines < 1) file_.fail(1, "does not give the number of text lines; get the file again");
    return *lines;
  }
  /// Values in fixed columns, count given in the line before: they may touch.
  std::vector<double> values(const TextLine& head) {
    const std::string text = uppercase(head.text);
    const std::optional<std::size_t> announced = count(text);
    const std::optional<FieldFormat> format = fieldFormat(text);
    if (!announced || !format)
      file_.fail(head.number, "does not give count and format of the values that follow; get the file again");
    std::vector<double> found;
    while (found.size() < *announced) {
      const TextLine row = line();
      for (std::size_t i = 0; i < format->per_line && found.size() < *announced; ++i) {
        const std::size_t begin = std::min(i * format->width, row.text.size());
        const std::string_view field = trimmed(row.text.substr(begin, format->width));
        if (field.empty())
          file_.fail(row.number, "ends after " + std::to_string(found.size()) + " of " + std::to_string(*announced) +
                                     " values; the file is cut off, download it again");
        found.push_back(finiteValue(file_, row.number, field));
      }
    }
    return found;
  }
  std::vector<double> section(const char* kind) {
    const TextLine head = line();
    if (uppercase(head.text).find(kind) == std::string::npos)
      file_.fail(head.number, "is not the line of the " + lowered(kind) + " header values; get the file again");
    return values(head);
  }
  static std::optional<Unit> unitOf(double number) {
    if (number == 2.0) return unitIn("g");
    if (number == 4.0) return unitIn("cm/s2");
    if (number == 7.0) return unitIn("in/s2");
    if (number == 10.0) return unitIn("gal");
    if (number == 11.0) return unitIn("mg");
    return std::nullopt;
  }

  TextFile& file_;
};

}  // namespace

bool isKnet(TextFile& file) {
  const std::optional<TextLine> line = file.next();
  return line && line->text.starts_with("Origin Time");
}

GroundMotion readKnet(TextFile& file, const Given& given) {
  std::array<std::string_view, kKnetHeaderLines + 1> value{};
  for (std::size_t i = 1; i <= kKnetHeaderLines; ++i) {
    const std::optional<TextLine> line = file.next();
    if (!line) file.fail(file.line(), "ends within the 17 header lines of a K-NET file; download it again");
    const char* const label = i == kSamplingFrequency ? "Sampling Freq" : i == kScaleFactor ? "Scale Factor" : "";
    if (!line->text.starts_with(label))
      file.fail(i, "is not the line of " + quoted(label) + " in a K-NET file; download it again");
    value[i] = line->text.substr(std::min(kLabelColumns, line->text.size()));
  }
  const std::optional<double> rate_hz = leadingNumber(value[kSamplingFrequency]);
  if (!rate_hz || !(*rate_hz > 0.0 && std::isfinite(*rate_hz)) ||
      value[kSamplingFrequency].find("Hz") == std::string_view::npos)
    file.fail(kSamplingFrequency, "gives no sampling frequency; write it as \"100Hz\"");
  const std::string_view scale = value[kScaleFactor];
  const std::size_t open = scale.find('('), slash = scale.find('/', scale.find(')'));
  const std::optional<double> over = slash == std::string_view::npos ? std::nullopt
                                                                     : leadingNumber(scale.substr(slash + 1)),
                              full = leadingNumber(scale);
  if (!full || !over || !(*full > 0.0 && *over > 0.0) || !std::isfinite(*full / *over))
    file.fail(kScaleFactor, "gives no scale factor; write it as \"3920(gal)/6182761\"");
  const std::string_view unit_text = scale.substr(open + 1, scale.find(')') - open - 1);
  const std::optional<Unit> in_file = unitIn(unit_text);
  if (!in_file)
    file.fail(kScaleFactor, "gives the unit as " + excerpt(unit_text) + ", which is not understood; write (gal)");
  const Unit unit = agreed(file, kScaleFactor, in_file, given);

  GroundMotion motion;
  motion.step_s = 1.0 / *rate_hz;
  agreeOnStep(file, kSamplingFrequency, motion.step_s, given);
  std::vector<double>& counts = motion.acceleration_mps2;
  while (const std::optional<TextLine> line = file.next()) takeValues(file, *line, counts);
  if (counts.size() < 2) file.fail(kKnetHeaderLines, "is followed by fewer than two samples; download the file again");
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  const double factor = *full / *over * unit.mps2;
  for (double& value_now : counts) value_now = factor * (value_now - mean);
  motion.notes.push_back(
      formatted("The mean of the record, %.4g m/s2, was removed: K-NET values have an offset.", factor * mean));
  return motion;
}

bool isCosmos(TextFile& file) {
  const std::optional<TextLine> line = file.next();
  // Older files of the same networks have a similar start; readCosmos() reports them.
  return line && (Cosmos::isHead(line->text) || uppercase(line->text).find("CORRECTED ACCELER") != std::string::npos);
}

GroundMotion readCosmos(TextFile& file, const Given& given) { return Cosmos(file).read(given); }

}  // namespace hyb::ground_motion
