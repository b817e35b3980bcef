#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "core/base/file_bytes.h"
#include "core/base/number_text.h"
#include "core/excitation/ground_motion_source.h"

namespace hyb {
namespace {

constexpr std::uintmax_t kMaxRecordBytes = 64u << 20;
constexpr double kMaxDuration_s = 3600.0;

std::string recordBytes(const std::filesystem::path& file) {
  const auto fail = [&](const char* message) { throw InputError(file.string(), message); };
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error))
    fail(error || !std::filesystem::exists(file, error) ? "does not exist or cannot be reached; check the path"
                                                        : "is not a file; give a CSV, AT2, K-NET or COSMOS file");
  if (std::filesystem::file_size(file, error) > kMaxRecordBytes)
    fail("is larger than 64 MiB; shorten the record to the part for the test");
  std::optional<std::string> bytes = bytesOf(file);
  if (!bytes) fail("cannot be read; check its permissions");
  return std::move(*bytes);
}

}  // namespace

namespace ground_motion {

std::string formatted(const char* format, double value) {
  char buffer[256];
  std::snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

std::string uppercase(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

double finiteValue(TextFile& file, std::size_t line, std::string_view field, char point) {
  const std::optional<double> value = numberIn(field, point);
  if (!value && !field.empty() && field.find_first_not_of('*') == std::string_view::npos)
    file.fail(line, excerpt(field) + " marks a number too large for its column; get the record with more digits");
  if (!value)
    file.fail(line, excerpt(field) + (numberIn(field, ',')
                                          ? " has a decimal comma; write numbers with a point, for example 0.02"
                                          : " is not a number; remove text between the numbers"));
  if (!std::isfinite(*value))
    file.fail(line, excerpt(field) + " is not a finite number; correct or remove this sample");
  return *value;
}

void takeValues(TextFile& file, const TextLine& line, std::vector<double>& values) {
  for (std::string_view rest = line.text; !trimmed(rest).empty();) {
    const std::string_view from = trimmed(rest);
    const std::optional<double> value = takeFortranNumber(rest);
    if (!value || !std::isfinite(*value)) {
      finiteValue(file, line.number, from.substr(0, from.find_first_of(" \t")));  // reports the fault
      file.fail(line.number, excerpt(from) + " is not understood; write numbers with blanks between them");
    }
    values.push_back(*value);
  }
}

Unit agreed(TextFile& file, std::size_t line, const std::optional<Unit>& in_file, const Given& given) {
  const char* const asked_name = given.unit == AccelerationUnit::mps2  ? "m/s2"
                                 : given.unit == AccelerationUnit::g   ? "g"
                                 : given.unit == AccelerationUnit::gal ? "gal"
                                                                       : "";
  const std::optional<Unit> asked = unitIn(asked_name);
  if (!in_file && !asked)
    file.fail(line,
              "does not name the unit of the acceleration; write it there, for example \"acceleration_m_per_s2\" or "
              "\"UNITS OF G\", or enter the unit in the project");
  if (in_file && asked && in_file->mps2 != asked->mps2)
    file.fail(line, "is in " + in_file->name + ", but the project says " + asked_name + "; leave the unit to the file");
  return in_file ? *in_file : *asked;
}

void agreeOnStep(TextFile& file, std::size_t line, double step_s, const Given& given) {
  constexpr double kSame = 1e-6;  // of the step: headers have fewer digits
  if (given.step_s && !(std::abs(*given.step_s - step_s) <= kSame * step_s))
    file.fail(line, formatted("has a step of %g s", step_s) +
                        formatted(", but the project says %g s; leave the step to the file", *given.step_s));
}

}  // namespace ground_motion

GroundMotion readGroundMotion(const std::filesystem::path& path, GroundMotionFormat format, AccelerationUnit unit,
                              std::optional<double> step_s) {
  using namespace ground_motion;
  TextFile file(path.string(), recordBytes(path), "a text file: CSV, PEER AT2, K-NET or COSMOS");
  if (!file.nextFilled('\0')) file.fail(0, "is empty; give a record with at least two samples");
  file.rewind();
  const auto is = [&](bool (*question)(TextFile&)) {
    const bool answer = question(file);
    file.rewind();
    return answer;
  };
  const Given given{unit, step_s};
  const bool ask = format == GroundMotionFormat::automatic;
  GroundMotion motion = ask && is(isKnet)     ? readKnet(file, given)
                        : ask && is(isCosmos) ? readCosmos(file, given)
                        : format == GroundMotionFormat::peer_at2 ||
                                (ask && (uppercase(path.extension().string()) == ".AT2" || is(isPeer)))
                            ? readPeer(file, given)
                            : readTable(file, given);
  const double duration_s = motion.step_s * static_cast<double>(motion.acceleration_mps2.size() - 1);
  if (!(duration_s <= kMaxDuration_s))
    file.fail(0, formatted("lasts %g s", duration_s) + "; give times in seconds, and at most one hour");
  return motion;
}

}  // namespace hyb
