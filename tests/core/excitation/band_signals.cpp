// Signals that fill a band: which sines they have, how low they stay, and that they repeat.
#include <set>

#include "core/base/numbers.h"
#include "core/excitation/band_signal.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

std::set<std::string> faults(const BandSpec& spec) {
  Checks checks;
  checkBand(checks, spec);
  std::set<std::string> where;
  try {
    checks.throwIfAny();
  } catch (const InputError& error) {
    for (const Issue& issue : error.issues()) where.insert(issue.where);
  }
  return where;
}

double largest(const MultiSineSpec& sum, double period_s) {
  const std::unique_ptr<Signal> signal = makeMultiSine(sum);
  double peak = 0.0;
  for (int k = 0; k < 100000; ++k) peak = std::max(peak, std::abs(signal->at(period_s * k / 1e5).value));
  return peak;
}

}  // namespace

class BandSignalsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void allLinesOfTheBandInOneSize() {
    const MultiSineSpec sum = lowCrestSines({0.001, 0.1, 20.0, 10.0});
    QCOMPARE(sum.components.size(), std::size_t{200});
    for (std::size_t i = 0; i < sum.components.size(); ++i) {
      compare(sum.components[i].frequency_hz, 0.1 * static_cast<double>(i + 1), 1e-12, "frequency");
      QCOMPARE(sum.components[i].amplitude, sum.components[0].amplitude);
    }
    compareRelative(largest(sum, 10.0), 0.001, 0.02, "peak");
  }

  void crest_data() {
    QTest::addColumn<double>("from_hz");
    QTest::addColumn<double>("to_hz");
    QTest::addColumn<double>("period_s");
    QTest::newRow("from the first line on") << 0.1 << 20.0 << 10.0;
    QTest::newRow("few lines") << 1.0 << 10.0 << 2.0;
    QTest::newRow("narrow") << 40.0 << 50.0 << 5.0;
  }
  /// Lower than Schroeder's phases alone, and far lower than random ones.
  void crest() {
    QFETCH(double, from_hz);
    QFETCH(double, to_hz);
    QFETCH(double, period_s);
    const BandSpec spec{1.0, from_hz, to_hz, period_s};
    const double low = crestFactor(lowCrestSines(spec), period_s), random = crestFactor(bandNoise(spec, 1), period_s);
    MultiSineSpec schroeder = lowCrestSines(spec);
    const auto count = static_cast<double>(schroeder.components.size());
    for (std::size_t i = 0; i < schroeder.components.size(); ++i) {
      const auto n = static_cast<double>(i + 1);
      schroeder.components[i].phase_deg = std::remainder(-180.0 * n * (n - 1.0) / count, 360.0);
    }
    const double before = crestFactor(schroeder, period_s);
    QVERIFY2(low < 0.95 * before, qPrintable(QString("%1 of %2").arg(low).arg(before)));
    QVERIFY2(low < 1.65, qPrintable(QString::number(low)));
    QVERIFY2(random > 2.2, qPrintable(QString::number(random)));
  }

  void oneSineHasItsOwnCrest() {
    compare(crestFactor({{{3.0, 2.0, 10.0}}}, 1.0), std::numbers::sqrt2, 1e-3, "crest");
    QVERIFY(std::isnan(crestFactor({}, 1.0)));
  }

  void noiseRepeatsAndFollowsItsSeed() {
    const BandSpec spec{0.5, 1.0, 30.0, 4.0};
    const MultiSineSpec noise = bandNoise(spec, 7), again = bandNoise(spec, 7), other = bandNoise(spec, 8);
    QCOMPARE(noise.components[5].phase_deg, again.components[5].phase_deg);
    QVERIFY(noise.components[5].phase_deg != other.components[5].phase_deg);
    compareRelative(largest(noise, 4.0), 0.5, 0.02, "peak");
    const std::unique_ptr<Signal> signal = makeMultiSine(noise);
    for (const double t : {0.1, 1.7, 3.3}) compare(signal->at(t + 4.0).value, signal->at(t).value, 1e-9, "period");
  }

  void faultsAreTold() {
    using Places = std::set<std::string>;
    QVERIFY(faults({1.0, 0.1, 20.0, 10.0}).empty());
    QVERIFY(faults({1.0, 20.0, 0.1, 10.0}) == Places{"/to_hz"});
    QVERIFY(faults({1.0, 0.1, 2000.0, 10.0}) == Places{"/period_s"});
    QVERIFY(faults({1.0, 0.11, 0.19, 10.0}) == Places{"/period_s"});
    QVERIFY(faults({1.0, 99999.0, 99999.5, 10.0}) == Places{"/period_s"});
    QVERIFY(faults({kNoValue, -1.0, kNoValue, 0.0}) == (Places{"/amplitude", "/from_hz", "/to_hz", "/period_s"}));
    QCOMPARE(lowCrestSines({1.0, 20.0, 0.1, 10.0}).components.size(), std::size_t{1});
    QCOMPARE(bandNoise({1.0, 0.1, 2000.0, 10.0}, 1).components.size(), std::size_t{1});
  }
};

HYB_SUITE(band_signals, BandSignalsTest)
#include "band_signals.moc"
