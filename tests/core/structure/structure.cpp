#include <cmath>
#include <limits>
#include <numbers>

#include "core/structure/modes.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using hyb::test::issuesOf;
using hyb::test::threeMass;
using hyb::test::threeMassStructure;

namespace {

/// Five masses with a loop and odd values, so that sums do not come out even.
LumpedStructure branched() {
  LumpedStructure s;
  s.masses = {{"a", 1.1}, {"b", 0.7}, {"c", 2.3}, {"d", 0.9}, {"e", 3.1}};
  s.supports = {{"left"}, {"right"}, {"unused"}};
  s.links = {{"l1", "left", "a", 1234.5, 1.7}, {"l2", "a", "b", 777.7, 0.3}, {"l3", "b", "c", 3210.1, 2.9},
             {"l4", "c", "a", 55.5, 0.1},      {"l5", "d", "c", 98.7, 0.0},  {"l6", "d", "e", 0.0, 4.4},
             {"l7", "e", "right", 6543.2, 0.0}};
  return s;
}

}  // namespace

class StructureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void assemblesThreeMasses() {
    const SystemMatrices system = assemble(threeMass());
    const double m = 2.2, k = 9000.0, c = 30.0;
    const Eigen::Matrix3d chain{{2, -1, 0}, {-1, 2, -1}, {0, -1, 2}};
    const Eigen::Matrix<double, 3, 2> walls{{1, 0}, {0, 0}, {0, 1}};
    QVERIFY(names(system.dofs) == (std::vector<std::string>{"m1", "m3", "m2"}));
    QVERIFY(system.supports == (std::vector<std::string>{"wall-1", "wall-2"}));
    QVERIFY(Eigen::MatrixXd(system.m) == m * Eigen::Matrix3d::Identity());
    QVERIFY(Eigen::MatrixXd(system.k) == k * chain);
    QVERIFY(Eigen::MatrixXd(system.c) == c * chain);
    QVERIFY(system.k_support == k * walls);
    QVERIFY(system.c_support == c * walls);
  }

  /// Moving all supports alike moves the structure as one: no spring is stretched.
  void rigidMotionNeedsNoForce() {
    const SystemMatrices system = assemble(lumpedModel(branched()));
    const Eigen::MatrixXd k = system.k, c = system.c;
    const Eigen::VectorXd force = k.rowwise().sum() - system.k_support.rowwise().sum();
    QVERIFY(force.norm() < 1e-12 * k.norm());
    QVERIFY(k == k.transpose());
    QVERIFY(c == c.transpose());
  }

  void reportsEveryFault() {
    LumpedStructure s;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    s.masses = {{"a", -1.0}, {"b", nan}, {"a", 1.0}, {"", 1.0}, {"lonely", 1.0}};
    s.supports = {{"wall"}, {"floor"}};
    s.links = {{"k", "wall", "a", -5.0, nan}, {"wall", "a", "b", 1.0, 0.0}, {"x", "b", "b", 1.0, 0.0},
               {"y", "b", "ghost", 1.0, 0.0}, {"z", "a", "b", 0.0, 0.0},    {"w", "wall", "floor", 1.0, 0.0}};
    const std::vector<Issue> issues = issuesOf([&] { lumpedModel(s); });
    EXPECT_ISSUE(issues, "/structure/masses/0/mass_kg", "-1 kg");
    EXPECT_ISSUE(issues, "/structure/masses/1/mass_kg", "nan");
    EXPECT_ISSUE(issues, "/structure/masses/2/name", "already the name of /structure/masses/0");
    EXPECT_ISSUE(issues, "/structure/masses/3/name", "is empty");
    EXPECT_ISSUE(issues, "/structure/masses/4", "not connected to a support");
    EXPECT_ISSUE(issues, "/structure/links/0/stiffness_n_per_m", "-5 N/m");
    EXPECT_ISSUE(issues, "/structure/links/0/damping_n_s_per_m", "nan");
    EXPECT_ISSUE(issues, "/structure/links/1/name", "already the name of /structure/supports/0");
    EXPECT_ISSUE(issues, "/structure/links/2/to", "two different ends");
    EXPECT_ISSUE(issues, "/structure/links/3/to", "neither a mass nor a support");
    EXPECT_ISSUE(issues, "/structure/links/4", "neither stiffness nor damping");
    EXPECT_ISSUE(issues, "/structure/links/5", "two supports");
    EXPECT_ISSUE(issuesOf([] { lumpedModel({}); }), "/structure/masses", "at least one mass");
  }

  /// Masses tied to each other, but not to a support.
  void refusesFloatingParts() {
    LumpedStructure s = threeMassStructure();
    s.masses.push_back({"p", 1.0});
    s.masses.push_back({"q", 1.0});
    s.links.push_back({"pq", "p", "q", 100.0, 0.0});
    const std::vector<Issue> issues = issuesOf([&] { lumpedModel(s); });
    QCOMPARE(issues.size(), std::size_t{2});
    EXPECT_ISSUE(issues, "/structure/masses/3", "\"p\" is not connected to a support");
    EXPECT_ISSUE(issues, "/structure/masses/4", "\"q\" is not connected to a support");
  }

  /// Chain of n equal masses between walls: w_j = 2 sqrt(k/m) sin(j pi / (2 (n + 1))).
  void modesOfAChain() {
    LumpedStructure s;
    const int n = 12;
    const double m = 1.5, k = 2e4, ratio = 1e-4;
    s.supports = {{"w1"}, {"w2"}};
    for (int i = 0; i < n; ++i) s.masses.push_back({"m" + std::to_string(i), m});
    for (int i = 0; i <= n; ++i)
      s.links.push_back({"l" + std::to_string(i), i == 0 ? "w1" : "m" + std::to_string(i - 1),
                         i == n ? "w2" : "m" + std::to_string(i), k, ratio * k});
    const SystemMatrices system = assemble(lumpedModel(s));
    const Modes found = modes(system);
    for (int j = 0; j < n; ++j) {
      const double omega = 2.0 * std::sqrt(k / m) * std::sin((j + 1) * std::numbers::pi / (2.0 * (n + 1)));
      QVERIFY(std::abs(found.frequency_hz[j] * 2.0 * std::numbers::pi / omega - 1.0) < 1e-12);
      QVERIFY(std::abs(found.damping_ratio[j] / (0.5 * ratio * omega) - 1.0) < 1e-11);
    }
    const Eigen::MatrixXd unit = found.shape.transpose() * system.m * found.shape;
    QVERIFY((unit - Eigen::MatrixXd::Identity(n, n)).norm() < 1e-12);
  }

  /// D(s) is singular at the roots of a damped oscillator, and K at rest.
  void dynamicStiffnessOfAnOscillator() {
    LumpedStructure s;
    s.masses = {{"m", 2.0}};
    s.supports = {{"w"}};
    s.links = {{"k", "w", "m", 800.0, 4.0}};
    const SystemMatrices system = assemble(lumpedModel(s));
    const std::complex<double> root(-1.0, std::sqrt(400.0 - 1.0));
    QVERIFY(std::abs(dynamicStiffness(system, root).coeff(0, 0)) < 1e-10);
    QCOMPARE(dynamicStiffness(system, 0.0).coeff(0, 0).real(), 800.0);
    QCOMPARE(dynamicStiffness(system, {0.0, 10.0}).coeff(0, 0), std::complex<double>(600.0, 40.0));
  }
};

HYB_SUITE(structure, StructureTest)
#include "structure.moc"
