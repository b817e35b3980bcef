#include <QTest>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/fidelity/record.h"
#include "core/fidelity/stability_indicator.h"
#include "tests/core/fidelity/step.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kFrequency_hz = 5.0;

StabilityIndicatorParams params() {
  StabilityIndicatorParams p;
  p.window_s = 0.4;  // two periods
  return p;
}

/// Spring of k at the interface, command e^(growth t) A sin(w t), achieved motion turned by `lag`.
InterfacePower powerAt(double t, double lag, double growth_per_s = 0.0) {
  const double w = kTwoPi * kFrequency_hz, k = 8650.0, size = 2e-3 * std::exp(growth_per_s * t);
  const double velocity = size * w * std::cos(w * t), velocity_achieved = size * w * std::cos(w * t - lag);
  const double force = k * size * std::sin(w * t - lag);
  return {force * velocity, force * velocity_achieved};
}

void run(StabilityIndicator& indicator, double duration_s, double lag, double growth_per_s = 0.0) {
  const int ticks = static_cast<int>(std::lround(duration_s / kSignalStep_s));
  for (int k = 0; k < ticks; ++k) indicator.update(powerAt(kSignalStep_s * k, lag, growth_per_s));
}

}  // namespace

class FidelityStability : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void steadyLag() {
    StabilityIndicator indicator(params());
    for (const double lag : {0.1, 0.02, -0.1}) {
      indicator.reset();
      run(indicator, 3.0, lag);
      const double per_cycle_j = std::numbers::pi * 8650.0 * 4e-6 * std::sin(lag);
      compare(indicator.errorEnergy_j(), 2.0 * per_cycle_j, 1e-6 * std::abs(per_cycle_j), "two cycles, J");
      compare(indicator.addedShare(), std::numbers::pi * std::sin(lag) / 4.0, 0.01 * std::abs(lag), "share");
      compare(indicator.growth_per_s(), 0.0, 1e-9, "growth, 1/s");
      QCOMPARE(indicator.trend(), lag > 0.0 ? EnergyTrend::added : EnergyTrend::dissipated);
    }
  }

  void growth() {
    for (const double growth_per_s : {1.3, 0.3, -0.7}) {
      StabilityIndicator indicator(params());
      run(indicator, 2.0, 0.1, growth_per_s);
      compare(indicator.growth_per_s(), growth_per_s, 0.01 * std::abs(growth_per_s), "growth, 1/s");
      QCOMPARE(indicator.trend(), growth_per_s > 0.0 ? EnergyTrend::growing : EnergyTrend::added);
    }
    StabilityIndicator passive(params());  // a growing motion that the transfer system damps is no instability of it
    run(passive, 2.0, -0.1, 1.0);
    QCOMPARE(passive.trend(), EnergyTrend::dissipated);
  }

  void saysNothingBeforeTwoWindowsOrAtRest() {
    StabilityIndicator indicator(params());
    QCOMPARE(indicator.addedShare(), 0.0);
    run(indicator, 0.799, 0.1, 1.0);
    QCOMPARE(indicator.trend(), EnergyTrend::at_rest);
    run(indicator, 0.001, 0.1, 1.0);
    QCOMPARE(indicator.trend(), EnergyTrend::growing);
    for (int k = 0; k < 1000; ++k) indicator.update({1e-9, 2e-9});
    QCOMPARE(indicator.trend(), EnergyTrend::at_rest);
    QCOMPARE(indicator.growth_per_s(), 0.0);
  }

  void windowsForgetExactly() {  // a kick of 1 GJ leaves no rounding behind
    StabilityIndicator indicator(params());
    indicator.update({-1e12, 1e12});
    run(indicator, 1.7, 0.1);
    StabilityIndicator fresh(params());
    run(fresh, 1.7, 0.1);
    compare(indicator.errorEnergy_j(), fresh.errorEnergy_j(), 1e-14, "energy, J");
    compare(indicator.exchange_j(), fresh.exchange_j(), 1e-13, "exchange, J");
  }

  void lowPassOfThePower() {
    StabilityIndicator indicator(params());
    for (int k = 0; k < 100; ++k) indicator.update({1.0, 3.0});  // one time constant of 0.1 s
    compare(indicator.errorPower_w(), 2.0 * (1.0 - std::exp(-1.0)), 1e-12, "power, W");
  }

  void brokenSamplesAreCounted() {
    StabilityIndicator indicator(params()), clean(params());
    run(indicator, 1.0, 0.1);
    run(clean, 1.0, 0.1);
    indicator.update({kNoValue, 1.0});
    indicator.update({1.0, INFINITY});
    clean.update({0.0, 0.0});
    clean.update({0.0, 0.0});
    QCOMPARE(indicator.faults(), std::size_t{2});
    QCOMPARE(indicator.errorEnergy_j(), clean.errorEnergy_j());
    QCOMPARE(indicator.trend(), clean.trend());
  }

  void wrongParametersAreNamed() {
    try {
      StabilityIndicator({0.0, 1.0, -1.0, -0.1, kNoValue});
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().size(), std::size_t{5});
    }
  }

  void updatesAllocateNothing() {
    StabilityIndicator indicator(params());
    const AllocationGuard guard;
    run(indicator, 2.0, 0.1);
    static_cast<void>(indicator.trend());
    indicator.reset();
    if (AllocationGuard::active()) QCOMPARE(guard.count(), 0u);
  }
};

HYB_SUITE(fidelity_stability, FidelityStability)
#include "stability_indicator_test.moc"
