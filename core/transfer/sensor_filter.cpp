#include "core/transfer/sensor_filter.h"

#include <numbers>

#include "core/base/json.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"

namespace hyb {

std::vector<LowPassSpec> parseLowPasses(const Json& list) {
  std::vector<LowPassSpec> filters;
  for (const Json& entry : list) {
    LowPassSpec& filter = filters.emplace_back();
    read(entry, "cutoff_hz", filter.cutoff_hz);
    read(entry, "order", filter.order);
  }
  return filters;
}

void checkLowPasses(Checks& checks, const std::vector<LowPassSpec>& filters) {
  for (std::size_t f = 0; f < filters.size(); ++f) {
    checks.positive("/" + std::to_string(f) + "/cutoff_hz", filters[f].cutoff_hz, "Hz");
    if (filters[f].order != 1 && filters[f].order != 2)
      checks.fault("/" + std::to_string(f) + "/order",
                   "is " + std::to_string(filters[f].order) + "; give 1 or 2, and add filters for a higher order");
  }
}

std::complex<double> response(const std::vector<LowPassSpec>& filters, double angular) {
  std::complex<double> whole = 1.0;
  for (const LowPassSpec& filter : filters) {
    const std::complex<double> z(0.0, angular / (kTwoPi * filter.cutoff_hz));
    whole /= filter.order == 1 ? 1.0 + z : 1.0 + std::numbers::sqrt2 * z + z * z;
  }
  return whole;
}

// x' = A x + B u, with u and its slope as additional states.
SensorFilter::SensorFilter(const std::vector<LowPassSpec>& filters, double step_s) {
  for (const LowPassSpec& filter : filters) {
    const double w = kTwoPi * filter.cutoff_hz * step_s;  // per tick
    const bool two = filter.order == 2;
    Eigen::Matrix4d rates = Eigen::Matrix4d::Zero();  // [x, x'/w, u, slope]
    if (two) {
      rates(0, 1) = w;
      rates(1, 0) = -w;
      rates(1, 1) = -std::numbers::sqrt2 * w;
      rates(1, 2) = w;
    } else {
      rates(0, 0) = -w;
      rates(0, 2) = w;
    }
    rates(2, 3) = 1.0;
    const Eigen::MatrixXd over = linalg::exponential(rates);
    Stage& stage = stages_.emplace_back();
    stage.order = filter.order;
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 2; ++c) stage.a[r][c] = over(r, c);
      stage.from[r] = over(r, 2) - over(r, 3);
      stage.to[r] = over(r, 3);
    }
  }
  reset();
}

void SensorFilter::reset() noexcept {
  for (Stage& stage : stages_) stage.x[0] = stage.x[1] = 0.0;
}

double SensorFilter::push(double from, double to) noexcept {
  for (Stage& s : stages_) {
    const double before = s.x[0];
    s.x[0] = s.a[0][0] * before + s.a[0][1] * s.x[1] + s.from[0] * from + s.to[0] * to;
    s.x[1] = s.a[1][0] * before + s.a[1][1] * s.x[1] + s.from[1] * from + s.to[1] * to;
    from = before;
    to = s.x[0];
  }
  return to;
}

}  // namespace hyb
