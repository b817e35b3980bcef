#include <QTest>
#include <cmath>
#include <cstring>
#include <numbers>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/fidelity/benchmark_criteria.h"
#include "core/fidelity/envelope.h"
#include "core/fidelity/measure.h"
#include "core/fidelity/record.h"
#include "core/fidelity/tracking_errors.h"
#include "core/numbers.h"
#include "tests/core/fidelity/step.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// Z sin(2 pi 8 (t - tau)), two whole seconds.
std::vector<double> sine(double amplitude, double tau_s = 0.0, double offset = 0.0) {
  std::vector<double> samples;
  for (int k = 0; k < 2000; ++k) samples.push_back(amplitude * std::sin(kTwoPi * 8.0 * (kStep_s * k - tau_s)) + offset);
  return samples;
}

std::vector<double> all(const TrackingErrors& e) {
  return {e.rms_by_max, e.rms_by_rms, e.velocity_rms_by_max, e.maximum, e.peak, e.spectral};
}

std::vector<double> all(const BenchmarkCriteria& j) {
  return {j.j1_ms, j.j2, j.j3, j.j4, j.j5, j.j6, j.j7, j.j8, j.j9};
}

}  // namespace

class FidelityErrors : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void perfectTrackingHasNoError() {
    const std::vector<double> z = sine(2e-3);
    for (const double error : all(trackingErrors(z, z, kStep_s))) QCOMPARE(error, 0.0);
  }

  /// z' = A z: every error is |1 - A| of its norm.
  void scaledMotion() {
    for (const double scale : {0.8, 1.3}) {
      const TrackingErrors e = trackingErrors(sine(2e-3), sine(scale * 2e-3), kStep_s);
      const double off = std::abs(1.0 - scale), root2 = std::numbers::sqrt2;
      compare(e.rms_by_max, off / root2 / std::sin(kTwoPi * 8.0 * 0.031), 1e-9, "RMS by max");  // the highest sample
      compare(e.rms_by_rms, off, 1e-12, "RMS by RMS");
      compare(e.velocity_rms_by_max, off / root2, 2e-3 * off, "velocity");  // rates at the ends: (w h)^2 / 3 off
      compare(e.maximum, off, 1e-12, "maximum");
      compare(e.peak, off, 1e-12, "peak");
      compare(e.spectral, off, 1e-9, "spectral");
    }
  }

  /// z' = z(t - tau) leaves 2 Z sin(w tau / 2) cos(...), and the same amplitudes.
  void delayedMotion() {
    const double tau_s = 0.003, chord = 2.0 * std::sin(0.5 * kTwoPi * 8.0 * tau_s);
    const TrackingErrors e = trackingErrors(sine(2e-3), sine(2e-3, tau_s), kStep_s);
    compare(e.rms_by_rms, chord, 1e-9, "RMS by RMS");
    compare(e.maximum, chord, 1e-3 * chord, "maximum");
    compare(e.velocity_rms_by_max, chord / std::numbers::sqrt2, 1e-3 * chord, "velocity");
    compare(e.peak, 0.0, 1e-3, "peak");
    compare(e.spectral, 0.0, 1e-9, "spectral");
  }

  void unitsAndDirectionDoNotCount() {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal(0.0, 1.0);
    std::vector<double> z(1003), x, z_mm, x_mm;
    for (double& value : z) value = normal(random);
    for (const double value : z) x.push_back(value + 0.1 * normal(random));
    for (const double value : z) z_mm.push_back(-1e3 * value);
    for (const double value : x) x_mm.push_back(-1e3 * value);
    const std::vector<double> one = all(trackingErrors(z, x, kStep_s)),
                              other = all(trackingErrors(z_mm, x_mm, kStep_s));
    for (std::size_t i = 0; i < one.size(); ++i) {
      QVERIFY(one[i] > 0.0);
      compare(other[i], one[i], 1e-12, "the same in mm and the other way round");
    }
  }

  void benchmarkCriteriaTakeTheirOwnChannels() {
    const std::vector<double> target = sine(2e-3), measured = sine(1.8e-3, 0.0, 1e-4), floor2 = sine(3.3e-3),
                              floor3 = sine(3.6e-3), r1 = sine(2.5e-3), r2 = sine(3e-3), r3 = sine(4e-3);
    const BenchmarkCriteria j = benchmarkCriteria({target, measured, floor2, floor3, {r1, r2, r3}}, kStep_s, 0.05);
    const double top = std::sin(kTwoPi * 8.0 * 0.031);  // the highest sample
    compare(j.j1_ms, 0.0, 1e-4, "J1");
    // By the rms, as the benchmark: an offset c of the measured counts with sqrt(2) c / amplitude.
    const double root2 = std::numbers::sqrt2;
    compare(j.j2, std::hypot(10.0, 5.0 * root2), 1e-9, "J2");
    compare(j.j3, 10.0 + 5.0 / top, 1e-9, "J3");
    compare(j.j4, std::hypot(28.0, 4.0 * root2), 1e-9, "J4");
    compare(j.j5, 28.0 + 4.0 / top, 1e-9, "J5");
    compare(j.j6, 10.0, 1e-9, "J6");
    compare(j.j7, 10.0, 1e-9, "J7");
    compare(j.j8, 10.0, 1e-9, "J8");
    compare(j.j9, 10.0, 1e-9, "J9");
    compare(benchmarkCriteria({target, sine(2e-3, 0.0037), {}, {}, {}}, kStep_s, 0.05).j1_ms, 3.7, 2e-3, "J1");
  }

  void envelopeAgainstBruteForce() {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal(0.0, 1.0);
    std::vector<double> gap(257);
    for (double& value : gap) value = normal(random);
    gap[40] = kNoFigure;
    for (const std::size_t window : {0u, 1u, 7u, 8u, 600u}) {
      const Envelope found = envelope(gap, window);
      for (std::size_t k = 0; k < gap.size(); ++k) {
        double low = INFINITY, high = -INFINITY;
        for (std::size_t i = k > window / 2 ? k - window / 2 : 0; i < std::min(gap.size(), k + window / 2 + 1); ++i) {
          low = std::fmin(low, gap[i]);
          high = std::fmax(high, gap[i]);
        }
        if (std::isinf(low)) {
          QVERIFY(std::isnan(found.lower[k]) && std::isnan(found.upper[k]));
          continue;
        }
        QCOMPARE(found.lower[k], low);
        QCOMPARE(found.upper[k], high);
      }
    }
    QVERIFY(envelope({}, 5).upper.empty());
  }

  void badInputIsNoFigure() {
    const std::vector<double> z = sine(1.0), rest(2000, 0.0), shorter(1999, 1.0), one = {1.0};
    std::vector<double> broken = z;
    broken[77] = kNoFigure;
    const std::vector<std::pair<std::vector<double>, std::vector<double>>> cases = {
        {z, shorter}, {z, broken}, {broken, z}, {rest, z}, {{}, {}}};
    for (const auto& [command, achieved] : cases) {
      for (const double error : all(trackingErrors(command, achieved, kStep_s))) QVERIFY(std::isnan(error));
      const BenchmarkRecord record{command, achieved, achieved, achieved, {command, command, command}};
      for (const double j : all(benchmarkCriteria(record, kStep_s))) QVERIFY(std::isnan(j));
    }
    QVERIFY(std::isnan(trackingErrors(z, z, 0.0).velocity_rms_by_max));
    QVERIFY(std::isnan(velocityErrorByMax(one, one, kStep_s)));
    QCOMPARE(rmsErrorByMax(one, one), 0.0);
  }

  void everyMeasureSaysWhatItIs() {
    std::set<std::string> names;
    for (const Measure& measure : measures()) {
      QVERIFY2(names.insert(measure.name).second, measure.name);
      QCOMPARE(findMeasure(measure.name), &measure);
      for (const char* sentence : {measure.says, measure.cannot})
        QVERIFY2(std::strlen(sentence) > 20 && std::string(sentence).back() == '.', measure.name);
      QVERIFY2(std::string(measure.cannot).starts_with("It "), measure.name);
    }
    QVERIFY(names.size() >= 30);
    QVERIFY(findMeasure("no such measure") == nullptr);
  }
};

HYB_SUITE(fidelity_errors, FidelityErrors)
#include "errors_test.moc"
