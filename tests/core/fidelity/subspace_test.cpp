#include <QTest>
#include <cmath>
#include <random>
#include <vector>

#include "core/base/numbers.h"
#include "core/fidelity/record.h"
#include "core/fidelity/running.h"
#include "core/fidelity/subspace.h"
#include "core/fidelity/synchronisation.h"
#include "tests/core/fidelity/step.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

struct TrackedMotion {
  std::vector<double> command, achieved;
};
TrackedMotion trackedSines(double frequency_hz, double ratio, double tau_s, int samples, double noise = 0.0) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0.0, 1.0);
  TrackedMotion pair;
  for (int k = 0; k < samples; ++k) {
    const double angle = 2.0 * kPi * frequency_hz * kSignalStep_s * k + 0.3;
    pair.command.push_back(2e-3 * std::sin(angle) + 4e-4);
    pair.achieved.push_back(2e-3 * ratio * std::sin(angle - 2.0 * kPi * frequency_hz * tau_s) - 1e-4 +
                            noise * normal(random));
  }
  return pair;
}
/// The tracking indicator after the first `rows`.
double swept(const TrackedMotion& pair, std::size_t rows) {
  RunningTrackingIndicator indicator;
  indicator.moveTo(pair.command[0], pair.achieved[0]);
  for (std::size_t k = 1; k < rows; ++k) indicator.add(pair.command[k], pair.achieved[k]);
  return indicator.area();
}

}  // namespace

class FidelitySubspace : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ellipseOfSines_data() {
    QTest::addColumn<double>("frequency_hz");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<double>("tau_s");
    QTest::addColumn<int>("samples");
    QTest::newRow("lag") << 8.0 << 0.9 << 0.002 << 500;
    QTest::newRow("lead, no whole periods") << 8.0 << 1.1 << -0.003 << 431;
    QTest::newRow("a line") << 12.5 << 1.0 << 0.0 << 800;
    QTest::newRow("more than a quarter period") << 10.0 << 0.8 << 0.03 << 1000;
  }
  void ellipseOfSines() {
    QFETCH(double, frequency_hz);
    QFETCH(double, ratio);
    QFETCH(double, tau_s);
    QFETCH(int, samples);
    const TrackedMotion pair = trackedSines(frequency_hz, ratio, tau_s, samples);
    const double phase = 2.0 * kPi * frequency_hz * tau_s;
    for (const double known_hz : {frequency_hz, 0.0}) {
      const std::optional<SubspaceEllipse> fit =
          fitSubspaceEllipse(pair.command, pair.achieved, kSignalStep_s, known_hz);
      QVERIFY(fit.has_value());
      const double loose = known_hz > 0.0 ? 1e-9 : 1e-6;
      compare(fit->frequency_hz, frequency_hz, loose * frequency_hz, "frequency, Hz");
      compare(fit->amplitude_ratio, ratio, loose, "amplitude ratio");
      compare(fit->delay_s, tau_s, loose * 0.01, "delay, s");
      compare(fit->phase_deg, -phase * 180.0 / kPi, loose * 100.0, "phase, deg");
      compare(fit->area, kPi * 4e-6 * ratio * std::sin(phase), loose * 1e-5, "area, m2");
      compare(fit->centre_command, 4e-4, loose, "centre of the command, m");
      compare(fit->centre_achieved, -1e-4, loose, "centre of the achieved, m");
      const double axis = 0.5 * std::atan2(2.0 * ratio * std::cos(phase), 1.0 - ratio * ratio);
      compare(fit->slope, std::tan(axis), loose * 10.0, "slope of the long axis");
      // Semi-axes: from their product (area) and the sum of their squares (trace), which no rotation changes.
      compare(kPi * fit->semi_major * fit->semi_minor, std::abs(fit->area), 1e-16, "pi a b, m2");
      compare(std::hypot(fit->semi_major, fit->semi_minor), 2e-3 * std::hypot(1.0, ratio), loose, "sqrt(a2 + b2), m");
      QVERIFY(fit->explained > 0.9);
      // The drawn ellipse passes through the points: the command's angle gives the achieved one.
      for (std::size_t k = 0; k < pair.command.size(); k += 37) {
        const double angle = 2.0 * kPi * frequency_hz * kSignalStep_s * static_cast<double>(k) + 0.3 - 0.5 * kPi;
        compare(fit->point(angle)[0], pair.command[k], 1e-8, "drawn command, m");
        compare(fit->point(angle)[1], pair.achieved[k], 1e-8, "drawn achieved, m");
      }
    }
  }

  void noiseDoesNotOpenTheLine() {  // a conic through the points would
    const TrackedMotion pair = trackedSines(8.0, 1.0, 0.0, 2000, 2e-5);
    const SubspaceEllipse fit = fitSubspaceEllipse(pair.command, pair.achieved, kSignalStep_s).value();
    compare(fit.delay_s, 0.0, 1e-5, "delay, s");  // 2e-5 / 2e-3 sqrt(2 / 2000) / w = 6 us
    compare(fit.amplitude_ratio, 1.0, 1e-3, "amplitude ratio");
    const double share = 2e-6 / (2e-6 + 4e-10);
    compare(fit.explained, share, 2e-4, "explained");
  }

  void areaIsThatOfTheReadingAndThePolygon() {
    const TrackedMotion pair = trackedSines(10.0, 0.9, 0.004, 1000);
    const double area = fitSubspaceEllipse(pair.command, pair.achieved, kSignalStep_s, 10.0)->area;
    compare(synchronisation(pair.command, pair.achieved, kSignalStep_s, 10.0).area, area, 1e-15, "reading, m2");
    const TrackedMotion whole = trackedSines(10.0, 0.9, 0.004, 1001);  // ten periods, closed
    const double q = 2.0 * kPi / 100.0;
    compare(swept(whole, 1001), 10.0 * std::sin(q) / q * area, 1e-14, "ten rounds, m2");
    compare(swept(whole, 501), 0.5 * swept(whole, 1001), 1e-14, "five rounds, m2");
    QVERIFY(swept(trackedSines(10.0, 0.9, -0.004, 1001), 1001) < 0.0);
  }

  void amplitudeIndicatorIsTheSlope() {
    const TrackedMotion line = trackedSines(8.0, 0.7, 0.0, 1000);
    compare(amplitudeIndicator(line.command, line.achieved), 0.7, 1e-12, "line");
    const TrackedMotion open = trackedSines(8.0, 1.0, 0.01, 1000);  // whole periods
    compare(amplitudeIndicator(open.command, open.achieved), 1.0, 1e-9, "equal amplitudes");
    const TrackedMotion both = trackedSines(8.0, 0.8, 0.01, 1000);
    compare(amplitudeIndicator(both.command, both.achieved),
            fitSubspaceEllipse(both.command, both.achieved, kSignalStep_s, 8.0)->slope, 1e-9, "as the ellipse");
    compare(amplitudeIndicator(both.achieved, both.command), 1.0 / amplitudeIndicator(both.command, both.achieved),
            1e-9, "axes swapped");
  }

  void badInput() {
    const TrackedMotion pair = trackedSines(8.0, 1.0, 0.001, 500);
    std::vector<double> broken = pair.command;
    broken[9] = kNoValue;
    const std::vector<double> rest(500, 1e-3), few(7, 1.0);
    for (const double f : {0.0, 8.0}) {
      QVERIFY(!fitSubspaceEllipse(pair.command, rest, kSignalStep_s, f) &&
              !fitSubspaceEllipse(rest, pair.command, kSignalStep_s, f));
      QVERIFY(!fitSubspaceEllipse(pair.command, broken, kSignalStep_s, f) &&
              !fitSubspaceEllipse({}, {}, kSignalStep_s, f));
      QVERIFY(!fitSubspaceEllipse(pair.command, few, kSignalStep_s, f) &&
              !fitSubspaceEllipse(few, few, kSignalStep_s, f));
    }
    QVERIFY(!fitSubspaceEllipse(pair.command, pair.achieved, kSignalStep_s, 0.5));  // a quarter of a period
    QVERIFY(!fitSubspaceEllipse(pair.command, pair.achieved, 0.0));
    QVERIFY(!fitSubspaceEllipse(pair.command, pair.achieved, kSignalStep_s, kNoValue));
    QVERIFY(std::isnan(amplitudeIndicator(rest, rest)) && std::isnan(amplitudeIndicator(pair.command, broken)));
    QVERIFY(std::isfinite(swept({broken, pair.achieved}, 9)) && std::isnan(swept({broken, pair.achieved}, 500)));
  }
};

HYB_SUITE(fidelity_subspace, FidelitySubspace)
#include "subspace_test.moc"
