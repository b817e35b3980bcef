#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "core/base/text_file.h"
#include "core/excitation/ground_motion.h"

/// Common part of readGroundMotion for each kind of file. Inside ground_motion*.cpp only.
namespace hyb::ground_motion {

/// A unit of acceleration.
struct Unit {
  std::string name;
  double mps2 = 1.0;
};

/// Values for a file in the project.
struct Given {
  AccelerationUnit unit = AccelerationUnit::from_file;
  std::optional<double> step_s;
};

/// The unit of a whole text in any of its spellings: "CM/SEC/SEC", "m/s**2", "m_per_s2", "Gal"; nothing if unknown.
std::optional<Unit> unitIn(std::string_view text);
/// The unit at the front of a phrase: "G. FILTER POINTS: ..."; nothing if it is unknown, or followed by a factor
/// ("G X 10").
std::optional<Unit> unitAtFront(std::string_view phrase);

/// The valid unit. Fails if neither the file nor the project names one, or if they contradict each other.
Unit agreed(TextFile& file, std::size_t line, const std::optional<Unit>& in_file, const Given& given);
/// Fails if the step in the project differs from that in the file.
void agreeOnStep(TextFile& file, std::size_t line, double step_s, const Given& given);
/// The field as a number; fails if it is not a finite number.
double finiteValue(TextFile& file, std::size_t line, std::string_view field, char point = '.');
/// All numbers of a Fortran line, which may touch.
void takeValues(TextFile& file, const TextLine& line, std::vector<double>& values);
std::string formatted(const char* format, double value);
std::string uppercase(std::string_view text);

bool isPeer(TextFile& file);
bool isKnet(TextFile& file);
bool isCosmos(TextFile& file);
GroundMotion readPeer(TextFile& file, const Given& given);
GroundMotion readKnet(TextFile& file, const Given& given);
GroundMotion readCosmos(TextFile& file, const Given& given);
GroundMotion readTable(TextFile& file, const Given& given);

}  // namespace hyb::ground_motion
