// Stability of meshed structures: condensed sides, the cut-off line, followed roots, the map over the interface.
#include <atomic>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/stability/condensed_side.h"
#include "core/stability/interface_sweep.h"
#include "core/structure/reduction.h"
#include "tests/support/suite.h"
#include "tests/support/vizzaccaro_beam.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

int rightOfAxis(const std::vector<Complex>& roots) {
  return static_cast<int>(std::count_if(roots.begin(), roots.end(), [](Complex s) { return s.real() > 0.0; }));
}

/// A dashpot at the tip and one at mid-length: damping that couples the modes on both sides.
DelaySystem withDashpots(DelaySystem system) {
  for (SystemMatrices* side : {&system.partition.numerical, &system.partition.physical}) {
    const Eigen::Index deflection = 2 * (side->size() / 4);
    side->c.coeffRef(deflection, deflection) += 0.5;
  }
  return system;
}

/// Damping that fills the damping matrices of both sides.
DampingSpec modalDamping() {
  DampingSpec damping;
  damping.kind = DampingSpec::Kind::modal;
  damping.ratios = {0.01};
  return damping;
}

}  // namespace

class LargeStructuresTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void condensedStiffnessIsThatOfTheWhole_data() {
    QTest::addColumn<bool>("dashpots");
    QTest::newRow("proportional damping") << false;
    QTest::newRow("dashpots") << true;
  }
  void condensedStiffnessIsThatOfTheWhole() {
    QFETCH(bool, dashpots);
    DelaySystem whole = vizzaccaroLoop(400, 0.2 * kBeamLength_m);
    if (dashpots) whole = withDashpots(whole);
    const double cutoff_hz = 500.0;
    const DelaySystem small = condensedFor(whole, cutoff_hz);
    QVERIFY(small.partition.numerical.size() + small.partition.physical.size() < 40);
    QCOMPARE(small.partition.reference.size(), small.partition.numerical.size() + small.partition.physical.size() - 2);
    double worst = 0.0;
    const int steps = test::kThorough ? 200 : 10;
    for (int i = 1; i <= steps; ++i)
      for (const Complex s :
           {Complex(0.0, kTwoPi * cutoff_hz * i / steps), Complex(1800.0, kTwoPi * cutoff_hz * i / steps)}) {
        const Partition &a = whole.partition, &b = small.partition;
        for (const auto& [full, reduced] : {std::pair{condensedStiffness(a.numerical, a.interface_in_numerical, s),
                                                      condensedStiffness(b.numerical, b.interface_in_numerical, s)},
                                            {condensedStiffness(a.physical, a.interface_in_physical, s),
                                             condensedStiffness(b.physical, b.interface_in_physical, s)}})
          worst = std::max(worst, (full - reduced).norm() / full.norm());
      }
    qInfo("largest relative error %g", worst);
    QVERIFY2(worst < 1e-3, qPrintable(QString::number(worst)));
  }

  void sumOverThePolesIsTheSolution_data() {
    QTest::addColumn<QString>("damping");
    for (const char* damping : {"proportional", "modal", "dashpots", "unsymmetric"}) QTest::newRow(damping) << damping;
  }
  /// The sides of a fine mesh with all their modes, against sparse solutions of the matrices themselves; the derivative
  /// against differences.
  void sumOverThePolesIsTheSolution() {
    QFETCH(QString, damping);
    DelaySystem loop = damping == "modal" ? vizzaccaroLoop(30, 28.0 / 30.0 * kBeamLength_m, modalDamping())
                                          : vizzaccaroLoop(30, 28.0 / 30.0 * kBeamLength_m);
    if (damping == "dashpots") loop = withDashpots(std::move(loop));
    if (damping == "unsymmetric") loop.partition.numerical.c.coeffRef(4, 9) += 0.5;
    const Partition& cut = loop.partition;
    const CondensedSides sides(cut);
    for (const auto& [side, matrices, interface] :
         {std::tuple(&sides.numerical, &cut.numerical, &cut.interface_in_numerical),
          std::tuple(&sides.physical, &cut.physical, &cut.interface_in_physical)})
      for (const double hz : {1.0, 17.0, 400.0, 9e3, 2e5, 1e7})
        for (const double decay : {0.0, 0.05, 2.0, 1e3}) {
          const Complex s(decay * hz, kTwoPi * hz);
          const Eigen::MatrixXcd truth = condensedStiffness(*matrices, *interface, s), found = side->at(s);
          const double error = (found - truth).norm() / truth.norm();
          QVERIFY2(error < 1e-8, qPrintable(QString("%1 at %2 Hz, %3 1/s").arg(error).arg(hz).arg(s.real())));
          const CondensedSide::Value value = side->withDerivative(s);
          QVERIFY((value.stiffness - found).norm() <= 1e-12 * found.norm());
          const Complex step = 1e-4 * s;
          const Eigen::MatrixXcd slope = (side->at(s + step) - side->at(s - step)) / (2.0 * step);
          QVERIFY((value.derivative - slope).norm() <= 1e-4 * slope.norm() + 1e-9 * truth.norm() / std::abs(step));
        }
  }

  /// Damping that couples all modes, a fine mesh, and a cut-off that keeps them all: one count of the roots at zero
  /// delay and one value per frequency, each of a few thousand products. The margin of the delay is that of the root
  /// count.
  void criticalDelayOfAFineMesh() {
    const DelaySystem loop = vizzaccaroLoop(60, 58.0 / 60.0 * kBeamLength_m, modalDamping());
    const double cutoff_hz = 8000.0;
    QCOMPARE(condensedFor(loop, cutoff_hz).partition.numerical.size(), loop.partition.numerical.size());
    QVERIFY(provenStable(loop, cutoff_hz));
    const std::optional<Crossing> critical = criticalDelay(loop, cutoff_hz, 0.01);
    QVERIFY(critical.has_value() && critical->delay_s > 0.0);
    QCOMPARE(rightOfAxis(rightmostRoots(loop, 0.999 * critical->delay_s, cutoff_hz)), 0);
    QVERIFY(rightOfAxis(rightmostRoots(loop, 1.001 * critical->delay_s, cutoff_hz)) > 0);
  }

  /// Few DOF a side are not condensed; many are. The delay is the same.
  void criticalDelayDoesNotDependOnTheMesh() {
    const double coarse_s = criticalDelay(vizzaccaroLoop(36, 0.5 * kBeamLength_m), 500.0, 6e-3)->delay_s;
    for (const int elements : {60, 240, 600}) {
      if (!test::kThorough && elements > 60) continue;
      const double delay_s = criticalDelay(vizzaccaroLoop(elements, 0.5 * kBeamLength_m), 500.0, 6e-3)->delay_s;
      QVERIFY2(std::abs(delay_s / coarse_s - 1.0) < 1e-3, qPrintable(QString::number(delay_s / coarse_s - 1.0)));
    }
  }

  void criticalDelayBringsTheFirstUnstableRoot_data() {
    QTest::addColumn<double>("share");
    QTest::addColumn<double>("cutoff_hz");
    QTest::addColumn<double>("servo_hz");  // 0: pure delay
    for (const double share : {0.03, 0.05, 0.08, 0.1, 0.2, 0.5, 0.96}) {
      if (!test::kThorough && share != 0.1) continue;
      for (const double cutoff_hz : {333.3, 120.0})
        for (const double servo_hz : {0.0, 400.0}) {
          if (!test::kThorough && (cutoff_hz < 200.0 || servo_hz == 0.0)) continue;
          QTest::newRow(qPrintable(QString("%1 L, %2 Hz, servo %3 Hz").arg(share).arg(cutoff_hz).arg(servo_hz)))
              << share << cutoff_hz << servo_hz;
        }
    }
  }
  /// The search over the axis and the cut-off line against the number of roots: none just before, one just after, and
  /// none at delays before that, in steps of 7 % of a period of the cut-off.
  void criticalDelayBringsTheFirstUnstableRoot() {
    QFETCH(double, share);
    QFETCH(double, cutoff_hz);
    QFETCH(double, servo_hz);
    DelaySystem loop = condensedFor(vizzaccaroLoop(100, share * kBeamLength_m), cutoff_hz);
    if (servo_hz > 0.0) {
      const double w = kTwoPi * servo_hz;
      loop.actuators = {{{w * w}, {w * w, 1.4 * w, 1.0}}, {{w * w}, {w * w, 1.4 * w, 1.0}}};
      loop.base_delay_s = Eigen::Vector2d(1e-5, 2e-5);
    }
    const double longest_s = 3.0 / cutoff_hz;
    const std::optional<Crossing> critical = criticalDelay(loop, cutoff_hz, longest_s);
    const auto count = [&](double delay_s) { return rightOfAxis(rightmostRoots(loop, delay_s, cutoff_hz)); };
    const double until_s = critical ? critical->delay_s : longest_s;
    if (critical && critical->delay_s == 0.0) {
      QVERIFY(count(0.0) > 0);
      return;
    }
    const double step_s = 0.07 / cutoff_hz;
    for (double delay_s = 0.05 * step_s; delay_s < 0.999 * until_s; delay_s += step_s) QCOMPARE(count(delay_s), 0);
    if (!critical) return;
    QCOMPARE(count(0.9995 * critical->delay_s), 0);
    QCOMPARE(count(1.0005 * critical->delay_s), 1);
  }

  /// Branches from a few steps are those from many: nothing is swapped on the way.
  void locusFollowsEachRoot() {
    const DelaySystem loop = vizzaccaroLoop(test::kThorough ? 80 : 20, 0.35 * kBeamLength_m);
    const auto delays = [](int steps) {
      std::vector<double> list;
      for (int i = 0; i <= steps; ++i) list.push_back(0.9e-3 + 0.6e-3 * i / steps);
      return list;
    };
    const RootLocus coarse = rootLocus(loop, delays(6), 400.0),
                    fine = rootLocus(loop, delays(test::kThorough ? 48 : 12), 400.0);
    QCOMPARE(coarse.delay_s.size(), std::size_t{7});
    const std::vector<Complex>&first = coarse.roots.front(), &last = coarse.roots.back();
    int followed = 0;
    for (std::size_t branch = 0; branch < first.size(); ++branch) {
      if (std::isnan(first[branch].real()) || std::isnan(last[branch].real())) continue;
      const auto& from = fine.roots.front();
      for (std::size_t other = 0; other < from.size(); ++other)
        if (std::abs(from[other] - first[branch]) < 1e-6 * std::abs(first[branch])) {
          QVERIFY(std::abs(fine.roots.back()[other] - last[branch]) < 1e-6 * std::abs(last[branch]));
          ++followed;
        }
    }
    QVERIFY(followed >= 5);
    for (std::size_t i = 0; i < fine.delay_s.size(); ++i) {  // every root is on one branch
      std::size_t inside = 0;
      for (const Complex root : fine.roots[i]) inside += std::isnan(root.real()) ? 0 : 1;
      QCOMPARE(inside, rightmostRoots(loop, fine.delay_s[i], 400.0).size());
    }
  }

  void sweepIsTheSameOnAnyNumberOfThreads() {
    const Model beam = vizzaccaroBeam(60);
    const std::vector<double> positions = {0.05, 0.1, 0.2, 0.265, 0.4, 0.5};
    std::vector<std::size_t> told;
    const auto one = sweepInterface(beam, {}, positions, 250.0, 12e-3, 1, [&](std::size_t done, std::size_t total) {
      told.push_back(done);
      return total == 6;
    });
    const auto three = sweepInterface(beam, {}, positions, 250.0, 12e-3, 3);
    QCOMPARE(told, (std::vector<std::size_t>{1, 2, 3, 4, 5, 6}));
    for (std::size_t i = 0; i < positions.size(); ++i) {
      QVERIFY2(one[i].fault.empty(), one[i].fault.c_str());
      QCOMPARE(one[i].position_m, positions[i]);
      QVERIFY(one[i].critical.has_value());
      QCOMPARE(one[i].critical->delay_s, three[i].critical->delay_s);  // bit for bit
      QCOMPARE(one[i].physical_clamped_hz, three[i].physical_clamped_hz);
    }
    // Against the whole sides at one place.
    const Partition parts = vizzaccaroLoop(60, 0.2).partition;
    QVERIFY(
        std::abs(one[2].numerical_clamped_hz / clampedFrequencies(parts.numerical, parts.interface_in_numerical, 1)[0] -
                 1.0) < 1e-6);
    QVERIFY(
        std::abs(one[2].physical_clamped_hz / clampedFrequencies(parts.physical, parts.interface_in_physical, 1)[0] -
                 1.0) < 1e-6);
    QCOMPARE(one[2].critical->delay_s, criticalDelay({parts, {}, {}}, 250.0, 12e-3)->delay_s);
  }

  void sweepStopsAndNamesFaults() {
    const Model beam = vizzaccaroBeam(20);
    const auto stopped =
        sweepInterface(beam, {}, {0.1, 0.2, 0.3}, 250.0, 6e-3, 1, [](std::size_t, std::size_t) { return false; });
    QVERIFY(stopped[0].fault.empty());
    QVERIFY(!stopped[1].fault.empty() && !stopped[2].fault.empty());
    const auto outside = sweepInterface(beam, {}, {-1.0, 0.2, 99.0}, 250.0, 6e-3);
    QVERIFY(!outside[0].fault.empty() && outside[1].fault.empty() && !outside[2].fault.empty());
    QVERIFY_THROWS_EXCEPTION(InputError, sweepInterface(beam, {}, {0.2}, -1.0, 6e-3));
  }

  void psiIsTheLogarithmOfMilliseconds() {
    QCOMPARE(psi(1e-3), 0.0);
    QVERIFY(std::abs(psi(0.1) - 2.0) < 1e-12);
  }
};

HYB_SUITE(large_structures, LargeStructuresTest)
HYB_THREADS(large_structures)
#include "large_structures.moc"
