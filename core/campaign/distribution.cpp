#include "core/campaign/distribution.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "core/base/overloaded.h"

namespace hyb {
namespace {

const boost::math::normal kNormal;

}  // namespace

double normalQuantile(double probability) { return boost::math::quantile(kNormal, probability); }
double normalProbability(double value) { return boost::math::cdf(kNormal, value); }

void check(const Distribution& distribution, const std::string& where, Checks& checks) {
  const auto ascending = [&](double low, double high, const char* first, const char* second) {
    if (!(low < high))
      checks.fault(where + "/" + second, high, "", std::string("must be greater than \"") + first + "\"");
  };
  std::visit(
      Overloaded{[&](const UniformNumber& d) { ascending(d.from, d.to, "from", "to"); },
                 [&](const NormalNumber& d) {
                   checks.positive(where + "/deviation", d.deviation, "");
                   ascending(d.least, d.most, "least", "most");
                   if (checks.ok() && !(normalProbability((d.most - d.mean) / d.deviation) -
                                            normalProbability((d.least - d.mean) / d.deviation) >
                                        1e-6))
                     checks.fault(where,
                                  "leaves less than a millionth of the normal distribution between its bounds; move "
                                  "the bounds towards the mean, or enlarge the deviation.");
                 },
                 [&](const LognormalNumber& d) {
                   checks.positive(where + "/median", d.median, "");
                   checks.positive(where + "/dispersion", d.dispersion, "");
                 },
                 [&](const TriangularNumber& d) {
                   ascending(d.from, d.to, "from", "to");
                   if (d.from < d.to) checks.between(where + "/peak", d.peak, d.from, d.to, "");
                 },
                 [&](const DiscreteNumber& d) {
                   if (std::ranges::any_of(d.weights, [](double weight) { return !(weight >= 0.0); }) ||
                       !(std::accumulate(d.weights.begin(), d.weights.end(), 0.0) > 0.0))
                     checks.fault(where + "/weights", "must not be negative, and one of them must be greater than 0.");
                 }},
      distribution);
}

double quantile(const Distribution& distribution, double probability) {
  return std::visit(
      Overloaded{
          [&](const UniformNumber& d) { return d.from + probability * (d.to - d.from); },
          [&](const NormalNumber& d) {
            const double low = normalProbability((d.least - d.mean) / d.deviation),
                         high = normalProbability((d.most - d.mean) / d.deviation);
            const double value = d.mean + d.deviation * normalQuantile(low + probability * (high - low));
            return std::clamp(value, d.least, d.most);
          },
          [&](const LognormalNumber& d) { return d.median * std::exp(d.dispersion * normalQuantile(probability)); },
          [&](const TriangularNumber& d) {
            const double rising = (d.peak - d.from) / (d.to - d.from);
            if (probability < rising) return d.from + std::sqrt(probability * (d.to - d.from) * (d.peak - d.from));
            return d.to - std::sqrt((1.0 - probability) * (d.to - d.from) * (d.to - d.peak));
          },
          [&](const DiscreteNumber& d) {
            double left = probability * std::accumulate(d.weights.begin(), d.weights.end(), 0.0);
            for (std::size_t i = 0; i + 1 < d.weights.size(); ++i)
              if ((left -= d.weights[i]) < 0.0) return static_cast<double>(i);
            return static_cast<double>(d.weights.size() - 1);
          }},
      distribution);
}

}  // namespace hyb
