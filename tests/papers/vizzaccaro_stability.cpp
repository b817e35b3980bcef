// Vizzaccaro, Beregi, Barton, Neild: Iterative method for real-time hybrid testing: application to a cantilever beam
// with two interface degrees of freedom. What follows from the linear model alone: V-1, V-2, V-3, D_N of V-12.
#include <cmath>
#include <numbers>

#include "core/base/numbers.h"
#include "core/stability/delay_stability.h"
#include "core/structure/modes.h"
#include "core/structure/reduction.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"
#include "tests/support/vizzaccaro_beam.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

Eigen::VectorXd clampedTip(double length_m, Eigen::Index count) {
  const Partition parts = vizzaccaroLoop(53, kBeamLength_m - length_m).partition;
  return clampedFrequencies(parts.physical, parts.interface_in_physical, count);
}

/// Euler-Bernoulli beam clamped at one end, as its other end feels it; Rayleigh damping makes both EI and mass complex.
Eigen::Matrix2cd exactRoot(double length_m, double frequency_hz) {
  const Complex s(0.0, kTwoPi * frequency_hz);
  const Complex ei = 217e9 * 25.4e-3 * 1e-9 / 12.0 * (1.0 + 7e-5 * s), mass = 8210.0 * 25.4e-6 * (1.0 + 0.9 / s);
  const Complex b = std::pow(-mass * s * s / ei, 0.25), l = b * length_m;
  const Complex c = std::cos(l), sn = std::sin(l), ch = std::cosh(l), sh = std::sinh(l);
  Eigen::Matrix2cd d;
  d << b * b * b * (c * sh + sn * ch), -b * b * sn * sh, -b * b * sn * sh, b * (sn * ch - c * sh);
  return d * ei / (1.0 - c * ch);
}

}  // namespace

class PaperVizzaccaroStability : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void v1Frequencies() {
    const Modes found = lowestModes(assemble(vizzaccaroBeam(53)), 3);
    const double frequency_hz[] = {2.957, 18.53, 51.88}, damping_percent[] = {2.49, 0.79, 1.28};
    for (int i = 0; i < 3; ++i) {
      compareRelative(found.frequency_hz[i], frequency_hz[i], 1e-3, "cantilever, Hz");
      QVERIFY(std::abs(100.0 * found.damping_ratio[i] - damping_percent[i]) < 0.006);  // two decimals are given
    }
    const Eigen::VectorXd tip = clampedTip(0.360, 3);
    const double tip_hz[] = {6.408, 40.16, 112.4};
    for (int i = 0; i < 3; ++i) compareRelative(tip[i], tip_hz[i], 1e-3, "clamped tip, Hz");
    compareRelative(clampedTip(0.210, 1)[0], 18.83, 1e-3, "tip of 210 mm, Hz");
    compareRelative(clampedTip(0.230, 1)[0], 15.70, 1e-3, "tip of 230 mm, Hz");
    const Partition parts = vizzaccaroLoop(53, 0.170).partition;
    compareRelative(clampedFrequencies(parts.numerical, parts.interface_in_numerical, 1)[0], 182.9, 1e-3,
                    "clamped root, Hz");
  }

  void v2UnstableRoots_data() {
    QTest::addColumn<double>("delay_ms");
    QTest::addColumn<double>("frequency_hz");
    QTest::addColumn<double>("growth");
    QTest::newRow("1.0 ms") << 1.0 << 499.80 << 1762.0;
    QTest::newRow("1.2 ms") << 1.2 << 416.59 << 1471.6;
    QTest::newRow("1.5 ms") << 1.5 << 334.06 << 1173.2;
    QTest::newRow("1.75 ms") << 1.75 << 285.41 << 1000.4;
    QTest::newRow("2.0 ms") << 2.0 << 248.57 << 880.1;
    QTest::newRow("2.3 ms") << 2.3 << 216.40 << 775.5;
  }
  void v2UnstableRoots() {
    QFETCH(double, delay_ms);
    QFETCH(double, frequency_hz);
    QFETCH(double, growth);
    const Roots found = countedRoots(vizzaccaroLoop(80, 0.5 * kBeamLength_m), 1e-3 * delay_ms, 520.0);
    QCOMPARE(static_cast<int>(found.roots.size()), found.counted);
    compareRelative(found.roots[0].imag() / kTwoPi, frequency_hz, 5e-3, "frequency, Hz");
    compareRelative(found.roots[0].real(), growth, 5e-3, "real part, 1/s");
    QVERIFY(found.roots[1].real() < 0.0);  // the only one
  }

  void v2RootsOfTheLineAbove_data() {
    QTest::addColumn<double>("delay_ms");
    QTest::addColumn<int>("count");
    QTest::newRow("1.2 ms") << 1.2 << 4;
    QTest::newRow("1.75 ms") << 1.75 << 5;
    QTest::newRow("2.3 ms") << 2.3 << 7;
  }
  /// Below 3 kHz; from the third on the closed form of semi-infinite beams holds.
  void v2RootsOfTheLineAbove() {
    QFETCH(double, delay_ms);
    QFETCH(int, count);
    const Roots found = countedRoots(vizzaccaroLoop(80, 0.5 * kBeamLength_m), 1e-3 * delay_ms, 3000.0);
    QCOMPARE(static_cast<int>(found.roots.size()), found.counted);
    std::vector<Complex> unstable;
    for (const Complex root : found.roots)
      if (root.real() > 0.0) unstable.push_back(root);
    QCOMPARE(static_cast<int>(unstable.size()), count);
    std::sort(unstable.begin(), unstable.end(), [](Complex a, Complex b) { return a.imag() < b.imag(); });
    for (std::size_t m = 2; m < unstable.size(); ++m) {
      compareRelative(unstable[m].imag() / kTwoPi, 0.5 * (2.0 * static_cast<double>(m) + 1.0) / (1e-3 * delay_ms), 1e-2,
                      "Hz");
      compareRelative(unstable[m].real(), std::log(3.0 + 2.0 * std::numbers::sqrt2) / (1e-3 * delay_ms), 1e-2, "1/s");
    }
    if (delay_ms == 2.3) {
      const double next_hz[] = {654.4, 1087.1, 1521.9};
      for (std::size_t i = 0; i < 3; ++i)
        compareRelative(unstable[i + 1].imag() / kTwoPi, next_hz[i], 5e-3, "next, Hz");
    }
  }

  void v3CriticalDelays_data() {
    QTest::addColumn<double>("share");
    QTest::addColumn<double>("at_250_ms");
    QTest::addColumn<double>("at_333_ms");
    QTest::addColumn<double>("at_500_ms");
    QTest::newRow("0.05") << 0.05 << 2.644 << 1.981 << 1.282;
    QTest::newRow("0.10") << 0.10 << 2.148 << 1.487 << 0.954;
    QTest::newRow("0.15") << 0.15 << 1.903 << 1.490 << 1.049;
    QTest::newRow("0.20") << 0.20 << 2.104 << 1.570 << 0.995;
    QTest::newRow("0.25") << 0.25 << 2.046 << 1.482 << 0.994;
    QTest::newRow("0.30") << 0.30 << 1.963 << 1.489 << 1.005;
    QTest::newRow("170/530") << 170.0 / 530.0 << 1.965 << 1.504 << 1.001;
    QTest::newRow("0.40") << 0.40 << 2.018 << 1.498 << 1.000;
    QTest::newRow("0.50") << 0.50 << 1.989 << 1.503 << 1.000;
  }
  void v3CriticalDelays() {
    QFETCH(double, share);
    QFETCH(double, at_250_ms);
    QFETCH(double, at_333_ms);
    QFETCH(double, at_500_ms);
    const int elements = std::abs(share - 170.0 / 530.0) < 1e-9 ? 106 : 100;
    const DelaySystem here = vizzaccaroLoop(elements, share * kBeamLength_m),
                      mirrored = vizzaccaroLoop(elements, (1.0 - share) * kBeamLength_m);
    for (const auto& [cutoff_hz, expected_ms] :
         {std::pair{250.0, at_250_ms}, {1000.0 / 3.0, at_333_ms}, {500.0, at_500_ms}}) {
      const std::optional<Crossing> critical = criticalDelay(here, cutoff_hz, 6.0 / (2.0 * cutoff_hz));
      const std::optional<Crossing> other = criticalDelay(mirrored, cutoff_hz, 6.0 / (2.0 * cutoff_hz));
      QVERIFY(critical && other);
      compareRelative(1e3 * critical->delay_s, expected_ms, 1e-2, "critical delay, ms");
      compareRelative(other->delay_s, critical->delay_s, 1e-3, "mirrored");
      if (share > 0.099) compareRelative(critical->delay_s, 1.0 / (2.0 * cutoff_hz), 8e-2, "line family");
      const bool on_axis = share < 0.06 && cutoff_hz < 300.0;
      QCOMPARE(critical->at_cutoff, !on_axis);
      if (on_axis) compareRelative(critical->frequency_hz, 229.0, 1e-2, "on the axis, Hz");
    }
  }
  void v3NoneAtTheEnds() {
    for (const double share : {0.01, 0.99})
      for (const double cutoff_hz : {1000.0 / 3.0, 500.0})
        QVERIFY(!criticalDelay(vizzaccaroLoop(200, share * kBeamLength_m), cutoff_hz, 6.0 / (2.0 * cutoff_hz)));
  }

  void v12StiffnessOfTheRoot() {
    const Eigen::Matrix2cd printed = (Eigen::Matrix2cd() << Complex(961.960, 9.956), Complex(-91.517, -0.766),
                                      Complex(-91.517, -0.766), Complex(10.689, 0.084))
                                         .finished();
    const Eigen::Matrix2cd exact = exactRoot(0.170, 17.5);
    for (const int elements : {53, 159}) {
      const Partition parts = vizzaccaroLoop(elements, 0.170).partition;
      const Eigen::MatrixXcd found =
          condensedStiffness(parts.numerical, parts.interface_in_numerical, {0.0, kTwoPi * 17.5});
      for (int i = 0; i < 4; ++i) {
        QVERIFY(std::abs(found(i) - printed(i)) < 1e-3 * std::abs(printed(i)));
        QVERIFY(std::abs(found(i) - exact(i)) < 1e-6 * std::abs(exact(i)));
      }
    }
  }
};

HYB_SUITE(paper_vizzaccaro_stability, PaperVizzaccaroStability)
#include "vizzaccaro_stability.moc"
