// Wallace, Wagg, Neild 2005, section 2: reading delay and amplitude off the subspace plot (W-6).
#include <QTest>
#include <cmath>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/running.h"
#include "core/fidelity/synchronisation.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

struct Orbit {
  std::vector<double> z, x;
};
/// z = sin(wt), x = 0.8 sin(w(t - 5 ms)), 10 Hz, over whole periods.
Orbit trace(std::size_t points_per_period, std::size_t periods) {
  Orbit made;
  for (std::size_t k = 0; k < points_per_period * periods; ++k) {
    const double angle = 2.0 * kPi * static_cast<double>(k) / static_cast<double>(points_per_period);
    made.z.push_back(std::sin(angle));
    made.x.push_back(0.8 * std::sin(angle - 2.0 * kPi * 10.0 * 0.005));
  }
  return made;
}

}  // namespace

class WallaceSubspace : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ellipseIsReadOff() {
    const Orbit t = trace(100, 5);
    for (const double frequency_hz : {10.0, 0.0}) {  // told, and found in the window itself
      const Synchronisation read = synchronisation(t.z, t.x, 1e-3, frequency_hz);
      QVERIFY(read.valid);
      QVERIFY(test::isNear(read.area, 0.7766, 1e-3));
      QVERIFY(test::isNear(read.axis_deg, 38.34, 1e-3));
      QVERIFY(test::isNear(read.slope, 0.7608, 1e-3));
      QVERIFY(test::isNear(read.amplitude_ratio, 0.8, 1e-3));
      QVERIFY(test::isNear(read.delay_s, 0.005, 1e-3));
    }
  }

  void leadRunsClockwise() {
    const Orbit t = trace(100, 5);
    const Synchronisation read = synchronisation(t.x, t.z, 1e-3, 10.0);
    QVERIFY(read.area < 0.0 && read.delay_s < 0.0);
  }

  // The tracking indicator sweeps a polygon. That of M samples has sin(q)/q of the ellipse's area, q = 2 pi / M: 0.07 %
  // short at 10 Hz and 1 kHz, 0.1 % at 12.5 Hz.
  void polygonFallsShort() {
    const double area = kPi * 0.8 * std::sin(2.0 * kPi * 10.0 * 0.005);
    const auto shortfall = [&](std::size_t points) {
      const Orbit t = trace(points, 1);
      RunningTrackingIndicator swept;
      swept.moveTo(t.z.back(), t.x.back());  // from where the polygon closes
      for (std::size_t k = 0; k < points; ++k) swept.add(t.z[k], t.x[k]);
      return 1.0 - swept.area() / area;
    };
    for (const std::size_t points : {12u, 80u, 100u}) {
      const double q = 2.0 * kPi / static_cast<double>(points);
      QVERIFY(std::abs(shortfall(points) - (1.0 - std::sin(q) / q)) < 1e-12);
    }
    QVERIFY(std::abs(shortfall(100) - 0.0007) < 0.00005);
    QVERIFY(std::abs(shortfall(80) - 0.001) < 0.00005);
  }
};

HYB_SUITE(paper_wallace_subspace, WallaceSubspace)
#include "wallace_subspace.moc"
