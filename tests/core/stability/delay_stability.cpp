#include "core/stability/delay_stability.h"

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/linalg/dense.h"
#include "core/linalg/eigen.h"
#include "core/stability/characteristic.h"
#include "core/stability/stable_delays.h"
#include "core/structure/reduction.h"
#include "core/transfer/command_response.h"
#include "core/transfer/servo_hydraulic.h"
#include "tests/support/determinant.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using Complex = std::complex<double>;

namespace {

constexpr double kCutoff_hz = 100.0;

SystemMatrices oneMass(double m, double c, double k) {
  SystemMatrices system;
  system.dofs = {{"m"}};
  const auto matrix = [](double value) { return SparseMatrix(Eigen::MatrixXd::Constant(1, 1, value).sparseView()); };
  system.m = matrix(m);
  system.c = matrix(c);
  system.k = matrix(k);
  return system;
}

/// Mass m on spring k and damper c to the wall (computed), with a tested spring beside it, delayed.
struct Oscillator {
  double m = 2.0, c = 1.0, k = 500.0, tested_k = 300.0, tested_c = 0.0;
  DelaySystem loop() const {
    // The specimen is a grounded spring, which a cut by elements cannot give: directly as matrices.
    Partition p;
    p.numerical = oneMass(m, c, k);
    p.physical = oneMass(0.0, tested_c, tested_k);
    p.reference = oneMass(m, c + tested_c, k + tested_k);
    p.interface = p.reference.dofs;
    p.interface_in_reference = p.interface_in_numerical = p.interface_in_physical = {0};
    return {p, {}, {}};
  }
};

ActuatorTransfer servo(double frequency_hz) {
  const double omega = 2.0 * kPi * frequency_hz;
  return {{omega * omega}, {omega * omega, 1.4 * omega, 1.0}};
}

DelaySystem threeMassLoop() { return {cut(test::threeMass(), test::threeMassPartition()), {}, {}}; }

/// Rightmost eigenvalues of x' = A0 x + A1 x(t - tau) with pure delays, by collocation on Chebyshev points. Source: D.
/// Breda, S. Maset, R. Vermiglio, Pseudospectral differencing methods for characteristic roots of delay differential
/// equations, SIAM J. Sci. Comput. 27 (2005).
std::vector<Complex> collocatedRoots(const Partition& cut, double delay_s, int points) {
  const Eigen::Index ns = cut.numerical.m.rows();
  std::vector<Eigen::Index> row(static_cast<std::size_t>(cut.physical.m.rows()), -1);
  for (std::size_t i = 0; i < cut.interface.size(); ++i)
    row[static_cast<std::size_t>(cut.interface_in_physical[i])] = cut.interface_in_numerical[i];
  Eigen::Index n = ns;
  for (Eigen::Index& r : row)
    if (r < 0) r = n++;
  const auto split = [&](const SparseMatrix& in_ns, const SparseMatrix& in_ps, bool delayed) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(n, n), ps = sum;
    if (!delayed) sum.topLeftCorner(ns, ns) = Eigen::MatrixXd(in_ns);
    ps(row, row) = Eigen::MatrixXd(in_ps);
    if (delayed)
      ps.rightCols(n - ns).setZero();
    else
      ps.leftCols(ns).setZero();
    return Eigen::MatrixXd(sum + ps);
  };
  const Eigen::MatrixXd m_inverse = linalg::inverse(split(cut.numerical.m, cut.physical.m, false));
  Eigen::MatrixXd a[2];
  for (const bool delayed : {false, true}) {
    a[delayed] = Eigen::MatrixXd::Zero(2 * n, 2 * n);
    a[delayed].bottomLeftCorner(n, n) = -m_inverse * split(cut.numerical.k, cut.physical.k, delayed);
    a[delayed].bottomRightCorner(n, n) = -m_inverse * split(cut.numerical.c, cut.physical.c, delayed);
    if (!delayed) a[delayed].topRightCorner(n, n).setIdentity();
  }
  // Differentiation matrix on [-tau, 0], first point t = 0.
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(points + 1, points + 1);
  const auto x = [&](int i) { return std::cos(kPi * i / points); };
  const auto weight = [&](int i) { return (i == 0 || i == points ? 2.0 : 1.0) * (i % 2 == 0 ? 1.0 : -1.0); };
  for (int i = 0; i <= points; ++i)
    for (int j = 0; j <= points; ++j)
      if (i != j) d(i, j) = weight(i) / weight(j) / (x(i) - x(j));
  d.diagonal() = -d.rowwise().sum();
  d *= 2.0 / delay_s;

  Eigen::MatrixXd big = Eigen::MatrixXd::Zero(2 * n * (points + 1), 2 * n * (points + 1));
  big.block(0, 0, 2 * n, 2 * n) = a[0];
  big.block(0, 2 * n * points, 2 * n, 2 * n) = a[1];
  for (int i = 1; i <= points; ++i)
    for (int j = 0; j <= points; ++j)
      big.block(2 * n * i, 2 * n * j, 2 * n, 2 * n) = d(i, j) * Eigen::MatrixXd::Identity(2 * n, 2 * n);
  const Eigen::VectorXcd values = linalg::eigenvalues(big);
  return {values.begin(), values.end()};
}

/// Sorted like rightmostRoots: upper half plane, below the cut-off, right of `left`.
std::vector<Complex> upper(std::vector<Complex> roots, double left) {
  std::erase_if(roots,
                [&](Complex s) { return s.imag() < -1e-6 || s.imag() > 2.0 * kPi * kCutoff_hz || s.real() < left; });
  std::sort(roots.begin(), roots.end(), [](Complex a, Complex b) { return a.real() > b.real(); });
  return roots;
}

int unstable(const std::vector<Complex>& roots) {
  return static_cast<int>(std::count_if(roots.begin(), roots.end(), [](Complex s) { return s.real() > 0.0; }));
}

/// Every expected root has its own partner.
QString compareRoots(std::vector<Complex> actual, const std::vector<Complex>& expected, double tolerance) {
  if (actual.size() != expected.size())
    return QString("%1 roots instead of %2").arg(actual.size()).arg(expected.size());
  for (const Complex e : expected) {
    const auto nearest = std::min_element(actual.begin(), actual.end(),
                                          [&](Complex a, Complex b) { return std::abs(a - e) < std::abs(b - e); });
    if (!(std::abs(*nearest - e) <= tolerance * (1.0 + std::abs(e))))
      return QString("no root at %1 %2i").arg(e.real(), 0, 'g', 12).arg(e.imag(), 0, 'g', 12);
    actual.erase(nearest);
  }
  return {};
}

#define COMPARE_ROOTS(actual, expected, tolerance)                        \
  do {                                                                    \
    const QString difference = compareRoots(actual, expected, tolerance); \
    QVERIFY2(difference.isEmpty(), qPrintable(difference));               \
  } while (false)

}  // namespace

class DelayStabilityTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// m s^2 + c s + k + p e^{-s tau}: on the axis where |k - m w^2 + i c w| = p.
  void crossingsOfAnOscillator() {
    const Oscillator o;
    // (k - m w^2)^2 + c^2 w^2 = p^2, quadratic in w^2.
    const double b = o.c * o.c - 2.0 * o.k * o.m,
                 q = std::sqrt(b * b - 4.0 * o.m * o.m * (o.k * o.k - o.tested_k * o.tested_k));
    std::vector<Crossing> expected;
    for (const double sign : {1.0, -1.0}) {
      const double omega = std::sqrt((-b + sign * q) / (2.0 * o.m * o.m));
      const Complex mu = -Complex(o.k - o.m * omega * omega, o.c * omega) / o.tested_k;
      double lag = -std::arg(mu);
      if (lag < 0.0) lag += 2.0 * kPi;
      for (; lag / omega <= 1.0; lag += 2.0 * kPi) expected.push_back({lag / omega, omega / (2.0 * kPi), sign > 0.0});
    }
    std::sort(expected.begin(), expected.end(), [](auto& a1, auto& a2) { return a1.delay_s < a2.delay_s; });

    const std::vector<Crossing> found = crossings(o.loop(), kCutoff_hz, 1.0);
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      QVERIFY(std::abs(found[i].delay_s / expected[i].delay_s - 1.0) < 1e-10);
      QVERIFY(std::abs(found[i].frequency_hz / expected[i].frequency_hz - 1.0) < 1e-10);
      QCOMPARE(found[i].destabilising, expected[i].destabilising);  // the higher frequency destabilises
    }
  }

  /// The oscillator's islands lie between its crossings in closed form: at the higher frequency a root goes to the
  /// right, at the lower one it comes back, until the two overlap for good.
  void islandsOfAnOscillator() {
    const Oscillator o;
    const double b = o.c * o.c - 2.0 * o.k * o.m,
                 q = std::sqrt(b * b - 4.0 * o.m * o.m * (o.k * o.k - o.tested_k * o.tested_k));
    std::vector<std::pair<double, int>> changes;
    for (const double sign : {1.0, -1.0}) {
      const double omega = std::sqrt((-b + sign * q) / (2.0 * o.m * o.m));
      double lag = -std::arg(-Complex(o.k - o.m * omega * omega, o.c * omega) / o.tested_k);
      if (lag < 0.0) lag += 2.0 * kPi;
      for (; lag / omega <= 1.5; lag += 2.0 * kPi) changes.emplace_back(lag / omega, sign > 0.0 ? 1 : -1);
    }
    changes.emplace_back(1.5, 0);
    std::sort(changes.begin(), changes.end());
    std::vector<DelayInterval> expected;
    double from_s = 0.0;
    int right = 0;
    for (const auto& [delay_s, roots] : changes) {
      if (right == 0) expected.push_back({from_s, delay_s});
      right += roots;
      from_s = delay_s;
    }
    const std::vector<DelayInterval> found = stableDelays(o.loop(), 10.0, 1.5);
    QVERIFY(expected.size() > 1);
    QCOMPARE(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      QVERIFY(std::abs(found[i].from_s - expected[i].from_s) < 1e-10);
      QVERIFY(std::abs(found[i].to_s - expected[i].to_s) < 1e-10);
    }
    // What the roots themselves say, in the middle of every gap and island.
    for (std::size_t i = 0; i < found.size(); ++i) {
      QCOMPARE(unstable(rightmostRoots(o.loop(), 0.5 * (found[i].from_s + found[i].to_s), 10.0)), 0);
      const double next_s = i + 1 < found.size() ? found[i + 1].from_s : 1.5;
      if (next_s > found[i].to_s) QVERIFY(unstable(rightmostRoots(o.loop(), 0.5 * (found[i].to_s + next_s), 10.0)) > 0);
    }
  }

  void theFirstIntervalEndsAtTheCriticalDelay() {
    const DelaySystem system = threeMassLoop();
    const std::vector<DelayInterval> found = stableDelays(system, kCutoff_hz, 0.08);
    QVERIFY(!found.empty());
    QCOMPARE(found.front().from_s, 0.0);
    QVERIFY(std::abs(found.front().to_s - criticalDelay(system, kCutoff_hz, 0.08)->delay_s) < 1e-12);
  }

  /// The number of unstable roots changes by one at each crossing, in its direction: two independent computations.
  void everyCrossingMovesOneRoot_data() {
    QTest::addColumn<int>("kind");
    QTest::newRow("oscillator") << 1;
    if (!test::kThorough) return;
    QTest::newRow("three masses") << 0;
    QTest::newRow("three masses with servos") << 2;
  }
  void everyCrossingMovesOneRoot() {
    QFETCH(int, kind);
    const double cutoff_hz = kind == 1 ? 10.0 : kCutoff_hz;
    DelaySystem system = kind == 1 ? Oscillator{}.loop() : threeMassLoop();
    if (kind == 2) {
      system.actuators = {servo(60.0), servo(45.0)};
      system.base_delay_s = Eigen::Vector2d(1e-4, 3e-4);
    }
    const std::vector<Crossing> found = crossings(system, cutoff_hz, kind == 1 ? 1.5 : 0.15);
    QVERIFY(found.size() >= (kind == 1 ? 2u : 4u));
    for (const Crossing& crossing : found) {
      const int before = unstable(rightmostRoots(system, 0.9995 * crossing.delay_s, cutoff_hz));
      const int after = unstable(rightmostRoots(system, 1.0005 * crossing.delay_s, cutoff_hz));
      QCOMPARE(after - before, crossing.destabilising ? 1 : -1);
    }
  }

  void rootsWithoutDelayAreThoseOfTheWhole() {
    const DelaySystem system = threeMassLoop();
    const SystemMatrices& whole = system.partition.reference;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(6, 6);
    a.topRightCorner(3, 3).setIdentity();
    a.bottomLeftCorner(3, 3) = -linalg::inverse(whole.m) * whole.k;
    a.bottomRightCorner(3, 3) = -linalg::inverse(whole.m) * whole.c;
    const Eigen::VectorXcd values = linalg::eigenvalues(a);
    const std::vector<Complex> found = rightmostRoots(system, 0.0, kCutoff_hz);
    COMPARE_ROOTS(found, upper({values.begin(), values.end()}, -1e9), 1e-10);
  }

  void rootsAgreeWithCollocation_data() {
    QTest::addColumn<double>("delay_s");
    for (const double delay_s : {1e-3, 6.475e-3, 2e-2, 7e-2})
      if (test::kThorough || delay_s == 1e-3) QTest::newRow(qPrintable(QString("%1 ms").arg(1e3 * delay_s))) << delay_s;
  }
  /// Also none is missing right of the last one found.
  void rootsAgreeWithCollocation() {
    QFETCH(double, delay_s);
    const DelaySystem system = threeMassLoop();
    const std::vector<Complex> found = rightmostRoots(system, delay_s, kCutoff_hz);
    QVERIFY(!found.empty());
    const double left = found.back().real() - 1e-6;
    COMPARE_ROOTS(found, upper(collocatedRoots(system.partition, delay_s, test::kThorough ? 40 : 16), left), 1e-6);
    for (std::size_t i = 1; i < found.size(); ++i) QVERIFY(found[i - 1].real() >= found[i].real());
  }

  /// What comes out solves the equation it is said to solve, with servos and unequal delays.
  void rootsSolveTheCharacteristicEquation() {
    DelaySystem system = threeMassLoop();
    system.actuators = {servo(28.0), servo(26.6)};
    system.base_delay_s = Eigen::Vector2d(0.5e-3, 0.8e-3);
    const Partition& p = system.partition;
    const std::vector<Complex> found = rightmostRoots(system, 1e-3, kCutoff_hz);
    QVERIFY(found.size() >= 3);
    for (const Complex s : found) {
      const auto loop = [&](Complex at) {
        const Eigen::MatrixXcd ps(dynamicStiffness(p.physical, at));
        const std::vector<Eigen::Index> ends{0, 2};
        Eigen::MatrixXcd condensed = ps(ends, ends);
        condensed -= ps(ends, Eigen::seqN(1, 1)) * ps(Eigen::seqN(1, 1), ends) / ps(1, 1);
        for (int i = 0; i < 2; ++i) {
          const double omega = system.actuators[static_cast<std::size_t>(i)].denominator[1] / 1.4;
          condensed.col(i) *= omega * omega / (at * at + 1.4 * omega * at + omega * omega) *
                              std::exp(-at * (1e-3 + system.base_delay_s[i]));
        }
        return test::determinant(Eigen::MatrixXcd(dynamicStiffness(p.numerical, at)) + condensed);
      };
      QVERIFY2(std::abs(loop(s)) < 1e-8 * std::abs(loop(s + Complex(10.0, 10.0))),
               qPrintable(QString("%1 %2i").arg(s.real()).arg(s.imag())));
    }
  }

  /// With servo-hydraulic actuators, which feel the specimen, and a compensator's taps: D_N z + D_P H z = 0 with H by
  /// the twin's own frequency response.
  void rootsWithActuatorsThatFeelTheSpecimen() {
    DelaySystem system = threeMassLoop();
    TwinParams twin;
    for (std::size_t i = 0; i < 2; ++i) {
      HydraulicParams params;
      params.piston_mass_kg = 5.0 + 20.0 * static_cast<double>(i);
      params.a1b0 *= 0.02;  // weak enough to feel springs of 9000 N/m
      twin.actuators.push_back({.model = servoHydraulic(params)});
      system.actuators.push_back(transferOf(twin.actuators[i]));
      system.actuators[i].taps = {1.9, -0.9};
      system.actuators[i].tap_s = 1e-3;
    }
    system.base_delay_s = Eigen::Vector2d(4e-3, 1e-3);
    const Partition& p = system.partition;
    const Roots found = countedRoots(system, 1e-3, kCutoff_hz);
    QCOMPARE(static_cast<int>(found.roots.size()), found.counted);
    QVERIFY(found.counted >= 3);
    for (const Complex s : found.roots) {
      const auto loop = [&](Complex at) {
        Eigen::MatrixXcd response = commandResponse(p, twin, at);
        for (int i = 0; i < 2; ++i)
          response.col(i) *= (1.9 - 0.9 * std::exp(-1e-3 * at)) * std::exp(-at * (1e-3 + system.base_delay_s[i]));
        const Eigen::MatrixXcd rest = condensedStiffness(p.numerical, p.interface_in_numerical, at) +
                                      condensedStiffness(p.physical, p.interface_in_physical, at) * response;
        return test::determinant(rest);
      };
      QVERIFY2(std::abs(loop(s)) < 1e-6 * std::abs(loop(s + Complex(10.0, 10.0))),
               qPrintable(QString("%1 %2i").arg(s.real()).arg(s.imag())));
    }
  }

  /// Actuator 1 alone late: the critical delay is where a root of the loop crosses, and is longer than with both late.
  void oneLateActuator() {
    const DelaySystem both = threeMassLoop();
    const std::optional<Crossing> together = criticalDelay(both, kCutoff_hz, 0.1);
    for (Eigen::Index i = 0; i < 2; ++i) {
      DelaySystem one = both;
      one.late = i;
      const std::optional<Crossing> alone = criticalDelay(one, kCutoff_hz, 0.1);
      QVERIFY(alone && together && alone->delay_s > together->delay_s);
      DelaySystem fixed = both;
      for (const double factor : {0.999, 1.001}) {
        fixed.base_delay_s = Eigen::VectorXd::Zero(2);
        fixed.base_delay_s[i] = factor * alone->delay_s;
        const Complex first = rightmostRoots(fixed, 0.0, kCutoff_hz).front();
        QVERIFY2((first.real() > 0.0) == (factor > 1.0), qPrintable(QString::number(first.real())));
        QVERIFY(std::abs(first.imag() / (2.0 * kPi) - alone->frequency_hz) < 0.05 * alone->frequency_hz);
        COMPARE_ROOTS(rightmostRoots(one, factor * alone->delay_s, kCutoff_hz), rightmostRoots(fixed, 0.0, kCutoff_hz),
                      1e-9);
      }
    }
  }

  /// Two masses on alike springs with a weak one between them: their modes lie 1e-4 rad/s apart, and are two roots, not
  /// one that counts twice, with a cut-off far above them.
  void rootsCloseTogetherStayApart() {
    for (const double weak : {1e-2, 1e-3}) {
      LumpedStructure s;
      s.supports = {{"wall"}};
      s.masses = {{"a", 1.0}, {"b", 1.0}, {"c", 5.0}};
      s.links = {{"ka", "wall", "a", 1e4, 0.4},
                 {"kb", "wall", "b", 1e4, 0.4},
                 {"ab", "a", "b", weak, 0.0},
                 {"kc", "wall", "c", 2e4, 1.0},
                 {"test", "b", "c", 1e-6, 1e-7}};
      PartitionSpec spec;
      spec.cut = CutByElements{{"test"}};
      const DelaySystem system{cut(lumpedModel(s), spec), {}, {}};
      const std::vector<Complex> found = rightmostRoots(system, 0.0, 500.0);
      const SystemMatrices& whole = system.partition.reference;
      Eigen::MatrixXd a = Eigen::MatrixXd::Zero(6, 6);
      const Eigen::MatrixXd inverse = linalg::inverse(whole.m);
      a.topRightCorner(3, 3).setIdentity();
      a.bottomLeftCorner(3, 3) = -inverse * whole.k;
      a.bottomRightCorner(3, 3) = -inverse * whole.c;
      const Eigen::VectorXcd expected = linalg::eigenvalues(a);
      QCOMPARE(found.size(), std::size_t{3});
      for (const Complex root : found)
        QVERIFY2((expected.array() - root).abs().minCoeff() < 0.02 * weak / 100.0,
                 qPrintable(QString::number(root.imag(), 'g', 15)));
      // As many different ones: with each other's mode as the nearest, both would be the same.
      std::vector<double> close;
      for (const Complex root : found)
        if (std::abs(root.imag() - 100.0) < 1.0) close.push_back(root.imag());
      QCOMPARE(close.size(), std::size_t{2});
      QVERIFY(std::abs(std::abs(close[0] - close[1]) - weak / 100.0) < 0.05 * weak / 100.0);
    }
  }

  /// Delays up to the very limit that the program computes itself are no fault of its user, at any cut-off.
  void theLongestDelayIsNotRefused() {
    for (double cutoff_hz = 1.0; cutoff_hz < 5000.0; cutoff_hz += 1.37)
      requireSoundRange(longestDelay(cutoff_hz), cutoff_hz);
    QVERIFY_THROWS_EXCEPTION(InputError, requireSoundRange(1.001 * longestDelay(1824.0), 1824.0));
  }

  /// Overdamped: real roots, reported once. m s^2 + c s + k + p.
  void realRootsAreRealAndCountedOnce() {
    Oscillator o;
    o.c = 400.0;
    const std::vector<Complex> found = rightmostRoots(o.loop(), 0.0, kCutoff_hz);
    const double q = std::sqrt(o.c * o.c - 4.0 * o.m * (o.k + o.tested_k));
    COMPARE_ROOTS(found, (std::vector<Complex>{(-o.c + q) / (2.0 * o.m), (-o.c - q) / (2.0 * o.m)}), 1e-10);
    for (const Complex s : found) QCOMPARE(s.imag(), 0.0);
  }

  /// Two equal structures side by side have every root twice.
  void doubleRootsCountTwice() {
    LumpedStructure s;
    CutByElements physical;
    for (const std::string side : {"a", "b"}) {
      s.masses.push_back({"m" + side, 2.0});
      s.masses.push_back({"n" + side, 1.0});
      s.supports.push_back({"w" + side});
      s.links.push_back({"k" + side, "w" + side, "m" + side, 5000.0, 10.0});
      s.links.push_back({"p" + side, "m" + side, "n" + side, 3000.0, 5.0});
      physical.physical.push_back("n" + side);
      physical.physical.push_back("p" + side);
    }
    PartitionSpec spec;
    spec.cut = physical;
    const DelaySystem system{cut(lumpedModel(s), spec), {}, {}};
    const std::vector<Complex> found = rightmostRoots(system, 3e-3, kCutoff_hz);
    QVERIFY(found.size() >= 4 && found.size() % 2 == 0);
    for (std::size_t i = 0; i < found.size(); i += 2) QVERIFY(std::abs(found[i] - found[i + 1]) < 1e-4);
    QVERIFY(std::abs(found[0] - found[2]) > 1.0);
    QCOMPARE(crossings(system, kCutoff_hz, 0.02).size() % 2, std::size_t{0});
  }

  /// A lightly damped gain that exceeds 1 only within a sliver of a hertz must not slip through the grid.
  void findsANarrowPeak() {
    Oscillator o;
    o.m = 1.0;
    o.k = std::pow(2.0 * kPi * 7.0033, 2);
    o.c = 1e-3;
    o.tested_k = 0.1;  // |k - m w^2 + i c w| = 0.1: c w = 0.044
    const std::vector<Crossing> found = crossings(o.loop(), kCutoff_hz, 0.2);
    QVERIFY(found.size() >= 2);
    for (const Crossing& crossing : found) {
      const double omega = 2.0 * kPi * crossing.frequency_hz;
      QVERIFY(std::abs(std::abs(Complex(o.k - o.m * omega * omega, o.c * omega)) - o.tested_k) < 1e-8);
      QVERIFY(std::abs(crossing.frequency_hz - 7.0033) < 0.001);
    }
  }

  void criticalDelayWhereThereIsNone() {
    Oscillator o;
    o.c = 60.0;  // |D_N| exceeds the tested stiffness everywhere
    o.tested_k = 100.0;
    QVERIFY(crossings(o.loop(), kCutoff_hz, 1.0).empty());
    QVERIFY(!criticalDelay(o.loop(), kCutoff_hz, 1.0).has_value());
    QVERIFY(!criticalDelay(threeMassLoop(), kCutoff_hz, 5e-3).has_value());  // not so early
  }

  /// Servos that are too slow alone.
  void criticalDelayOfAnUnstableLoop() {
    DelaySystem system = threeMassLoop();
    system.actuators = {servo(20.0), servo(20.0)};
    const std::optional<Crossing> critical = criticalDelay(system, kCutoff_hz, 0.1);
    QVERIFY(critical.has_value());
    QCOMPARE(critical->delay_s, 0.0);
    QVERIFY(critical->frequency_hz > 10.0 && critical->frequency_hz < 15.0);
  }

  void refusesNonsense() {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    DelaySystem system = threeMassLoop();
    QVERIFY_THROWS_EXCEPTION(InputError, crossings(system, 0.0, 0.1));
    QVERIFY_THROWS_EXCEPTION(InputError, crossings(system, nan, 0.1));
    QVERIFY_THROWS_EXCEPTION(InputError, crossings(system, kCutoff_hz, nan));
    QVERIFY_THROWS_EXCEPTION(InputError, rightmostRoots(system, -1e-3, kCutoff_hz));
    QVERIFY_THROWS_EXCEPTION(InputError, rightmostRoots(system, 1.0, 1e6));  // a million roots
    QVERIFY_THROWS_EXCEPTION(InputError, crossings(system, 1e6, 1.0));
    system.actuators = {servo(20.0)};
    QVERIFY_THROWS_EXCEPTION(InputError, criticalDelay(system, kCutoff_hz, 0.1));
    system.actuators = {servo(20.0), {{1.0}, {1.0, 0.0}}};
    QVERIFY_THROWS_EXCEPTION(InputError, criticalDelay(system, kCutoff_hz, 0.1));
    system.actuators.clear();
    system.base_delay_s = Eigen::Vector2d(0.0, -1.0);
    QVERIFY_THROWS_EXCEPTION(InputError, criticalDelay(system, kCutoff_hz, 0.1));
    QVERIFY_THROWS_EXCEPTION(InputError, criticalDelay({}, kCutoff_hz, 0.1));
  }

  /// From very low to very high cut-offs and long delays: an answer in any case.
  void holdsForUnusualSettings() {
    const DelaySystem system = threeMassLoop();
    for (const double cutoff_hz : {0.5, 5.0, 14.3961, 200.0, 20000.0})
      for (const double delay_s : {0.0, 1e-6, 6.475e-3, 0.5}) {
        if (delay_s * cutoff_hz > 20.0 && delay_s > 0.1) continue;  // as many roots as periods
        const std::vector<Complex> roots = rightmostRoots(system, delay_s, cutoff_hz);
        for (const Complex s : roots) QVERIFY(s.imag() >= 0.0 && s.imag() <= 2.0 * kPi * cutoff_hz);
      }
  }
};

HYB_SUITE(delay_stability, DelayStabilityTest)
#include "delay_stability.moc"
