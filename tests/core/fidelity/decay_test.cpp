#include <QTest>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/decay.h"
#include "core/fidelity/decaying_sine.h"
#include "core/fidelity/record.h"
#include "tests/core/fidelity/step.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

std::vector<double> ringing(double offset, double amplitude, double decay_per_s, double frequency_hz, double phase_deg,
                            int samples, double noise = 0.0) {
  std::mt19937_64 random(13);
  std::normal_distribution<double> normal(0.0, 1.0);
  std::vector<double> record;
  for (int k = 0; k < samples; ++k) {
    const double t = kSignalStep_s * k;
    record.push_back(offset + noise * normal(random) +
                     amplitude * std::exp(-decay_per_s * t) *
                         std::cos(2.0 * kPi * frequency_hz * t + phase_deg * kPi / 180.0));
  }
  return record;
}

}  // namespace

class FidelityDecay : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void extremesOfACosine() {
    const std::vector<Extreme> found = extremes(ringing(1.0, 2.0, 0.0, 5.0, 30.0, 1000), kSignalStep_s, 0.1);
    QCOMPARE(found.size(), std::size_t{10});
    for (std::size_t k = 0; k < found.size(); ++k) {
      compare(found[k].time_s, 0.1 * static_cast<double>(k + 1) - 30.0 / 360.0 * 0.2, 1e-6, "time, s");
      compare(found[k].value, k % 2 == 0 ? -1.0 : 3.0, 1e-6, "value");
    }
  }

  void noiseMakesNoExtremes() {
    const std::vector<double> record = ringing(1.0, 2.0, 0.0, 5.0, 30.0, 1000, 0.02);
    QCOMPARE(extremes(record, kSignalStep_s, 0.3).size(), std::size_t{10});
    QVERIFY(extremes(record, kSignalStep_s, 0.0).size() > 100);
  }

  void decayOfAnOscillator_data() {
    QTest::addColumn<double>("decay_per_s");
    QTest::addColumn<double>("frequency_hz");
    QTest::newRow("spring case of the thesis") << 10.395 << 8.526;
    QTest::newRow("lightly damped") << 0.4 << 3.1;
    QTest::newRow("none") << 0.0 << 6.0;
    QTest::newRow("grows") << -1.5 << 5.6;
  }
  void decayOfAnOscillator() {
    QFETCH(double, decay_per_s);
    QFETCH(double, frequency_hz);
    const std::vector<double> record = ringing(-3.3e-3, 3.3e-3, decay_per_s, frequency_hz, 20.0, 3000);
    for (const std::optional<double>& rest : {std::optional<double>(-3.3e-3), std::optional<double>()}) {
      const std::optional<DecayFit> fit = fitDecay(record, kSignalStep_s, rest);
      QVERIFY(fit.has_value());
      // The parabola through a turning point is off by (w h)^4 of its height; turning points lag alike, so that only
      // their spacing and ratio count.
      compare(fit->decay_per_s, decay_per_s, 2e-4 * std::max(1.0, std::abs(decay_per_s)), "decay, 1/s");
      compare(fit->frequency_hz, frequency_hz, 1e-4 * frequency_hz, "frequency, Hz");
      compare(fit->damping_ratio, decay_per_s / std::hypot(decay_per_s, 2.0 * kPi * frequency_hz), 1e-5, "ratio");
      QVERIFY(fit->scatter < 1e-4 && fit->used >= 5 && fit->used <= 10);
    }
  }

  void unitDoesNotCount() {
    const std::vector<double> metres = ringing(0.1, 3e-3, 2.0, 6.0, 0.0, 2000);
    std::vector<double> millimetres;
    for (const double value : metres) millimetres.push_back(-1e3 * value);
    compare(fitDecay(millimetres, kSignalStep_s)->decay_per_s, fitDecay(metres, kSignalStep_s)->decay_per_s, 1e-9,
            "decay, 1/s");
    compare(fitDecayingSine(millimetres, kSignalStep_s)->frequency_hz,
            fitDecayingSine(metres, kSignalStep_s)->frequency_hz, 1e-9, "frequency, Hz");
  }

  /// Without noise the fit is exact, also where a spectrum sees a single bin.
  void decayingSineIsExact_data() {
    QTest::addColumn<double>("decay_per_s");
    QTest::addColumn<double>("frequency_hz");
    QTest::addColumn<int>("samples");
    QTest::newRow("contact of 1.5 s") << 2.6 << 6.995 << 1500;
    QTest::newRow("one period") << 5.0 << 7.0 << 143;
    QTest::newRow("half a period") << 2.0 << 5.0 << 100;
    QTest::newRow("two hundred periods") << 0.3 << 51.3 << 4000;
    QTest::newRow("fast") << 20.0 << 180.0 << 600;
    QTest::newRow("grows") << -1.2 << 5.6 << 900;
    QTest::newRow("few samples") << 30.0 << 90.0 << 12;
  }
  void decayingSineIsExact() {
    QFETCH(double, decay_per_s);
    QFETCH(double, frequency_hz);
    QFETCH(int, samples);
    const std::vector<double> record = ringing(-12.7e-3, 2e-3, decay_per_s, frequency_hz, 40.0, samples);
    const std::optional<DecayingSine> fit = fitDecayingSine(record, kSignalStep_s);
    QVERIFY(fit.has_value());
    compare(fit->frequency_hz, frequency_hz, 1e-6 * frequency_hz, "frequency, Hz");
    compare(fit->decay_per_s, decay_per_s, 1e-4, "decay, 1/s");
    compare(fit->amplitude, 2e-3, 1e-8, "amplitude, m");
    compare(fit->offset, -12.7e-3, 1e-8, "offset, m");
    compare(fit->phase_deg, 40.0, 1e-3, "phase, deg");
    compare(fit->explained, 1.0, 1e-9, "explained");
    for (int k = 0; k < samples; k += 11)
      compare(fit->at(kSignalStep_s * k), record[static_cast<std::size_t>(k)], 1e-8, "value, m");
  }

  /// With noise it stays near the bound of Cramer and Rao: 1 % of noise over ten periods.
  void decayingSineUnderNoise() {
    const double noise = 2e-5;
    const DecayingSine fit = fitDecayingSine(ringing(1e-3, 2e-3, 2.0, 6.9, 10.0, 1500, noise), kSignalStep_s).value();
    compare(fit.frequency_hz, 6.9, 0.01, "frequency, Hz");
    compare(fit.decay_per_s, 2.0, 0.05, "decay, 1/s");
    compare(fit.amplitude, 2e-3, 2e-5, "amplitude, m");
    QVERIFY(fit.explained > 0.99 && fit.explained < 1.0);
  }

  void badInput() {
    std::vector<double> broken = ringing(0.0, 1.0, 1.0, 5.0, 0.0, 1000), line;
    broken[5] = kNoValue;
    for (int k = 0; k < 100; ++k) line.push_back(0.1 * k);
    const std::vector<double> rest(1000, 0.123), few(11, 1.0);
    for (const std::vector<double>& record : {broken, line, rest, few, {}}) {
      QVERIFY(!fitDecay(record, kSignalStep_s));
      QVERIFY(extremes(record, kSignalStep_s, 0.0).empty());
    }
    for (const std::vector<double>& record : {broken, rest, few, {}}) QVERIFY(!fitDecayingSine(record, kSignalStep_s));
    static_cast<void>(
        fitDecayingSine(line, kSignalStep_s));  // a straight line is the slowest of sines, or none: no crash
    const std::vector<double> good = ringing(0.0, 1.0, 1.0, 5.0, 0.0, 1000);
    QVERIFY(!fitDecay(good, 0.0) && !fitDecayingSine(good, 0.0) && !fitDecay(good, kSignalStep_s, {}, 3));
    QVERIFY(!fitDecay(good, kSignalStep_s, kNoValue));
  }
};

HYB_SUITE(fidelity_decay, FidelityDecay)
#include "decay_test.moc"
