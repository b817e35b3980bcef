#include <QTest>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/fidelity/stability_indicator.h"
#include "tests/core/fidelity/step.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kSwing_hz = 5.0, kSwungStiffness = 8650.0;

StabilityIndicatorParams indicatorParams() {
  StabilityIndicatorParams p;
  p.step_s = kSignalStep_s;
  p.window_s = 0.4;  // two periods
  return p;
}

/// Spring at the interface, command e^(growth t) A sin(w t), achieved motion turned by `lag`; and a still larger slow
/// motion on both if `slow` is its size, m.
struct GrowingMotion {
  double lag = 0.0, growth_per_s = 0.0, frequency_hz = kSwing_hz, slow = 0.0;
  void run(StabilityIndicator& indicator, double duration_s) {
    const int ticks = static_cast<int>(std::lround(duration_s / kSignalStep_s));
    for (int k = 0; k < ticks; ++k, ++tick) {
      const double t = kSignalStep_s * tick, size = 2e-3 * std::exp(growth_per_s * t),
                   angle = kTwoPi * frequency_hz * t, drift = slow * std::sin(kTwoPi * 0.4 * t);
      const double target = size * std::sin(angle) + drift, measured = size * std::sin(angle - lag) + drift,
                   force = -kSwungStiffness * measured;
      if (tick == 0)
        indicator.moveTo({&force, 1}, {&target, 1}, {&measured, 1});
      else
        indicator.add({&force, 1}, {&target, 1}, {&measured, 1});
      seen = std::max(seen, indicator.growth_per_s());
    }
  }
  int tick = 0;
  double seen = 0.0;  // largest growth, 1/s
};

double growthSeenOf(GrowingMotion motion, double duration_s = 3.0) {
  StabilityIndicator indicator(indicatorParams(), 1);
  motion.run(indicator, duration_s);
  return motion.seen;
}

}  // namespace

class FidelityStability : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void steadyLag() {
    for (const double lag : {0.1, 0.02, -0.1}) {
      StabilityIndicator indicator(indicatorParams(), 1);
      GrowingMotion motion{.lag = lag};
      motion.run(indicator, 3.0);
      compare(indicator.addedShare(), std::numbers::pi * std::sin(lag) / 4.0, 0.01 * std::abs(lag), "share");
      QCOMPARE(motion.seen, 0.0);
    }
  }

  void paidGrowth() {  // a cycle adds pi k A^2 sin(lag), and the spring stores k A^2 / 2
    for (const double growth_per_s : {1.3, 0.6}) {
      const double seen = growthSeenOf({.lag = 0.3, .growth_per_s = growth_per_s});
      compare(seen, growth_per_s, 0.1 * growth_per_s, "growth, 1/s");
    }
    QCOMPARE(growthSeenOf({.lag = 0.3, .growth_per_s = -0.7}), 0.0);
    QCOMPARE(growthSeenOf({.lag = -0.3, .growth_per_s = 1.3}), 0.0);  // the transfer system damps: something else pays
    // 2 (e^0.52 - 1) / 2 of k A^2 in two periods is more than the lag adds, 2 pi sin(0.005): the excitation pays.
    QCOMPARE(growthSeenOf({.lag = 0.005, .growth_per_s = 1.3}), 0.0);
  }

  /// A fast mode of a tenth of a millimetre under a slow motion of 20 mm, which hides it in the energies of the
  /// signals.
  void steadyGrowthOfAFastMode() {
    const double seen = growthSeenOf({.lag = 0.02, .growth_per_s = 6.0, .frequency_hz = 70.0, .slow = 0.02}, 1.0);
    QVERIFY2(seen > 4.0 && seen < 7.0, qPrintable(QString::number(seen)));
    QCOMPARE(growthSeenOf({.lag = -0.02, .growth_per_s = 6.0, .frequency_hz = 70.0, .slow = 0.02}, 1.0), 0.0);
  }

  void itStartsAgain() {
    StabilityIndicator indicator(indicatorParams(), 1);
    GrowingMotion motion{.lag = 0.3, .growth_per_s = 1.3};
    motion.run(indicator, 2.0);
    QVERIFY(indicator.growth_per_s() > 0.0 && indicator.addedShare() > 0.0);
    const double none = 0.0;
    indicator.moveTo({&none, 1}, {&none, 1}, {&none, 1});
    QCOMPARE(indicator.growth_per_s(), 0.0);
    QCOMPARE(indicator.addedShare(), 0.0);
  }

  void brokenSamplesPass() {  // the blocks with the sample say nothing, and later ones say the same as ever
    StabilityIndicator indicator(indicatorParams(), 1);
    GrowingMotion motion{.lag = 0.3, .growth_per_s = 1.3};
    motion.run(indicator, 1.0);
    const double wrong = kNoValue, none = 0.0;
    indicator.add({&wrong, 1}, {&none, 1}, {&none, 1});
    motion.run(indicator, 2.0);
    compare(indicator.growth_per_s(), 1.3, 0.13, "growth, 1/s");
    QVERIFY(std::isfinite(indicator.addedShare()));
  }

  void wrongParametersAreNamed() {
    try {
      StabilityIndicator({0.0, 1.0, kNoValue}, 1);
      QFAIL("accepted");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().size(), std::size_t{3});
    }
  }

  void rowsAllocateNothing() {
    StabilityIndicator indicator(indicatorParams(), 1);
    GrowingMotion motion{.lag = 0.3, .growth_per_s = 1.3};
    const AllocationGuard guard;
    motion.run(indicator, 2.0);
    if (AllocationGuard::active()) QCOMPARE(guard.count(), 0u);
  }
};

HYB_SUITE(fidelity_stability, FidelityStability)
#include "stability_indicator_test.moc"
