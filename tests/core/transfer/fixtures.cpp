#include <cmath>
#include <complex>

#include "core/base/numbers.h"
#include "core/transfer/command_response.h"
#include "core/transfer/transfer_system.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/twin_bench.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kFixtureTick_s = 2.5e-4;

Partition heavyEnds(double extra_kg = 0.0) {
  Partition partition = cut(threeMass(), threeMassPartition());
  for (const Eigen::Index dof : partition.interface_in_physical)
    partition.physical.m.coeffRef(dof, dof) += 2.0 + extra_kg;
  return partition;
}

TwinParams pistons(const Eigen::Matrix2d& fixture_kg, bool beneath, double piston_kg = 3.0) {
  HydraulicParams hydraulic;
  hydraulic.piston_mass_kg = piston_kg;
  TwinParams params;
  params.actuators = {{.model = servoHydraulic(hydraulic)}};
  params.fixture.mass_kg = fixture_kg;
  params.fixture.load_cell_beneath = beneath;
  return params;
}

Command pushed(int tick) {
  const double t_s = tick * kFixtureTick_s;
  return {Eigen::Vector2d(1e-3 * std::sin(40.0 * t_s), -7e-4 * std::sin(25.0 * t_s)), Eigen::Vector2d::Zero()};
}

const Eigen::Matrix2d kPlate = (Eigen::Matrix2d() << 4.0, 1.5, 1.5, 3.0).finished();

}  // namespace

class TestFixtures : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Above the load cell it is as good as a part of the piston; beneath it as good as a part of the specimen.
  void isMovedWithPistonOrSpecimen() {
    const Eigen::Matrix2d five = 5.0 * Eigen::Matrix2d::Identity();
    TwinParams none = pistons(five, false, 8.0), bare = pistons(five, false, 3.0);
    none.fixture = bare.fixture = {};
    TransferSystem above(heavyEnds(), pistons(five, false), kFixtureTick_s), piston(heavyEnds(), none, kFixtureTick_s),
        beneath(heavyEnds(), pistons(five, true), kFixtureTick_s), specimen(heavyEnds(5.0), bare, kFixtureTick_s);
    double most_n = 0.0;
    for (int k = 0; k < 800; ++k) {
      for (TransferSystem* twin : {&above, &piston, &beneath, &specimen}) twin->advance(pushed(k));
      for (const auto& [one, other] : {std::pair{&above, &piston}, {&beneath, &specimen}}) {
        QVERIFY((one->displacement() - other->displacement()).cwiseAbs().maxCoeff() < 1e-12);
        QVERIFY((one->force() - other->force()).cwiseAbs().maxCoeff() < 1e-7);
      }
      QVERIFY((above.displacement() - beneath.displacement()).cwiseAbs().maxCoeff() < 1e-12);
      most_n = std::max(most_n, (above.force() - beneath.force()).cwiseAbs().maxCoeff());
    }
    QVERIFY(most_n > 1.0);
  }

  /// A load cell on the side of an actuator that is given its motion reads the inertia: F_cell = F_specimen - M a.
  void theLoadCellReadsItsInertia() {
    for (const bool beneath : {false, true}) {
      TwinParams params = twoActuators(), plain = twoActuators();
      params.fixture = {kPlate, {}, beneath};
      TransferSystem with(heavyEnds(), params, kFixtureTick_s), without(heavyEnds(), plain, kFixtureTick_s);
      for (int k = 0; k < 400; ++k) {
        const Eigen::VectorXd before = with.state();
        with.advance(pushed(k));
        without.advance(pushed(k));
        QVERIFY(with.displacement() == without.displacement());
        // Servo with 70 %: x'' = w^2 (u - x) - 2 D w x', the command two ticks late.
        Eigen::Vector2d a;
        for (const Eigen::Index i : {0, 1}) {
          const double w = kTwoPi * (i == 0 ? 28.0 : 26.6), u = k >= 2 ? pushed(k - 2).position[i] : 0.0;
          a[i] = w * w * (u - with.state()[i]) - 1.4 * w * with.state()[2 + i];
        }
        const Eigen::Vector2d expected = without.force() - (beneath ? kPlate * a : Eigen::Vector2d::Zero().eval());
        QVERIFY2((with.force() - expected).cwiseAbs().maxCoeff() < 1e-9,
                 qPrintable(QString("%1: %2 %3").arg(k).arg(with.force()[0]).arg(expected[0])));
      }
    }
  }

  /// The response that the analyses know is that of the twin, also of a plate that couples the axes.
  void responseIsThatOfTheTwin() {
    for (const bool beneath : {false, true}) {
      const Partition specimen = heavyEnds();
      const TwinParams params = pistons(beneath ? kPlate : Eigen::Matrix2d(4.0 * Eigen::Matrix2d::Identity()), beneath);
      TransferSystem twin(specimen, params, kFixtureTick_s);
      const double hz = 4.0, w = kTwoPi * hz;
      Eigen::Vector2cd motion = Eigen::Vector2cd::Zero();
      const int settle = 40000, whole = 4000;
      for (int k = 0; k < settle + whole; ++k) {
        twin.advance({Eigen::Vector2d(1e-3 * std::cos(w * k * kFixtureTick_s), 0.0), Eigen::Vector2d::Zero()});
        if (k >= settle) motion += 2.0 / whole * std::polar(1.0, -w * (k + 1) * kFixtureTick_s) * twin.displacement();
      }
      const Eigen::Vector2cd expected =
          1e-3 * std::polar(1.0, -0.5 * w * kFixtureTick_s) * commandResponse(specimen, params, {0.0, w}).col(0);
      QVERIFY2((motion - expected).norm() < 1e-4 * expected.norm(),
               qPrintable(QString::number((motion - expected).norm() / expected.norm())));
    }
  }

  void wrongMatricesAreFaults() {
    const auto faults = [](const Eigen::MatrixXd& mass, bool beneath = true) {
      TwinParams params = pistons(kPlate, beneath);
      params.fixture.mass_kg = mass;
      return issuesOf([&] { makeTwin(heavyEnds(), params, kFixtureTick_s); });
    };
    const std::string where = "/rig/fixture/mass_kg";
    QVERIFY(faults(kPlate).empty());
    EXPECT_ISSUE(faults(Eigen::MatrixXd::Identity(1, 1)), where, "2 by 2");
    EXPECT_ISSUE(faults(Eigen::Matrix2d{{1.0, 2.0}, {0.0, 1.0}}), where, "symmetric");
    EXPECT_ISSUE(faults(Eigen::Matrix2d{{1.0, 2.0}, {2.0, 1.0}}), where, "negative mass");
    EXPECT_ISSUE(faults(Eigen::Matrix2d{{1.0, std::nan("")}, {0.0, 1.0}}), where, "symmetric");
    EXPECT_ISSUE(faults(kPlate, false), where, "load_cell");
  }
};

HYB_SUITE(fixtures, TestFixtures)
#include "fixtures.moc"
