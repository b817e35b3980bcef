// A structure under every kind of load: it moves the same whether or not it knows beforehand which there can be.
#include "core/coupling/excited_structure.h"

#include <cmath>

#include "tests/core/integration/systems.h"
#include "tests/support/suite.h"

using namespace hyb;

class ExcitedStructureTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void knowsTheLoadsThatThereCanBe_data() {
    QTest::addColumn<bool>("moves");
    QTest::addColumn<bool>("accelerates");
    QTest::addColumn<bool>("pushes");
    QTest::newRow("ground acceleration") << false << true << false;
    QTest::newRow("support motion") << true << false << false;
    QTest::newRow("both") << true << true << false;
    QTest::newRow("forces") << false << false << true;
    QTest::newRow("none") << false << false << false;
  }
  void knowsTheLoadsThatThereCanBe() {
    QFETCH(bool, moves);
    QFETCH(bool, accelerates);
    QFETCH(bool, pushes);
    constexpr Eigen::Index kDofs = 9, kSupports = 2;
    SystemMatrices system = test::chain(kDofs);
    system.k_support = system.c_support = system.m_support = Eigen::MatrixXd::Zero(kDofs, kSupports);
    system.k_support(0, 0) = system.k_support(kDofs - 1, 1) = 9000.0;
    system.c_support(0, 0) = system.c_support(kDofs - 1, 1) = 30.0;
    system.m_support.col(1).setConstant(-2.2);
    SparseMatrix forces(kDofs, kDofs);
    forces.setIdentity();
    ExcitationValue now;
    now.support_m = now.support_mps = now.support_mps2 = Eigen::VectorXd::Zero(kSupports);
    now.force_n = Eigen::VectorXd::Zero(kDofs);
    now.moves = moves;
    now.accelerates = accelerates;
    now.pushes = pushes;
    constexpr double kStep_s = 1e-3;
    const auto make = [&](const ExcitationValue& loads) {
      return ExcitedStructure({.scheme = Scheme::exact_ramp}, system, forces, {6, 2}, loads, kStep_s);
    };
    ExcitedStructure told = make(now), untold = make({});
    Eigen::VectorXd force(2);
    for (int k = 1; k <= 500; ++k) {
      const double t_s = k * kStep_s;
      if (moves) now.support_m << 1e-3 * std::sin(20.0 * t_s), 2e-3 * std::sin(35.0 * t_s);
      if (moves) now.support_mps << 2e-2 * std::cos(20.0 * t_s), 7e-2 * std::cos(35.0 * t_s);
      if (accelerates) now.support_mps2 << 0.0, std::sin(31.0 * t_s);
      if (pushes) now.force_n.setLinSpaced(0.0, 10.0 * std::sin(11.0 * t_s));
      force << 5.0 * std::sin(57.0 * t_s), -3.0;
      told.step(now, force);
      untold.step(now, force);
      QVERIFY((told.displacement() - untold.displacement()).norm() <= 1e-12 * untold.displacement().norm());
      QVERIFY((told.velocity() - untold.velocity()).norm() <= 1e-11 * untold.velocity().norm());
    }
    QVERIFY(untold.displacement().norm() > 1e-4);
  }
};

HYB_SUITE(excited_structure, ExcitedStructureTest)
#include "excited_structure_test.moc"
