#pragma once
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "tests/support/template_run.h"

// Multi-axial benchmark (maRTHS), as its public scripts run it (note, sections 6 to 12).

namespace hyb::test {

struct MarthsMotion {
  const char* name;
  const char* file;
  double duration_s;  // ticks 0 to the last one within the record
};
inline constexpr MarthsMotion kMarthsElCentro{"El Centro", "el-centro-1940.csv", 42168 / 1024.0},
    kKobe{"Kobe", "kobe-1995.csv", 52162 / 1024.0}, kMorganHill{"Morgan Hill", "morgan-hill-1984.csv", 40929 / 1024.0};

/// The template `name` under a record of the folder HYB_GROUND_MOTIONS, without noise unless asked.
inline Json marthsUnder(const MarthsMotion& motion, double scale = 0.4, bool noise = false,
                        const char* name = "marths-lab") {
  Json document = templateDocument(name);
  const char* const folder = std::getenv("HYB_GROUND_MOTIONS");
  const std::string file = std::string(folder != nullptr ? folder : "") + "/" + motion.file;
  document["excitation"]["signals"] = Json::array({Json{
      {"name", "ground"}, {"kind", "ground-motion"}, {"file", file}, {"output", "acceleration"}, {"scale", scale}}});
  document["excitation"]["loads"][0]["signal"] = "ground";
  document["loop"]["duration_s"] = motion.duration_s;
  document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.0;
  document["analysis"]["start_s"] = 0.0;
  if (!noise) document["rig"].erase("displacement_sensor");
  return document;
}

/// Each of them for both interfaces.
inline constexpr const char* kMarthsCriteria[] = {"j1", "j2",          "j3",         "j4_script",  "j4_text",
                                                  "j5", "j6",          "j7",         "j8_level_2", "j8_level_3",
                                                  "j9", "j10_level_2", "j10_level_3"};

/// A criterion of an interface (from 0) in a run with measures.
inline double criterion(const TemplateRun& run, std::size_t interface, const std::string& name) {
  const Json& measures = run.figures().at("interfaces").at(interface).at("measures");
  const auto found = measures.find("marths_" + name);
  return found != measures.end() && found->is_number() ? found->get<double>() : std::nan("");
}

inline double marthsPeak(const std::vector<double>& samples) {
  double peak = 0.0;
  for (const double sample : samples) peak = std::max(peak, std::abs(sample));
  return peak;
}

}  // namespace hyb::test
