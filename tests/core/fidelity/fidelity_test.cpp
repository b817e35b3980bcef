#include <QTest>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/allocation_guard.h"
#include "core/base/numbers.h"
#include "core/fidelity/synchronisation.h"
#include "core/fidelity/tracking_measures.h"
#include "tests/core/fidelity/step.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

struct Pair {
  std::vector<double> target, measured;
};

/// z = Z sin(w t) + offset, x = A z(t - tau) + offset, with noise on x.
Pair sines(double frequency_hz, double ratio, double tau_s, std::size_t samples, double noise = 0.0) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0.0, 1.0);
  Pair pair;
  for (std::size_t k = 0; k < samples; ++k) {
    const double angle = 2.0 * kPi * frequency_hz * kSignalStep_s * static_cast<double>(k) + 0.3;
    pair.target.push_back(2e-3 * std::sin(angle) + 4e-4);
    pair.measured.push_back(2e-3 * ratio * std::sin(angle - 2.0 * kPi * frequency_hz * tau_s) - 1e-4 +
                            noise * normal(random));
  }
  return pair;
}

/// Sum of sines without common period; tau by exact shift.
Pair broadband(double ratio, double tau_s, std::size_t samples) {
  Pair pair;
  const auto value = [](double t) {
    double sum = 0.0;
    for (int j = 1; j <= 9; ++j) sum += std::sin(2.0 * kPi * 0.73 * j * std::sqrt(j) * t + j * j) / j;
    return 1e-3 * sum;
  };
  for (std::size_t k = 0; k < samples; ++k) {
    const double t = kSignalStep_s * static_cast<double>(k);
    pair.target.push_back(value(t));
    pair.measured.push_back(ratio * value(t - tau_s));
  }
  return pair;
}

bool near(double actual, double expected, double tolerance) { return std::abs(actual - expected) <= tolerance; }

}  // namespace

class FidelityTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ellipseOfSines_data() {
    QTest::addColumn<double>("frequency_hz");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<double>("tau_s");
    QTest::addColumn<int>("samples");
    QTest::newRow("lag") << 8.0 << 0.9 << 0.002 << 500;
    QTest::newRow("lead, part of a period") << 8.0 << 1.1 << -0.003 << 430;
    QTest::newRow("small") << 12.5 << 1.0 << 1e-5 << 800;
    QTest::newRow("quarter period and more") << 10.0 << 0.8 << 0.03 << 1000;
    QTest::newRow("slow") << 1.0 << 0.95 << 0.01 << 1700;
  }
  void ellipseOfSines() {
    QFETCH(double, frequency_hz);
    QFETCH(double, ratio);
    QFETCH(double, tau_s);
    QFETCH(int, samples);
    const Pair pair = sines(frequency_hz, ratio, tau_s, static_cast<std::size_t>(samples));
    const double phase = 2.0 * kPi * frequency_hz * tau_s;
    const double area = kPi * 4e-6 * ratio * std::sin(phase);
    for (const double known_hz : {frequency_hz, 0.0}) {
      const Synchronisation read = synchronisation(pair.target, pair.measured, kSignalStep_s, known_hz);
      // With the frequency known the fit is exact. Else the effective frequency of a window that is no whole number of
      // periods is off by at most 1 / (2 pi periods^2), which these windows keep below 5 %.
      const double loose = known_hz > 0.0 ? 1e-9 : 0.05;
      QVERIFY(read.valid);
      QVERIFY2(near(read.amplitude_ratio, ratio, loose * ratio), qPrintable(QString::number(read.amplitude_ratio)));
      QVERIFY2(near(read.delay_s, tau_s, loose * std::abs(tau_s) + 1e-12), qPrintable(QString::number(read.delay_s)));
      QVERIFY2(near(read.area, area, loose * 4e-6), qPrintable(QString::number(read.area)));
      if (known_hz > 0.0) {
        QVERIFY(near(read.slope, ratio * std::cos(phase), 1e-9));
        const double axis = 0.5 * std::atan2(2.0 * ratio * std::cos(phase), 1.0 - ratio * ratio) * 180.0 / kPi;
        QVERIFY(near(read.axis_deg, axis, 1e-6));
      }
    }
  }

  void delayOfBroadbandMotion() {
    const Pair pair = broadband(0.97, 0.0015, 20000);
    const Synchronisation read = synchronisation(pair.target, pair.measured, kSignalStep_s, 0.0);
    QVERIFY(read.valid);
    QVERIFY(near(read.delay_s, 0.0015, 1e-5));  // the regression drops (w tau)^2 / 6, w tau up to 0.2 here
    QVERIFY(near(read.amplitude_ratio, 0.97, 0.005));
    QVERIFY(read.area > 0.0);
    const Pair lead = broadband(0.97, -0.0015, 20000);
    QVERIFY(synchronisation(lead.target, lead.measured, kSignalStep_s, 0.0).area < 0.0);
  }

  void saysWhenThereIsNothingToRead() {
    const std::vector<double> rest(500, 1e-3);
    const Pair pair = sines(8.0, 1.0, 0.0, 500);
    for (const double f : {0.0, 8.0}) {
      QVERIFY(!synchronisation(rest, pair.measured, kSignalStep_s, f).valid);
      QVERIFY(!synchronisation(pair.target, rest, kSignalStep_s, f).valid);
      QVERIFY(!synchronisation(rest, rest, kSignalStep_s, f).valid);
      QVERIFY(!synchronisation({}, {}, kSignalStep_s, f).valid);
    }
    QVERIFY(!synchronisation(pair.target, pair.measured, kSignalStep_s, 0.5).valid);   // a quarter of a period
    QVERIFY(!synchronisation(pair.target, pair.measured, kSignalStep_s, 20.0).valid);  // not its frequency
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal(0.0, 1e-3);
    std::vector<double> noise(500);
    for (double& value : noise) value = normal(random);
    QVERIFY(!synchronisation(pair.target, noise, kSignalStep_s, 0.0).valid);
  }

  void readingAllocatesNothing() {
    const Pair pair = sines(8.0, 0.9, 0.002, 500);
    const AllocationGuard guard;
    for (const double f : {0.0, 8.0}) static_cast<void>(synchronisation(pair.target, pair.measured, kSignalStep_s, f));
    if (AllocationGuard::active()) QCOMPARE(guard.count(), 0u);
  }

  void trackingMeasures() {
    const std::vector<double> a = {0.0, 3.0, 0.0, -4.0}, b = {1.0, 3.0, 0.0, -4.0}, zero(4, 0.0);
    QVERIFY(near(nrmsePercent(a, b), 20.0, 1e-12));  // 100 * 1 / 5
    QVERIFY(near(peakPercent(a, b), 25.0, 1e-12));
    QCOMPARE(nrmsePercent(a, a), 0.0);
    QVERIFY(std::isnan(nrmsePercent(zero, b)) && std::isnan(peakPercent(zero, b)));
  }

  void delayByCorrelationFindsPartsOfASample_data() {
    QTest::addColumn<double>("tau_s");
    for (const double tau_s : {0.0, 2e-4, 5e-4, 0.0037, -0.0112, 0.0249})
      QTest::newRow(qPrintable(QString::number(tau_s))) << tau_s;
  }
  void delayByCorrelationFindsPartsOfASample() {
    QFETCH(double, tau_s);
    // The parabola through three points of a cosine is off by q^2 / 12 of a sample at most, q = 0.05 rad here.
    const Pair sine = sines(8.0, 0.9, tau_s, 4321);
    const double found_s = delayByCorrelation(sine.target, sine.measured, kSignalStep_s, 0.05);
    QVERIFY2(near(found_s, tau_s, 2e-6), qPrintable(QString::number(found_s, 'g', 10)));
    const Pair noisy = sines(8.0, 0.9, tau_s, 4321, 1e-5);
    QVERIFY(near(delayByCorrelation(noisy.target, noisy.measured, kSignalStep_s, 0.05), tau_s, 2e-5));  // J1 to 0.02 ms
    const Pair wide = broadband(1.0, tau_s, 20000);
    QVERIFY(near(delayByCorrelation(wide.target, wide.measured, kSignalStep_s, 0.05), tau_s, 2e-5));
  }

  void correlationNeedsMotionAndTime() {
    const Pair sine = sines(8.0, 1.0, 0.0, 500);
    QVERIFY(std::isnan(delayByCorrelation(std::vector<double>(500, 1.0), sine.measured, kSignalStep_s, 0.05)));
    QVERIFY(std::isnan(delayByCorrelation(sine.target, std::vector<double>(500, 0.0), kSignalStep_s, 0.05)));
    QVERIFY(std::isnan(delayByCorrelation(sine.target, sine.measured, kSignalStep_s, 0.5)));
    QVERIFY(std::isnan(delayByCorrelation({}, {}, kSignalStep_s, 0.05)));
  }

  void harmonicReadingHasItsSign() {
    const Pair pair = sines(8.0, 0.9, 0.002, 777, 1e-5);
    const HarmonicReading read = harmonicReading(pair.target, pair.measured, kSignalStep_s, 8.0);
    QVERIFY(near(read.amplitude_ratio, 0.9, 1e-3));  // noise: 1e-5 / 2e-3 * sqrt(2 / 777)
    QVERIFY(near(read.phase_deg, -360.0 * 8.0 * 0.002, 0.05));
    QVERIFY(
        std::isnan(harmonicReading(std::vector<double>(777, 0.0), pair.measured, kSignalStep_s, 8.0).amplitude_ratio));
  }
};

HYB_SUITE(fidelity, FidelityTest)
#include "fidelity_test.moc"
