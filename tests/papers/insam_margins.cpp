// Insam 2022 (dissertation), what follows from closed loops of one interface DOF: V-01 to V-08, V-17, V-18, V-45.
#include <cmath>
#include <numbers>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/stability/loop_gain.h"
#include "core/stability/margins.h"
#include "core/structure/lumped.h"
#include "core/transfer/first_order.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

constexpr double kMarginCutoff_hz = 100.0;

/// Mass on spring and damper (computed) with a specimen of mass and spring at it.
struct MarginHalves {
  double m, k, d;       // numerical: kg, N/m, kg/s
  double m_exp, k_exp;  // specimen
};
DelaySystem loop(const MarginHalves& h, double lag_s = 0.0, double base_delay_s = 0.0) {
  LumpedStructure whole;
  whole.masses = {{"m", h.m + h.m_exp}};
  whole.supports = {{"wall"}};
  whole.links = {{"spring", "wall", "m", h.k + h.k_exp, h.d}};
  CutByMatrices specimen;
  specimen.physical = {{"m"}, {{h.m_exp}}, {{0.0}}, {{h.k_exp}}};
  PartitionSpec spec;
  spec.cut = specimen;
  DelaySystem system{cut(lumpedModel(whole), spec), {}, Eigen::VectorXd::Constant(1, base_delay_s)};
  if (lag_s > 0.0) system.actuators = {{{1.0}, {1.0, lag_s}}};
  return system;
}

MarginHalves contact(double d) { return {9.62, 1e4, d, 0.0, 8650.0}; }
const MarginHalves kStep{10.0, 2e4, 200.0, 0.0, 1e4};

Complex oscillation(const DelaySystem& system) {
  for (const Complex root : rightmostRoots(system, 0.0, kMarginCutoff_hz))
    if (root.imag() > 0.0) return root;
  return {};
}

}  // namespace

class PaperInsamMargins : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void v1v2Margins_data() {
    QTest::addColumn<double>("damping");
    QTest::addColumn<double>("margin_deg");
    QTest::addColumn<double>("frequency_hz");
    QTest::addColumn<double>("tolerated_ms");
    QTest::newRow("d = 200") << 200.0 << 62.08 << 6.082 << 28.35;
    QTest::newRow("d = 150") << 150.0 << 45.18 << 6.510 << 19.28;
    QTest::newRow("d = 100") << 100.0 << 29.56 << 6.793 << 12.09;
    QTest::newRow("d = 50") << 50.0 << 14.63 << 6.955 << 5.84;
  }
  void v1v2Margins() {
    QFETCH(double, damping);
    QFETCH(double, margin_deg);
    QFETCH(double, frequency_hz);
    QFETCH(double, tolerated_ms);
    const std::vector<GainCrossover> found = gainCrossovers(loop(contact(damping)), kMarginCutoff_hz);
    QCOMPARE(found.size(), std::size_t{2});  // the one near 2 Hz has a large margin
    QVERIFY(found[0].frequency_hz < 3.0 && found[0].phase_margin_deg > 120.0);
    compare(found[1].phase_margin_deg, margin_deg, 1e-3 * margin_deg, "margin, deg");
    compare(found[1].frequency_hz, frequency_hz, 1e-3 * frequency_hz, "crossover, Hz");
    compare(1e3 * found[1].tolerated_delay_s, tolerated_ms, 1e-3 * tolerated_ms, "tolerated delay, ms");

    // Two other ways to the same delay.
    const std::optional<Crossing> critical = criticalDelay(loop(contact(damping)), kMarginCutoff_hz, 0.1);
    compare(critical->delay_s, found[1].tolerated_delay_s, 1e-9, "critical delay, s");
    compare(criticalDelay(loop(contact(damping), 0.0, 4e-3), kMarginCutoff_hz, 0.1)->delay_s,
            found[1].tolerated_delay_s - 4e-3, 1e-9, "what 4 ms leave, s");
  }

  /// A delay in the loop takes 360 degrees times frequency times delay off the margin.
  void v3DelayTakesMargin() {
    const double margin_deg = 14.6 - 360.0 * 6.0 * 0.005;
    compare(margin_deg, 3.8, 0.05, "margin, deg");
    compare(1e3 * toleratedDelay(14.6, 6.0), 6.76, 0.005, "before, ms");
    compare(1e3 * toleratedDelay(margin_deg, 6.0), 1.76, 0.005, "after, ms");
    const GainCrossover before = gainCrossovers(loop(contact(50.0)), kMarginCutoff_hz)[1];
    const GainCrossover after = gainCrossovers(loop(contact(50.0), 0.0, 0.005), kMarginCutoff_hz)[1];
    compare(after.frequency_hz, before.frequency_hz, 1e-9, "crossover, Hz");
    compare(after.phase_margin_deg, before.phase_margin_deg - 360.0 * before.frequency_hz * 0.005, 1e-6, "margin, deg");
  }

  void v4QuarterPeriod() { QCOMPARE(toleratedDelay(90.0, 1.0), 0.25); }

  void v5Corners() {
    for (const auto& [lag_s, corner_hz] : {std::pair{1e-3, 159.2}, {10e-3, 15.92}, {30e-3, 5.31}}) {
      const ActuatorTransfer actuator = firstOrder(lag_s)->transfer();
      const auto gain = [&](double hz) {
        const std::complex<double> s(0.0, kTwoPi * hz);
        return std::abs(drive(actuator, s).value / evaluate(actuator.denominator, s).value);
      };
      QVERIFY(gain(0.999 * corner_hz) > std::numbers::sqrt2 / 2.0 &&
              gain(1.001 * corner_hz) < std::numbers::sqrt2 / 2.0);
    }
  }

  void v6v7PolesWithLag() {
    for (const auto& [lag_ms, frequency_hz, decay] :
         {std::tuple{0.0, 8.571, -10.0}, {1.0, 8.581, -9.49}, {10.0, 8.316, -5.70}, {30.0, 7.536, -4.57}}) {
      const Complex root = oscillation(loop(kStep, 1e-3 * lag_ms));
      compare(root.imag() / kTwoPi, frequency_hz, 0.01, "frequency, Hz");
      compare(root.real(), decay, 0.005, "real part, 1/s");
    }
  }

  void v8PeakOfT() {
    for (const auto& [delay_ms, magnitude, frequency_hz] :
         {std::tuple{0.0, 0.928, 8.42}, {5.0, 1.231, 8.50}, {10.0, 1.795, 8.43}}) {
      const Peak peak = peakComplementarySensitivity(loop(kStep), 1e-3 * delay_ms, kMarginCutoff_hz);
      compare(peak.magnitude, magnitude, 1e-2 * magnitude, "peak of T");
      compare(peak.frequency_hz, frequency_hz, 0.01, "at, Hz");
      compare(std::abs(complementarySensitivity(loop(kStep), 1e-3 * delay_ms, peak.frequency_hz)), peak.magnitude, 1e-9,
              "T there");
    }
  }

  void v17v18ContactFrequencies() {
    compare(oscillation(loop(contact(50.0))).imag() / kTwoPi, 6.995, 0.01, "d = 50, Hz");
    compare(oscillation(loop(contact(200.0))).imag() / kTwoPi, 6.81, 0.01, "d = 200, Hz");
  }

  void v45ReferenceFrequencies() {
    const std::pair<MarginHalves, double> cases[] = {{{9.62, 20000.0, 200.0, 0.0, 8650.0}, 8.526},
                                                     {{1.0, 2000.0, 10.0, 0.5, 0.0}, 5.787},
                                                     {{8.0, 11380.0, 20.0, 2.0, 710.0}, 5.532},
                                                     {{9.5, 13512.0, 20.0, 0.5, 177.0}, 5.886}};
    for (const auto& [halves, frequency_hz] : cases)
      compare(oscillation(loop(halves)).imag() / kTwoPi, frequency_hz, 1e-3, "frequency, Hz");
  }

  void marginsAreForOneInterface() {
    LumpedStructure two;
    two.masses = {{"a", 1.0}, {"b", 1.0}, {"c", 1.0}};
    two.supports = {{"wall"}};
    two.links = {{"1", "wall", "a", 1e3, 1.0},
                 {"2", "a", "b", 1e3, 1.0},
                 {"3", "b", "c", 1e3, 1.0},
                 {"4", "c", "wall", 1e3, 1.0}};
    PartitionSpec spec;
    spec.cut = CutByElements{{"b", "2", "3"}};
    QVERIFY_THROWS_EXCEPTION(InputError, gainCrossovers({cut(lumpedModel(two), spec), {}, {}}, kMarginCutoff_hz));
  }
};

HYB_SUITE(paper_insam_margins, PaperInsamMargins)
#include "insam_margins.moc"
