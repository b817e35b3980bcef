// A sine that stands at one frequency after the other.
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/excitation/stepped_sine.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class SteppedSineTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void stepsTakeWholePeriods() {
    const std::vector<SineStep> steps = stepsOf({1.0, 2.0, 8.0, 3, false, 0.6, 5});
    QCOMPARE(steps.size(), std::size_t{3});
    const double hz[] = {2.0, 5.0, 8.0}, settled_s[] = {1.0, 0.6, 0.625};  // 2, 3 and 5 periods
    double start_s = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      compare(steps[k].frequency_hz, hz[k], 1e-12, "frequency");
      compare(steps[k].start_s, start_s, 1e-12, "start");
      compare(steps[k].measured_s - start_s, settled_s[k], 1e-12, "settling");
      compare(steps[k].end_s - steps[k].measured_s, 5.0 / hz[k], 1e-12, "measured");
      start_s = steps[k].end_s;
    }
    const std::vector<SineStep> falling = stepsOf({1.0, 8.0, 2.0, 3, true, 0.0, 2});
    compare(falling[1].frequency_hz, 4.0, 1e-12, "constant ratio");
    compare(falling[2].frequency_hz, 2.0, 1e-12, "last");
    QCOMPARE(falling[0].measured_s, 0.0);
  }

  /// No jump from frequency to frequency; the rate is that of the value.
  void goesOnWithoutAJump() {
    const SteppedSineSpec spec{0.5, 3.0, 11.0, 5, true, 0.3, 4};
    const std::unique_ptr<Signal> signal = makeSteppedSine(spec);
    const std::vector<SineStep> steps = stepsOf(spec);
    for (const SineStep& step : steps) {
      compare(signal->value(step.end_s - 1e-9), 0.0, 1e-7, "before the end");
      compare(signal->value(step.end_s + 1e-9), 0.0, 1e-7, "after the end");
      const double t = step.measured_s + 0.3 / step.frequency_hz;
      compare(signal->value(t), 0.5 * std::sin(0.6 * kPi), 1e-9, "value");
      compare(signal->at(t).value, signal->value(t), 1e-15, "value with its rate");
      compare(signal->at(t).rate, (signal->value(t + 1e-6) - signal->value(t - 1e-6)) / 2e-6, 1e-5, "rate");
    }
    QCOMPARE(signal->value(-0.1), 0.0);
    const double after_s = steps.back().end_s + 0.25 / steps.back().frequency_hz;
    compare(signal->value(after_s), 0.5, 1e-9, "the last frequency goes on");
  }

  void faultsAreNamed_data() {
    QTest::addColumn<QString>("where");
    QTest::addColumn<int>("which");
    int which = 0;
    for (const char* where : {"/from_hz", "/to_hz", "/count", "/count", "/settle_s", "/periods", "/count"})
      QTest::addRow("%d %s", which, where) << QString::fromLatin1(where) << which, ++which;
  }
  void faultsAreNamed() {
    QFETCH(QString, where);
    QFETCH(int, which);
    std::vector<SteppedSineSpec> specs(7, {1.0, 1.0, 10.0, 10, false, 1.0, 5});
    specs[0].from_hz = 0.0;
    specs[1].to_hz = kNoValue;
    specs[2].count = 0;
    specs[3].count = 1;
    specs[4].settle_s = -1.0;
    specs[5].periods = 1;
    specs[6].settle_s = 3e4, specs[6].count = 100;
    try {
      makeSteppedSine(specs[static_cast<std::size_t>(which)]);
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(QString::fromStdString(error.issues().front().where), where);
    }
  }
};

HYB_SUITE(stepped_sines, SteppedSineTest)
#include "stepped_sines.moc"
