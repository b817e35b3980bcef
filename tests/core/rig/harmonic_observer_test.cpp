#include "core/rig/harmonic_observer.h"

#include <cmath>

#include "core/base/numbers.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double kObserved_s = 2e-4;

/// An offset and harmonics 1 and 3 of so many Hz, and its second derivative.
struct ObservedSignal {
  double hz;
  double value(double t_s) const { return 0.3 + std::cos(w() * t_s + 0.4) + 0.5 * std::sin(3.0 * w() * t_s); }
  double second(double t_s) const { return -w() * w() * (std::cos(w() * t_s + 0.4) + 4.5 * std::sin(3.0 * w() * t_s)); }
  double w() const { return kTwoPi * hz; }
};

}  // namespace

class HarmonicObserverTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Of a period that is no whole number of ticks, and of one of few.
  void isExactOnceItIsSteady_data() {
    QTest::addColumn<double>("hz");
    QTest::newRow("17.3 Hz") << 17.3;
    QTest::newRow("320 Hz") << 320.0;
  }
  void isExactOnceItIsSteady() {
    QFETCH(double, hz);
    const ObservedSignal signal{hz};
    HarmonicObserver observer(2, {1, 3}, kObserved_s);
    observer.setFundamental(signal.w());
    const auto ticks = static_cast<int>(40.0 / (hz * kObserved_s));
    Eigen::Vector2d values;
    for (int k = 1; k <= ticks; ++k) {
      values << signal.value(k * kObserved_s), signal.second(k * kObserved_s);
      observer.observe(values, 1);
    }
    const double scale = signal.w() * signal.w(), now_s = ticks * kObserved_s;
    QVERIFY(std::abs(observer.secondDerivative(0) - signal.second(now_s)) < 1e-9 * scale);
    QVERIFY(std::abs(observer.secondIntegral(1) - (signal.value(now_s) - 0.3)) < 1e-9);
  }

  /// The time constant is a period.
  void errorsDecay() {
    const ObservedSignal signal{25.0};
    HarmonicObserver observer(1, {1, 3}, kObserved_s);
    observer.setFundamental(signal.w());
    const auto errorUntil = [&](int from, int to) {
      double largest = 0.0;
      for (int k = from + 1; k <= to; ++k) {
        observer.observe(Eigen::VectorXd::Constant(1, signal.second(k * kObserved_s)), 1);
        largest = std::max(largest, std::abs(observer.secondIntegral(0) - (signal.value(k * kObserved_s) - 0.3)));
      }
      return largest;
    };
    constexpr int period = 200;
    errorUntil(0, 2 * period);
    const double first = errorUntil(2 * period, 3 * period);
    errorUntil(3 * period, 8 * period);
    const double last = errorUntil(8 * period, 9 * period);
    const double periods = 6.0 / std::log(first / last);
    QVERIFY2(periods > 0.8 && periods < 1.2, qPrintable(QString::number(periods)));
  }

  void missedTicksTurnOn() {
    const ObservedSignal signal{25.0};
    HarmonicObserver observer(1, {1, 3}, kObserved_s);
    observer.setFundamental(signal.w());
    int k = 0;
    for (int n = 0; n < 6000; ++n) {
      const int elapsed = n % 7 == 0 ? 4 : 1;
      k += elapsed;
      observer.observe(Eigen::VectorXd::Constant(1, signal.value(k * kObserved_s)), elapsed);
    }
    const double expected = signal.second(k * kObserved_s);
    QVERIFY(std::abs(observer.secondDerivative(0) - expected) < 1e-9 * signal.w() * signal.w());
  }

  void knowsNothingWithoutAFrequency() {
    HarmonicObserver observer(1, {1}, kObserved_s);
    observer.observe(Eigen::VectorXd::Ones(1), 1);
    QCOMPARE(observer.secondIntegral(0), 0.0);
    observer.setFundamental(100.0);
    observer.setFundamental(0.0);  // stays
    observer.observe(Eigen::VectorXd::Ones(1), 1);
    QVERIFY(observer.secondIntegral(0) != 0.0);
    observer.reset();
    QCOMPARE(observer.secondIntegral(0), 0.0);
  }
};

HYB_SUITE(harmonic_observer, HarmonicObserverTest)
#include "harmonic_observer_test.moc"
