#include "core/analysis/segments.h"

namespace hyb {
namespace {

/// A unit as a factor of another: in brackets if it is a product or a quotient.
std::string asFactor(const std::string& unit) {
  return unit.find_first_of(" /") == std::string::npos ? unit : "(" + unit + ")";
}
bool isRatio(const std::string& unit) { return unit.empty() || unit == "1"; }

}  // namespace

std::string densityUnit(const std::string& a, const std::string& b) {
  if (isRatio(a) && isRatio(b)) return "1/Hz";
  if (isRatio(a) || isRatio(b)) return asFactor(isRatio(a) ? b : a) + "/Hz";
  return (a == b ? asFactor(a) + "2" : asFactor(a) + " " + asFactor(b)) + "/Hz";
}

std::string ratioUnit(const std::string& above, const std::string& below) {
  if (above == below || (isRatio(above) && isRatio(below))) return "1";
  if (isRatio(below)) return above;
  return (isRatio(above) ? "1" : asFactor(above)) + "/" + asFactor(below);
}

std::string rateUnit(const std::string& unit) {
  if (isRatio(unit)) return "1/s";
  if (unit.ends_with(" s")) return unit.substr(0, unit.size() - 2);
  if (unit.ends_with("/s")) return unit + "2";
  if (unit.ends_with("/s2")) return unit.substr(0, unit.size() - 1) + "3";
  return asFactor(unit) + "/s";
}

std::string integralUnit(const std::string& unit) {
  if (isRatio(unit)) return "s";
  if (unit.ends_with("/s")) return unit == "1/s" ? "1" : unit.substr(0, unit.size() - 2);
  if (unit.ends_with("/s2")) return unit.substr(0, unit.size() - 1);
  return asFactor(unit) + " s";
}

}  // namespace hyb
