#include <cmath>

#include "core/base/numbers.h"
#include "core/fidelity/learning_curve.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class LearningCurveTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// A gap that falls by a tenth in each period beside a motion of amplitude 2 mm that has faded in.
  void aGapThatCloses() {
    LearningCurve curve(0.1);
    constexpr int kRows = 100, kCycles = 6;
    for (int p = 0; p < kCycles; ++p)
      for (int k = 0; k < kRows; ++k) {
        const double w = kTwoPi * k / kRows, fade = p == 0 ? 0.5 : 1.0;
        curve.add(0.1 * (p + (k + 0.5) / kRows), 1e-3 * std::pow(10.0, -p) * std::sin(w), 2e-3 * fade * std::cos(w));
      }
    QCOMPARE(curve.size(), std::size_t{kCycles - 1});  // the last one is not over
    for (std::size_t k = 0; k < curve.size(); ++k) {
      compareRelative(curve.nmse(k), 0.25 * std::pow(10.0, -2.0 * static_cast<double>(k)), 1e-9, "NMSE");
      compareRelative(curve.time_s(k), 0.1 * static_cast<double>(k + 1), 1e-9, "end of the period, s");
    }
  }

  void whatIsMissingIsLeftOut() {
    LearningCurve curve(1.0);
    curve.add(0.5, 1.0, 0.0);
    curve.add(1.5, std::nan(""), 1.0);
    curve.add(7.5, 2.0, 4.0);
    curve.add(8.5, 2.0, 4.0);
    QCOMPARE(curve.size(), std::size_t{2});  // the second is not a number, those between have no rows
    QCOMPARE(curve.time_s(1), 8.0);
    QCOMPARE(curve.nmse(1), 0.25);
    LearningCurve still(1.0);
    still.add(0.5, 1.0, 0.0);
    still.add(1.5, 1.0, 0.0);
    QVERIFY(std::isnan(still.nmse(0)));
  }
};

HYB_SUITE(fidelity_learning_curve, LearningCurveTest)
#include "learning_curve_test.moc"
