#include <QTest>
#include <cmath>
#include <cstring>
#include <numbers>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/measure.h"
#include "core/fidelity/reading.h"
#include "core/fidelity/record.h"
#include "core/fidelity/tracking_errors.h"
#include "tests/core/fidelity/step.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Z sin(2 pi 8 (t - tau)), two whole seconds.
std::vector<double> sine(double amplitude, double tau_s = 0.0, double offset = 0.0) {
  std::vector<double> samples;
  for (int k = 0; k < 2000; ++k)
    samples.push_back(amplitude * std::sin(kTwoPi * 8.0 * (kSignalStep_s * k - tau_s)) + offset);
  return samples;
}

/// The figure that the catalogue has under this name; none where it does not apply.
std::optional<double> figureOf(const char* name, const InterfaceSignals& signals) {
  InterfaceReading reading(
      signals,
      InterfaceReading::Sums{compared(signals.target, signals.measured), compared(signals.reference, signals.measured)},
      kSignalStep_s, 0.0);
  return findMeasure(name)->of_interface(reading);
}

constexpr const char* kTrackingErrors[] = {"rms_by_max", "rms_by_rms", "velocity_rms_by_max",
                                           "maximum",    "peak",       "spectral"};
constexpr const char* kBenchmarkCriteria[] = {"delay_ms",
                                              "tracking_nrmse_percent",
                                              "tracking_peak_percent",
                                              "reference_nrmse_percent",
                                              "reference_peak_percent",
                                              "j6",
                                              "j7",
                                              "j8",
                                              "j9"};

}  // namespace

class FidelityErrors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void perfectTrackingHasNoError() {
    const std::vector<double> z = sine(2e-3);
    for (const char* name : kTrackingErrors) QCOMPARE(figureOf(name, {z, z, {}, {}, {}}).value(), 0.0);
  }

  /// z' = A z: every error is |1 - A| of its norm.
  void scaledMotion() {
    const std::vector<double> z = sine(2e-3);
    for (const double scale : {0.8, 1.3}) {
      const std::vector<double> x = sine(scale * 2e-3);
      const auto error = [&](const char* name) { return figureOf(name, {z, x, {}, {}, {}}).value(); };
      const double off = std::abs(1.0 - scale), root2 = std::numbers::sqrt2;
      // The highest sample.
      compare(error("rms_by_max"), off / root2 / std::sin(kTwoPi * 8.0 * 0.031), 1e-9, "RMS by max");
      compare(error("rms_by_rms"), off, 1e-12, "RMS by RMS");
      // Rates at the ends: (w h)^2 / 3 off.
      compare(error("velocity_rms_by_max"), off / root2, 2e-3 * off, "velocity");
      compare(error("maximum"), off, 1e-12, "maximum");
      compare(error("peak"), off, 1e-12, "peak");
      compare(error("spectral"), off, 1e-9, "spectral");
    }
  }

  /// z' = z(t - tau) leaves 2 Z sin(w tau / 2) cos(...), and the same amplitudes.
  void delayedMotion() {
    const double tau_s = 0.003, chord = 2.0 * std::sin(0.5 * kTwoPi * 8.0 * tau_s);
    const std::vector<double> z = sine(2e-3), x = sine(2e-3, tau_s);
    const auto error = [&](const char* name) { return figureOf(name, {z, x, {}, {}, {}}).value(); };
    compare(error("rms_by_rms"), chord, 1e-9, "RMS by RMS");
    compare(error("maximum"), chord, 1e-3 * chord, "maximum");
    compare(error("velocity_rms_by_max"), chord / std::numbers::sqrt2, 1e-3 * chord, "velocity");
    compare(error("peak"), 0.0, 1e-3, "peak");
    compare(error("spectral"), 0.0, 1e-9, "spectral");
  }

  void unitsAndDirectionDoNotCount() {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal(0.0, 1.0);
    std::vector<double> z(1003), x, z_mm, x_mm;
    for (double& value : z) value = normal(random);
    for (const double value : z) x.push_back(value + 0.1 * normal(random));
    for (const double value : z) z_mm.push_back(-1e3 * value);
    for (const double value : x) x_mm.push_back(-1e3 * value);
    for (const char* name : kTrackingErrors) {
      const double one = figureOf(name, {z, x, {}, {}, {}}).value();
      QVERIFY2(one > 0.0, name);
      compare(figureOf(name, {z_mm, x_mm, {}, {}, {}}).value(), one, 1e-12, "the same in mm and the other way round");
    }
  }

  /// The criteria of Silva et al. 2020.
  void benchmarkCriteriaTakeTheirOwnChannels() {
    const std::vector<double> target = sine(2e-3), measured = sine(1.8e-3, 0.0, 1e-4),
                              floor2 = sine(3.3e-3, 0.0, 1.5e-4), floor3 = sine(3.2e-3, 0.0, 4e-4), r1 = sine(2.5e-3),
                              r2 = sine(3e-3), r3 = sine(4e-3);
    const InterfaceSignals signals{target, measured, r1, {floor2, floor3}, {r2, r3}};
    const double top = std::sin(kTwoPi * 8.0 * 0.031);  // the highest sample
    // By the rms, as the benchmark: an offset c of the measured counts with sqrt(2) c / amplitude.
    const double root2 = std::numbers::sqrt2;
    const double expected[] = {0.0,
                               std::hypot(10.0, 5.0 * root2),
                               10.0 + 5.0 / top,
                               std::hypot(28.0, 4.0 * root2),
                               28.0 + 4.0 / top,
                               std::hypot(10.0, 5.0 * root2),
                               std::hypot(20.0, 10.0 * root2),
                               10.0 + 5.0 / top,
                               20.0 + 10.0 / top};
    for (std::size_t j = 0; j < std::size(kBenchmarkCriteria); ++j)
      compare(figureOf(kBenchmarkCriteria[j], signals).value(), expected[j], j == 0 ? 1e-4 : 1e-9,
              kBenchmarkCriteria[j]);
    const std::vector<double> late = sine(2e-3, 0.0037);
    compare(figureOf("delay_ms", {target, late, {}, {}, {}}).value(), 3.7, 2e-3, "J1");
    for (std::size_t j = 3; j < std::size(kBenchmarkCriteria); ++j)  // of a structure that is not known
      QVERIFY2(!figureOf(kBenchmarkCriteria[j], {target, late, {}, {}, {}}), kBenchmarkCriteria[j]);
  }

  void badInputIsNoFigure() {
    const std::vector<double> z = sine(1.0), rest(2000, 0.0), shorter(1999, 1.0), one = {1.0};
    std::vector<double> broken = z;
    broken[77] = kNoValue;
    for (const auto& [wanted, achieved] : {std::pair{z, broken}, {broken, z}, {rest, z}}) {
      const InterfaceSignals signals{wanted, achieved, wanted, {achieved, achieved}, {wanted, wanted}};
      for (const char* name : kTrackingErrors) QVERIFY2(std::isnan(figureOf(name, signals).value()), name);
      for (const char* name : kBenchmarkCriteria) QVERIFY2(std::isnan(figureOf(name, signals).value()), name);
    }
    for (const char* name : kTrackingErrors) QVERIFY2(std::isnan(figureOf(name, {}).value()), name);
    InterfaceSignals lost{z, z, {}, {}, {}};
    lost.floors_lost = true;
    QVERIFY(std::isnan(figureOf("j6", lost).value()));
    QVERIFY(std::isnan(rmsErrorByMax(z, shorter)) && std::isnan(rmsErrorByRms(z, shorter)));
    QVERIFY(std::isnan(velocityErrorByMax(z, shorter, kSignalStep_s)) && std::isnan(velocityErrorByMax(z, z, 0.0)));
    QVERIFY(std::isnan(velocityErrorByMax(one, one, kSignalStep_s)));
    QCOMPARE(rmsErrorByMax(one, one), 0.0);
  }

  void everyMeasureSaysWhatItIs() {
    std::set<std::string> names;
    for (const Measure& measure : measures()) {
      QVERIFY2(names.insert(measure.name).second, measure.name);
      QCOMPARE(findMeasure(measure.name), &measure);
      for (const char* sentence : {measure.says, measure.cannot})
        QVERIFY2(std::strlen(sentence) > 20 && std::string(sentence).back() == '.', measure.name);
    }
    QVERIFY(names.size() >= 30);
    QVERIFY(findMeasure("no such measure") == nullptr);
  }
};

HYB_SUITE(fidelity_errors, FidelityErrors)
#include "errors_test.moc"
