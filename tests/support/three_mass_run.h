#pragma once
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/compensation/adaptive_forward_prediction.h"
#include "core/coupling/tracking.h"
#include "core/loop/loop.h"
#include "core/rig/twin.h"
#include "tests/support/actuators.h"
#include "tests/support/three_mass.h"
#include "tests/support/values.h"

namespace hyb::test {

/// One free run of the three-mass test of Wallace 2005 without the project file: defaults of the note's section 6.
struct ThreeMassSetup {
  enum class Method { none, fixed, adaptive };
  double rate_hz = 1000.0;
  double duration_s = 20.0;
  double soft_start_s = 2.0, soft_end_s = 0.0;
  Scheme scheme = Scheme::newmark;
  TwinParams twin;
  Method method = Method::none;
  AdaptiveForwardPredictionParams params;
  std::shared_ptr<const Signal> walls = makeSine({0.002, 8.0, 0.0});
  double second_wall = -1.0;  // factor of wall 2: -1 opposite, +1 in phase
  ForceSource force_source = ForceSource::measured;
  double measured_from_s = -1.0;

  ThreeMassSetup() {
    twin.actuators = {servoActuator(28.0), servoActuator(26.6)};
    setPrediction(8, 2, 6.0, 6.0);
  }
  void setPrediction(int points, int order, double ticks_1, double ticks_2) {
    params.prediction.points = points;
    params.prediction.order = order;
    params.prediction.prediction_ticks = Eigen::Vector2d(ticks_1, ticks_2);
    params.prediction.gain = Eigen::Vector2d::Ones();
    params.prediction.max_prediction_ticks = 20.0;
  }
  void setNoise() {  // W-16
    twin.displacement_sensor = {1e-5, 0.01, 16};
    twin.force_sensor = {0.075, 100.0, 16};
    params.noise_rms_m = 1e-5;
    params.dead_band_m = 6e-5;
  }
  double step() const { return 1.0 / rate_hz; }

  std::unique_ptr<Loop> build(std::vector<Limit> limits = {}) const {
    const Partition partition = cut(threeMass(), threeMassPartition());
    std::unique_ptr<Rig> rig = makeTwin(partition, twin, step());
    rig_ = rig.get();
    std::unique_ptr<Compensator> compensator = method == Method::none ? makeNoCompensator()
                                               : method == Method::fixed
                                                   ? makeForwardPrediction(params.prediction, step())
                                                   : makeAdaptiveForwardPrediction(params, step());
    Excitation excitation({{"walls", "m", walls}},
                          {{0, LoadTarget::support_motion, 0, 1.0}, {0, LoadTarget::support_motion, 1, second_wall}}, 2,
                          3);
    LoopConfig config;
    config.rate_hz = rate_hz;
    config.duration_s = duration_s;
    config.soft_start_s = soft_start_s;
    config.soft_end_s = soft_end_s;
    config.force_source = force_source;
    config.measured_from_s = measured_from_s;
    return std::make_unique<Loop>(config, std::move(rig),
                                  makeTracking(partition, {.scheme = scheme}, step(), std::move(compensator)),
                                  std::move(excitation), std::move(limits));
  }
  const Rig& rig() const { return *rig_; }

 private:
  mutable const Rig* rig_ = nullptr;  // of the loop built last
};

/// All rows while the excitation ran, column by column, and the true displacement before the sensors.
struct Record {
  RowLayout layout;
  double step_s;
  std::vector<std::vector<double>> columns;
  std::vector<std::vector<double>> true_measured;  // [i][row]
  EndReason reason = EndReason::running;

  std::size_t rows() const { return columns[0].size(); }
  std::size_t at(double t_s) const { return static_cast<std::size_t>(std::llround(t_s / step_s)); }
  std::vector<double> slice(const std::vector<double>& column, double from_s, double to_s) const {
    return {column.begin() + static_cast<std::ptrdiff_t>(std::min(at(from_s), rows())),
            column.begin() + static_cast<std::ptrdiff_t>(std::min(at(to_s) + 1, rows()))};
  }
  std::vector<double> target(int i, double from_s = 0.0, double to_s = 1e6) const {
    return slice(columns[layout.target(static_cast<std::size_t>(i))], from_s, to_s);
  }
  std::vector<double> measured(int i, double from_s = 0.0, double to_s = 1e6) const {
    return slice(columns[layout.measured(static_cast<std::size_t>(i))], from_s, to_s);
  }
  std::vector<double> trueMeasured(int i, double from_s = 0.0, double to_s = 1e6) const {
    return slice(true_measured[static_cast<std::size_t>(i)], from_s, to_s);
  }
  std::vector<double> reference(int i, double from_s = 0.0, double to_s = 1e6) const {
    return slice(columns[layout.reference(static_cast<std::size_t>(i))], from_s, to_s);
  }
  /// prediction_1, prediction_2 (ticks) or gain_1, gain_2 by name.
  std::vector<double> adapted(const std::string& name, double from_s = 0.0, double to_s = 1e6) const {
    for (std::size_t a = 0; a < layout.adapted().size(); ++a)
      if (layout.adapted()[a].name == name) return slice(columns[layout.adaptedColumn(a)], from_s, to_s);
    return {};
  }
};

inline Record runFree(const ThreeMassSetup& setup) {
  const std::unique_ptr<Loop> loop = setup.build();
  RowRing ring(loop->layout().width(), 16);
  loop->attachDisplay(&ring, nullptr);
  loop->arm();
  loop->post({Request::Kind::start, -1, 0.0, {}});
  Record record{loop->layout(), setup.step(), std::vector<std::vector<double>>(loop->layout().width()),
                std::vector<std::vector<double>>(2), EndReason::running};
  const auto rows = static_cast<std::size_t>(setup.duration_s * setup.rate_hz) + 1;
  std::vector<double> row;
  while (record.rows() < rows && loop->tick(1)) {
    if (ring.pop(row, 1) == 0) continue;
    for (std::size_t c = 0; c < row.size(); ++c) record.columns[c].push_back(row[c]);
    const RigState* truth = trueState(setup.rig());
    for (std::size_t i = 0; i < 2; ++i)
      record.true_measured[i].push_back(truth->measured[static_cast<Eigen::Index>(i)]);
  }
  record.reason = loop->endReason();
  return record;
}

/// a - b.
inline std::vector<double> difference(std::vector<double> a, const std::vector<double>& b) {
  for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
  return a;
}

struct Growth {
  double rate;  // 1/s
  double frequency_hz;
};

/// Dominant free oscillation e^{st} in a noise-free record, by linear prediction of order 2 on every `stride`-th
/// sample, after a notch has removed a steady tone at `tone_hz` exactly (0: none).
inline Growth fitGrowth(const std::vector<double>& samples, double step_s, double tone_hz, std::size_t stride) {
  const double step = step_s * static_cast<double>(stride);
  std::vector<double> y;
  for (std::size_t k = 0; k < samples.size(); k += stride) y.push_back(samples[k]);
  if (tone_hz > 0.0) {
    const double notch = 2.0 * std::cos(2.0 * M_PI * tone_hz * step);
    std::vector<double> z;
    for (std::size_t k = 2; k < y.size(); ++k) z.push_back(y[k] - notch * y[k - 1] + y[k - 2]);
    y = std::move(z);
  }
  double s11 = 0, s12 = 0, s22 = 0, b1 = 0, b2 = 0;
  for (std::size_t k = 2; k < y.size(); ++k) {
    s11 += y[k - 1] * y[k - 1];
    s12 += y[k - 1] * y[k - 2];
    s22 += y[k - 2] * y[k - 2];
    b1 += y[k] * y[k - 1];
    b2 += y[k] * y[k - 2];
  }
  const double det = s11 * s22 - s12 * s12;
  const double a1 = (b1 * s22 - b2 * s12) / det, a2 = (b2 * s11 - b1 * s12) / det;  // y_k = a1 y_{k-1} + a2 y_{k-2}
  return {std::log(-a2) / (2.0 * step), std::acos(a1 / (2.0 * std::sqrt(-a2))) / (2.0 * M_PI * step)};
}

/// A short smooth push of the walls from t = 0, then nothing: sets the coupled loop ringing.
inline std::shared_ptr<const Signal> kick(double amplitude_m = 1e-3, double length_s = 0.05) {
  const double step = length_s / 200.0;
  std::vector<double> value, rate;
  for (int k = 0; k <= 200; ++k) {
    const double phase = 2.0 * M_PI * k / 200.0;
    value.push_back(0.5 * amplitude_m * (1.0 - std::cos(phase)));
    rate.push_back(0.5 * amplitude_m * std::sin(phase) * 2.0 * M_PI / length_s);
  }
  return makeSampled(step, value, rate);
}

}  // namespace hyb::test
