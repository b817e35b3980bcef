#include "core/project/tunable_range.h"

#include <algorithm>
#include <cmath>

#include "core/project/schema.h"

namespace hyb {
namespace {

constexpr double kAboveOpenBound = 1e-9;  // of the maximum: how far a value stays above a bound that it must exceed

/// Bounds of one number of the field; a list has them at its entries.
void narrow(Tunable& tunable, const Json& field) {
  const Json& number = field.contains("items") ? field.at("items") : field;
  double low = number.value("minimum", tunable.min), high = number.value("maximum", tunable.max);
  if (number.contains("exclusiveMinimum"))
    low = number.at("exclusiveMinimum").get<double>() + kAboveOpenBound * std::abs(high);
  if (const auto range = field.find("x-tuning"); range != field.end()) {
    low = std::max(low, range->at(0).get<double>());
    high = std::min(high, range->at(1).get<double>());
  }
  tunable.min = std::min(tunable.value, std::max(tunable.min, low));
  tunable.max = std::max(tunable.value, std::min(tunable.max, high));
}

}  // namespace

void boundTunables(std::vector<Tunable>& tunables, const Json& document) {
  for (Tunable& tunable : tunables) narrow(tunable, schemaOf(document, tunable.field));
}

}  // namespace hyb
