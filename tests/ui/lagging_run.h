#pragma once
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "ui/plot/run_curves.h"

namespace hyb::ui::testing {

inline constexpr double kRate_hz = 1000.0, kFrequency_hz = 8.0, kAmplitude_m = 0.002;

inline RowLayout layoutOfTwo() {
  return RowLayout(2, {{"excitation_1", "m", "walls", 0}}, true, {{"prediction_1", "ticks", ""}, {"gain_1", "", ""}});
}

/// x lags z by delay_s with this amplitude ratio.
inline std::shared_ptr<RunHistory> lagging(double seconds, double ratio, double delay_s) {
  const RowLayout layout = layoutOfTwo();
  auto run = std::make_shared<RunHistory>(layout, kRate_hz, static_cast<std::size_t>(60.0 * kRate_hz));
  std::vector<double> row(layout.width(), 0.0);
  const double w = 2.0 * std::numbers::pi * kFrequency_hz;
  for (int k = 0; k < static_cast<int>(seconds * kRate_hz); ++k) {
    const double t = k / kRate_hz;
    row[RowLayout::kTick] = k;
    row[RowLayout::kTime] = t;
    row[RowLayout::kWakeLate] = 5000.0 + 100.0 * (k % 50);
    row[RowLayout::kCompute] = 1500.0;
    for (std::size_t i = 0; i < 2; ++i) {
      row[layout.target(i)] = row[layout.command(i)] = kAmplitude_m * std::sin(w * t);
      row[layout.measured(i)] = ratio * kAmplitude_m * std::sin(w * (t - delay_s));
      row[layout.gap(i)] = row[layout.measured(i)] - row[layout.target(i)];
      row[layout.velocity(i)] = ratio * kAmplitude_m * w * std::cos(w * (t - delay_s));
      row[layout.force(i)] = -50.0 * std::sin(w * (t - delay_s));
    }
    row[layout.adaptedColumn(0)] = 6.0 + std::floor(t);
    row[layout.adaptedColumn(1)] = 1.0;
    run->append(row);
  }
  return run;
}

}  // namespace hyb::ui::testing
