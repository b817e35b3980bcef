/// Damping of a resonance, by half-power and by the circle of the velocity.
#include "core/assess/resonance.h"

#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kNatural_hz = 17.6;

/// A mode with this damping, and what stiffer ones do beside it.
std::vector<ResponsePoint> mode(double ratio, double step_hz, std::complex<double> others = {}) {
  std::vector<ResponsePoint> points;
  for (double f = 16.0; f < 19.05; f += step_hz) {
    const double r = f / kNatural_hz;
    points.push_back({f, std::polar(3e-3, 0.4) / std::complex<double>(1.0 - r * r, 2.0 * ratio * r) + others});
  }
  return points;
}

}  // namespace

class ResonanceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void oneMode_data() {
    QTest::addColumn<double>("ratio");
    for (const double ratio : {0.003, 0.01, 0.02}) QTest::addRow("%g", ratio) << ratio;
  }
  void oneMode() {
    QFETCH(double, ratio);
    const std::optional<Resonance> found = resonanceOf(mode(ratio, 0.005));
    QVERIFY(found && found->half_power && found->circle);
    compareRelative(found->half_power->ratio, ratio, 0.01, "half-power");
    QVERIFY(found->half_power->from_hz < found->peak_hz && found->peak_hz < found->half_power->to_hz);
    compareRelative(*found->circle, ratio, 1e-6, "circle");
    compareRelative(*found->circle_hz, kNatural_hz, 1e-8, "Hz");
  }
  /// Far fewer points, and a motion of other modes: the circle is moved, and the same.
  void fewPointsBesideOthers() {
    std::vector<ResponsePoint> points = mode(0.01, 0.1, {2e-2, 5e-3});
    std::swap(points[3], points[20]);  // in any order
    const std::optional<Resonance> found = resonanceOf(points);
    QVERIFY(found && found->circle);
    compareRelative(*found->circle, 0.01, 0.01, "circle");
    compareRelative(*found->circle_hz, kNatural_hz, 1e-4, "Hz");
  }
  void onePointInside() {
    const std::optional<Resonance> coarse = resonanceOf({{9.0, 1.0}, {10.0, 3.0}, {11.0, 1.0}});
    QVERIFY(coarse && coarse->half_power);
    QCOMPARE(coarse->half_power->inside, std::size_t{1});
    const std::optional<Resonance> finer = resonanceOf({{9.0, 1.0}, {9.9, 2.8}, {10.0, 3.0}, {10.1, 2.9}, {11.0, 1.0}});
    QCOMPARE(finer->half_power->inside, std::size_t{3});
  }
  void whatIsNoResonance() {
    QVERIFY(!resonanceOf({{1.0, 1.0}, {2.0, 2.0}}));
    QVERIFY(!resonanceOf({{1.0, 1.0}, {2.0, 2.0}, {3.0, 3.0}}));
    const std::optional<Resonance> cut = resonanceOf({{1.0, 1.0}, {2.0, 1.1}, {3.0, 1.0}});
    QVERIFY(cut && !cut->half_power && !cut->circle);
  }
};

HYB_SUITE(resonance, ResonanceTest)
#include "resonance_test.moc"
