#include <QtTest>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "core/structure/modes.h"
#include "core/structure/partition.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using hyb::test::threeMass;
using hyb::test::threeMassPartition;

namespace {

template <typename F>
std::vector<Issue> issuesOf(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.issues();
  }
  return {};
}

bool mentions(const std::vector<Issue>& issues, const std::string& where, const std::string& part) {
  for (const Issue& issue : issues)
    if (issue.where == where && issue.message.find(part) != std::string::npos) return true;
  return false;
}

QString shown(const std::vector<Issue>& issues) {
  QString text;
  for (const Issue& issue : issues) text += QString::fromStdString(issue.where + ": " + issue.message + "\n");
  return text;
}

#define EXPECT_ISSUE(issues, where, part) QVERIFY2(mentions(issues, where, part), qPrintable(shown(issues)))

/// A matrix of one side in the DOF of the reference; `square` ones in both directions.
Eigen::MatrixXd spread(const Eigen::MatrixXd& part, const SystemMatrices& side, const SystemMatrices& whole,
                       bool square) {
  std::vector<Eigen::Index> rows;
  for (const std::string& dof : side.dofs)
    rows.push_back(std::find(whole.dofs.begin(), whole.dofs.end(), dof) - whole.dofs.begin());
  const Eigen::Index n = whole.m.rows();
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(n, square ? n : part.cols());
  if (square)
    result(rows, rows) = part;
  else
    result(rows, Eigen::all) = part;
  return result;
}

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
    QVERIFY(system.dofs == (std::vector<std::string>{"m1", "m3", "m2"}));
    QVERIFY(system.supports == (std::vector<std::string>{"wall-1", "wall-2"}));
    QVERIFY(system.m == m * Eigen::Matrix3d::Identity());
    QVERIFY(system.k == k * chain);
    QVERIFY(system.c == c * chain);
    QVERIFY(system.k_support == k * walls);
    QVERIFY(system.c_support == c * walls);
  }

  /// Moving all supports alike moves the structure as one: no spring is stretched.
  void rigidMotionNeedsNoForce() {
    const SystemMatrices system = assemble(branched());
    const Eigen::VectorXd force = system.k.rowwise().sum() - system.k_support.rowwise().sum();
    QVERIFY(force.norm() < 1e-12 * system.k.norm());
    QVERIFY(system.k == system.k.transpose());
    QVERIFY(system.c == system.c.transpose());
  }

  void reportsEveryFault() {
    LumpedStructure s;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    s.masses = {{"a", -1.0}, {"b", nan}, {"a", 1.0}, {"", 1.0}, {"lonely", 1.0}};
    s.supports = {{"wall"}, {"floor"}};
    s.links = {{"k", "wall", "a", -5.0, nan}, {"wall", "a", "b", 1.0, 0.0}, {"x", "b", "b", 1.0, 0.0},
               {"y", "b", "ghost", 1.0, 0.0}, {"z", "a", "b", 0.0, 0.0},    {"w", "wall", "floor", 1.0, 0.0}};
    const std::vector<Issue> issues = issuesOf([&] { assemble(s); });
    EXPECT_ISSUE(issues, "/masses/0/mass_kg", "-1 kg");
    EXPECT_ISSUE(issues, "/masses/1/mass_kg", "nan");
    EXPECT_ISSUE(issues, "/masses/2/name", "already the name of /masses/0");
    EXPECT_ISSUE(issues, "/masses/3/name", "is empty");
    EXPECT_ISSUE(issues, "/masses/4", "hangs on nothing");
    EXPECT_ISSUE(issues, "/links/0/stiffness_n_per_m", "-5 N/m");
    EXPECT_ISSUE(issues, "/links/0/damping_n_s_per_m", "nan");
    EXPECT_ISSUE(issues, "/links/1/name", "already the name of /supports/0");
    EXPECT_ISSUE(issues, "/links/2/to", "two different ends");
    EXPECT_ISSUE(issues, "/links/3/to", "neither a mass nor a support");
    EXPECT_ISSUE(issues, "/links/4", "neither stiffness nor damping");
    EXPECT_ISSUE(issues, "/links/5", "two supports");
    EXPECT_ISSUE(issuesOf([] { assemble({}); }), "/masses", "at least one mass");
  }

  /// Masses tied to each other, but not to a support.
  void refusesFloatingParts() {
    LumpedStructure s = threeMass();
    s.masses.push_back({"p", 1.0});
    s.masses.push_back({"q", 1.0});
    s.links.push_back({"pq", "p", "q", 100.0, 0.0});
    const std::vector<Issue> issues = issuesOf([&] { assemble(s); });
    QCOMPARE(issues.size(), std::size_t{2});
    EXPECT_ISSUE(issues, "/masses/3", "\"p\" hangs on nothing");
    EXPECT_ISSUE(issues, "/masses/4", "\"q\" hangs on nothing");
  }

  void cutsThreeMasses() {
    const Partition p = cut(threeMass(), threeMassPartition());
    const double m = 2.2, k = 9000.0, c = 30.0;
    QVERIFY(p.interface == (std::vector<std::string>{"m1", "m2"}));
    QVERIFY(p.interface_in_reference == (std::vector<Eigen::Index>{0, 2}));
    QVERIFY(p.interface_in_numerical == (std::vector<Eigen::Index>{0, 1}));
    QVERIFY(p.interface_in_physical == (std::vector<Eigen::Index>{0, 2}));
    QVERIFY(p.numerical.dofs == (std::vector<std::string>{"m1", "m2"}));
    QVERIFY(p.physical.dofs == (std::vector<std::string>{"m1", "m3", "m2"}));
    QVERIFY(p.numerical.m == m * Eigen::Matrix2d::Identity());
    QVERIFY(p.numerical.k == k * Eigen::Matrix2d::Identity());
    QVERIFY(p.numerical.c == c * Eigen::Matrix2d::Identity());
    QVERIFY(p.numerical.k_support == k * Eigen::Matrix2d::Identity());
    QVERIFY(p.physical.m == Eigen::Matrix3d(Eigen::Vector3d(0.0, m, 0.0).asDiagonal()));
    QVERIFY(p.physical.k == (k * Eigen::Matrix3d{{1, -1, 0}, {-1, 2, -1}, {0, -1, 1}}));
    QVERIFY(p.physical.k_support.isZero(0.0));
  }

  void bothSidesAssembleToTheReference_data() {
    QTest::addColumn<QStringList>("physical");
    QTest::newRow("one spring") << QStringList{"l3"};
    QTest::newRow("inner chain") << QStringList{"b", "l2", "l3", "l4"};
    QTest::newRow("tail") << QStringList{"d", "l5", "l6"};
    QTest::newRow("apart") << QStringList{"l4", "d", "l5", "l6"};
  }
  void bothSidesAssembleToTheReference() {
    QFETCH(QStringList, physical);
    PartitionSpec spec;
    for (const QString& name : physical) spec.physical.push_back(name.toStdString());
    const Partition p = cut(branched(), spec);
    const SystemMatrices whole = assemble(branched());
    const auto compare = [&](Eigen::MatrixXd SystemMatrices::*matrix, bool square) {
      const Eigen::MatrixXd sum = spread(p.numerical.*matrix, p.numerical, p.reference, square) +
                                  spread(p.physical.*matrix, p.physical, p.reference, square);
      QVERIFY(sum == p.reference.*matrix);  // bit for bit
      // The same elements in another order: rounding only.
      QVERIFY((sum - whole.*matrix).cwiseAbs().maxCoeff() <= 1e-15 * (whole.*matrix).cwiseAbs().maxCoeff());
    };
    for (const auto matrix : {&SystemMatrices::m, &SystemMatrices::c, &SystemMatrices::k}) compare(matrix, true);
    for (const auto matrix : {&SystemMatrices::c_support, &SystemMatrices::k_support}) compare(matrix, false);
    for (std::size_t i = 0; i < p.interface.size(); ++i) {
      QVERIFY(p.numerical.dofs[static_cast<std::size_t>(p.interface_in_numerical[i])] == p.interface[i]);
      QVERIFY(p.physical.dofs[static_cast<std::size_t>(p.interface_in_physical[i])] == p.interface[i]);
      QVERIFY(p.reference.dofs[static_cast<std::size_t>(p.interface_in_reference[i])] == p.interface[i]);
    }
  }

  void refusesImpossibleCuts() {
    const auto issues = [](std::vector<std::string> physical) {
      return issuesOf([&] { cut(threeMass(), {std::move(physical)}); });
    };
    EXPECT_ISSUE(issues({}), "/partition/physical", "is empty");
    EXPECT_ISSUE(issues({"ghost", "k31"}), "/partition/physical/0", "no mass or link");
    EXPECT_ISSUE(issues({"k31", "k31"}), "/partition/physical/1", "given twice");
    EXPECT_ISSUE(issues({"wall-1", "k31"}), "/partition/physical/0", "is a support");
    EXPECT_ISSUE(issues({"k31", "k1"}), "/partition/physical/1", "moving support \"wall-1\"");
    EXPECT_ISSUE(issues({"m3"}), "/partition/physical/0", "without mass");
    EXPECT_ISSUE(issues({"m3", "k31"}), "/partition/physical/0", "without mass");
    EXPECT_ISSUE(issues({"m1", "m2", "m3", "k1", "k2", "k31", "k32"}), "/partition/physical", "whole structure");

    LumpedStructure apart = threeMass();  // two structures side by side, cut between them
    apart.links.erase(apart.links.begin() + 2);
    apart.links.push_back({"k4", "m3", "wall-2", 1.0, 0.0});
    EXPECT_ISSUE(issuesOf([&] { cut(apart, {{"m2", "k2"}}); }), "/partition/physical", "nothing is left to couple");

    LumpedStructure bad = threeMass();
    bad.masses[1].mass_kg = 0.0;
    const std::vector<Issue> both = issuesOf([&] { cut(bad, {{"ghost"}}); });
    EXPECT_ISSUE(both, "/structure/masses/1/mass_kg", "0 kg");
    EXPECT_ISSUE(both, "/partition/physical/0", "ghost");
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
    const SystemMatrices system = assemble(s);
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
    const SystemMatrices system = assemble(s);
    const std::complex<double> root(-1.0, std::sqrt(400.0 - 1.0));
    QVERIFY(std::abs(dynamicStiffness(system, root)(0, 0)) < 1e-10);
    QCOMPARE(dynamicStiffness(system, 0.0)(0, 0).real(), 800.0);
    QCOMPARE(dynamicStiffness(system, {0.0, 10.0})(0, 0), std::complex<double>(600.0, 40.0));
  }
};

QTEST_APPLESS_MAIN(StructureTest)
#include "structure.moc"
