/// Vizzaccaro et al., iterative harmonic balance: what the test is made of. Rows V-8, V-10 and V-12 of the note.
#include "core/base/numbers.h"
#include "core/harmonic/harmonic_average.h"
#include "core/project/sensed_twin.h"
#include "core/structure/interface_map.h"
#include "core/structure/modes.h"
#include "tests/support/balance_run.h"
#include "tests/support/compare.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
using Complex = std::complex<double>;

namespace {

constexpr int kWindowPeriods = 30;
constexpr double kHumHz = 50.0, kHum = 1.4e-3;  // m, in the residual

/// What a window keeps of the hum at a frequency and phase.
Complex humIn(bool hann, double hz, double phase, double rate_hz) {
  HarmonicAverage average(1, 1, hann);
  const double ticks = kWindowPeriods * rate_hz / hz;
  average.begin(ticks);
  Eigen::VectorXcd turn(1);
  for (std::int64_t k = 0;; ++k) {
    const double t = static_cast<double>(k) / rate_hz;
    turn[0] = std::polar(1.0, kTwoPi * hz * t);
    if (average.add(turn, [&](Eigen::Index) { return kHum * std::sin(kTwoPi * kHumHz * t + phase); })) break;
  }
  return average.harmonics()(0, 0);
}

/// The rectangle's, eq. 26; psi of Re(psi e^{jwt}) has the sine with its sign turned.
Complex humFormula(double hz, double phase) {
  const double rho = kHumHz / hz, n = kWindowPeriods;
  const double size = 2.0 * kHum / (n * kPi) / (rho * rho - 1.0) * std::sin(n * kPi * rho);
  return {size * rho * std::sin(n * kPi * rho + phase), -size * std::cos(n * kPi * rho + phase)};
}
double humBound(double hz) {
  const double rho = kHumHz / hz;
  return 2.0 * kHum / (kWindowPeriods * kPi) * rho / std::abs(rho * rho - 1.0);
}
double hannBound(double hz) {
  const double rho = kHumHz / hz, n = kWindowPeriods;
  const auto term = [n](double x) { return 1.0 / (x * (n * n * x * x - 1.0)); };
  return kHum / (n * kPi) * (term(rho - 1.0) + term(rho + 1.0));
}

/// Free tip of the source as its root feels it, in closed form: Euler-Bernoulli, without damping.
Eigen::Matrix2d exactTip(double length_m, double mass_kg_per_m, double hz) {
  const double ei = 217e9 * 25.4e-3 * 1e-9 / 12.0, w = kTwoPi * hz;
  const double b = std::pow(mass_kg_per_m * w * w / ei, 0.25), l = b * length_m;
  const double c = std::cos(l), s = std::sin(l), ch = std::cosh(l), sh = std::sinh(l);
  Eigen::Matrix2d d;
  d << -b * b * b * (c * sh + s * ch), -b * b * s * sh, -b * b * s * sh, b * (c * sh - s * ch);
  return d * ei / (1.0 + c * ch);
}

Json withRatio(double ratio) {
  Json document = cantilever({17.5});
  document["structure"]["damping"]["specimen_ratios"] = Json::array({ratio});
  return document;
}

}  // namespace

class VizzaccaroTwin : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void v8RectangleAgainstItsFormula() {
    for (const double rate_hz : {5000.0, 500e3})
      for (const double hz : {16.0, 17.5, 19.0}) {
        // A window that is no whole number of ticks leaves the formula alone where it is none by itself.
        const double tolerance = rate_hz > 1e5 ? 1e-3 : 0.05;
        double largest = 0.0;
        for (int p = 0; p < (rate_hz > 1e5 ? 4 : 24); ++p) {
          const double phase = kTwoPi * p / 24.0;
          const Complex found = humIn(false, hz, phase, rate_hz), expected = humFormula(hz, phase);
          largest = std::max(largest, std::abs(found - expected) / humBound(hz));
        }
        QVERIFY2(largest < tolerance, qPrintable(QString("%1 Hz at %2: %3").arg(hz).arg(rate_hz).arg(largest)));
      }
    compareRelative(humBound(16.0), 0.01059e-3, 1e-3, "bound at 16 Hz");
    compareRelative(humBound(17.5), 0.01185e-3, 1e-3, "bound at 17.5 Hz");
    compareRelative(humBound(19.0), 0.01320e-3, 1e-3, "bound at 19 Hz");
  }

  void v8HannStaysBelowItsBound() {
    for (const double hz : {16.0, 17.5, 19.0}) {
      double largest = 0.0;
      for (int p = 0; p < 24; ++p) largest = std::max(largest, std::abs(humIn(true, hz, kTwoPi * p / 24.0, 5000.0)));
      QVERIFY2(largest < 1.05 * hannBound(hz), qPrintable(QString("%1 %2").arg(largest).arg(hannBound(hz))));
    }
    compareRelative(hannBound(16.0), 2.0e-9, 0.03, "Hann at 16 Hz");
    compareRelative(hannBound(17.5), 2.9e-9, 0.03, "Hann at 17.5 Hz");
    compareRelative(hannBound(19.0), 4.1e-9, 0.03, "Hann at 19 Hz");
  }

  /// Gauges and lasers of the template on a beam at rest.
  void v10StaticBeam() {
    const Project project = parseProject(cantilever({17.5}));
    const Partition partition = buildPartition(project);
    const Eigen::Matrix2d from_axes = partition.motion_from_axes;  // u and phi
    const double u = 1.3e-3, phi = -0.02, d_l = 0.03;
    const SensorMap lasers = sensorMap(partition, project.partition.sensors);
    const Eigen::Vector2d motion = from_axes * lasers.from_readings * Eigen::Vector2d(u, u - d_l * phi);
    QVERIFY(std::abs(motion[0] - u) < 1e-12 * std::abs(u) && std::abs(motion[1] - phi) < 1e-12 * std::abs(phi));
    // Shear force T on the specimen, moment m(0) in it: m = m(0) + d T, M = -m(0), f = -F.
    const double shear = 0.31, at_0 = -0.017, d_1 = 0.008, d_2 = 0.024;
    const SensorMap gauges = forceSensorMap(partition, project.partition.force_sensors);
    const Eigen::Vector2d readings(at_0 + d_1 * shear, at_0 + d_2 * shear);
    const Eigen::Vector2d force =
        linalg::inverse(Eigen::MatrixXd(from_axes)).transpose() * gauges.from_readings * readings;
    compareRelative(force[0], -shear, 1e-12, "shear");
    compareRelative(force[1], at_0, 1e-12, "moment");
  }

  void v12DynamicStiffness() {
    const BothSides sides(parseProject(withRatio(0.005)));
    const Eigen::Matrix2cd numerical = sides.numerical(17.5), physical = sides.physical(17.5);
    const auto close = [](Complex found, Complex expected, double share, const char* what) {
      QVERIFY2(std::abs(found - expected) < share * std::abs(expected),
               qPrintable(QString("%1: %2 %3i").arg(what).arg(found.real()).arg(found.imag())));
    };
    close(numerical(0, 0), {961.960, 9.956}, 1e-4, "D_N 11");
    close(numerical(0, 1), {-91.517, -0.766}, 1e-4, "D_N 12");
    close(numerical(1, 1), {10.689, 0.084}, 1e-4, "D_N 22");
    close(physical(0, 0), {-362.359, 3.089}, 1e-3, "D_P 11");
    close(physical(1, 1), {4.2126, 0.1921}, 1e-3, "D_P 22");
    close(physical(0, 1), {-1.805, 0.751}, 1e-3, "D_P 12");
    // Without damping, against the closed form.
    const BothSides clean(parseProject(withRatio(0.0)));
    const Eigen::Matrix2d exact = exactTip(0.36, 0.233534, 17.5);
    const Eigen::Matrix2d found = clean.physical(17.5).real();
    QVERIFY2((found - exact).norm() < 1e-3 * exact.norm(),
             qPrintable(QString("%1 %2 %3").arg(exact(0, 0)).arg(exact(0, 1)).arg(exact(1, 1))));
  }

  void v12ClampedModes() {
    const Project project = parseProject(cantilever({17.5}));
    const BothSides sides(project);
    const Eigen::VectorXd found =
        clampedFrequencies(sides.partition.physical, sides.partition.interface_in_physical, 5);
    const double expected[] = {6.055, 37.95, 106.26, 208.22, 344.21};
    for (int k = 0; k < 5; ++k) compareRelative(found[k], expected[k], 1e-3, "specimen, Hz");
  }

  void v12Response_data() {
    QTest::addColumn<double>("ratio");
    QTest::addColumn<int>("column");
    QTest::newRow("bare") << 0.002 << 0;
    QTest::newRow("narrow sheet") << 0.005 << 1;
    QTest::newRow("wide sheet") << 0.008 << 2;
  }
  void v12Response() {
    QFETCH(double, ratio);
    QFETCH(int, column);
    struct Row {
      double hz, amplitude[3], phase_deg[3];
    };
    constexpr Row rows[] = {{16.0, {5.024, 5.002, 4.964}, {-3.02, -5.99, -8.91}},
                            {17.0, {12.469, 12.096, 11.534}, {-8.06, -15.90, -23.13}},
                            {17.5, {52.129, 35.437, 25.674}, {-37.49, -57.07, -66.41}},
                            {17.6, {83.824, 41.673, 27.688}, {-80.43, -84.97, -86.25}},
                            {18.0, {18.595, 17.286, 15.604}, {-166.96, -154.60, -144.20}},
                            {19.0, {5.005, 4.974, 4.923}, {-176.21, -172.16, -168.17}}};
    const BothSides sides(parseProject(withRatio(ratio)));
    for (const Row& row : rows) {
      const Complex h = 1e3 * sides.response(row.hz)[0];
      compareRelative(std::abs(h), row.amplitude[column], 1e-3, "H_11, mm/N");
      QVERIFY2(std::abs(std::arg(h) * 180.0 / kPi - row.phase_deg[column]) < 0.06,
               qPrintable(QString::number(std::arg(h) * 180.0 / kPi)));
    }
    const double peaks_hz[] = {17.614, 17.613, 17.611}, peaks[] = {84.91, 41.78, 27.71};
    double best_hz = 0.0, best = 0.0;
    for (double hz = 17.55; hz < 17.65; hz += 1e-3)
      if (const double size = std::abs(sides.response(hz)[0]); size > best) {
        best = size;
        best_hz = hz;
      }
    QVERIFY2(std::abs(best_hz - peaks_hz[column]) < 1.1e-3, qPrintable(QString::number(best_hz)));
    compareRelative(1e3 * best, peaks[column], 1e-3, "peak, mm/N");
  }
};

HYB_SUITE(paper_vizzaccaro_twin, VizzaccaroTwin)
#include "vizzaccaro_twin.moc"
