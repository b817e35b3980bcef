#pragma once
#include <QtGlobal>
#include <cmath>
#include <string>
#include <vector>

#include "core/transfer/actuator_transfer.h"
#include "tests/support/template_run.h"

// Silva et al. 2020, RTHS benchmark, as its definition runs it (note, "Procedure" and "Checks").

namespace hyb::test {

/// c_0 ... c_3 of the plant's inverse, of which there are six.
inline std::vector<double> benchmarkInverse() {
  constexpr double me = 29.13, ke = 1.19e6, a1b0 = 2.1283e13, a2 = 4.2297e6, a3 = 3.3, b1 = 425.0, b2 = 9.9976e4,
                   gain = 1.0261;
  const double ce = 2.0 * 0.0097 * std::sqrt(me * ke);
  std::vector<double> specimen = product({ke, ce, me}, {a3, 1.0});
  specimen[1] += a2;
  std::vector<double> inverse = product(specimen, {b2, b1, 1.0});
  inverse[0] += a1b0;
  inverse.resize(4);
  for (double& c : inverse) c /= gain * a1b0;
  return inverse;
}
inline Json exactInverse() {
  const std::vector<double> c = benchmarkInverse();
  return {{"method", "inverse-model"}, {"numerator", 1.0}, {"denominator", {c[3], c[2], c[1], c[0]}}};
}

/// The template of a case of the partition; of the first one with the sample controller.
inline std::string benchmarkName(int partition_case = 1) {
  return partition_case == 1 ? "benchmark-2020-sample" : "benchmark-2020-case-" + std::to_string(partition_case);
}
/// Its sample controller, as shipped.
inline Json sampleController() { return templateDocument(benchmarkName())["compensation"]; }
/// The template with another compensation and without noise.
inline Json benchmarkWith(const Json& compensation, int partition_case = 1) {
  Json document = templateDocument(benchmarkName(partition_case));
  document["compensation"] = compensation;
  for (const char* sensor : {"displacement_sensor", "force_sensor"}) document["rig"].erase(sensor);
  return document;
}
/// The same under a record of the folder HYB_GROUND_MOTIONS at 40 %.
inline Json benchmarkUnder(const char* record, const Json& compensation, int partition_case = 1) {
  Json document = benchmarkWith(compensation, partition_case);
  const std::string file = qEnvironmentVariable("HYB_GROUND_MOTIONS").toStdString() + "/" + record;
  document["excitation"]["signals"] = Json::array({Json{
      {"name", "ground"}, {"kind", "ground-motion"}, {"file", file}, {"output", "acceleration"}, {"scale", 0.4}}});
  document["excitation"]["loads"][0]["signal"] = "ground";
  document["loop"]["duration_s"] = 41.0;
  document["loop"]["soft_start_s"] = document["loop"]["soft_end_s"] = 0.0;
  document["analysis"]["start_s"] = 0.0;
  return document;
}

}  // namespace hyb::test
