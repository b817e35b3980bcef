#include "core/coupling/modelled_force.h"

#include "core/base/allocation_guard.h"
#include "tests/support/compare.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kModelTick_s = 1.0 / 1024.0;

const Eigen::Matrix2d kModelM{{8.0, 0.5}, {0.5, 0.9}}, kModelC{{350.0, -34.0}, {-54.0, 95.0}},
    kModelK{{2.3e6, -8.6e5}, {-8.6e5, 1.1e6}};

/// A specimen with two DOF, which the interface has the other way round.
Partition modelledSpecimen() {
  Partition partition;
  const auto sparse = [](const Eigen::Matrix2d& matrix) { return SparseMatrix(matrix.sparseView()); };
  partition.physical.m = sparse(kModelM);
  partition.physical.c = sparse(kModelC);
  partition.physical.k = sparse(kModelK);
  partition.interface_in_physical = {1, 0};
  return partition;
}
/// In the order of the specimen.
Eigen::Vector2d swapped(const Eigen::Vector2d& value) { return {value[1], value[0]}; }

}  // namespace

class ModelledForceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// For x = a t^2 the backward difference is a (2 t - h), the second difference 2 a.
  void itIsThatOfTheDifferences() {
    ModelledForce modelled(modelledSpecimen(), kModelTick_s);
    const Eigen::Vector2d a(0.3, -0.7);
    Eigen::VectorXd force(2);
    for (int k = 0; k < 20; ++k) {
      const double t = k * kModelTick_s;
      const Eigen::Vector2d x = a * t * t;
      modelled.update(x, force);
      Eigen::Vector2d rate = a * (2.0 * t - kModelTick_s), acceleration = 2.0 * a;
      if (k == 0) rate.setZero();
      if (k < 2) acceleration.setZero();
      const Eigen::Vector2d expected =
          -swapped(kModelK * swapped(x) + kModelC * swapped(rate) + kModelM * swapped(acceleration));
      for (int i = 0; i < 2; ++i)
        compare(force[i], expected[i], 1e-9 * (expected.norm() + 1.0), "force of the model, N");
    }
  }

  void afterARestartItHasNoPast() {
    ModelledForce modelled(modelledSpecimen(), kModelTick_s);
    Eigen::VectorXd force(2);
    for (int k = 0; k < 5; ++k) modelled.update(Eigen::Vector2d(1e-3 * k, 2e-3), force);
    modelled.restart();
    const Eigen::Vector2d x(3e-3, -1e-3);
    modelled.update(x, force);
    QVERIFY((force + swapped(kModelK * swapped(x))).norm() < 1e-9 * force.norm());
  }

  void aSpecimenWithAnInsideIsRefused() {
    const auto issues = issuesOf([] { ModelledForce(cut(threeMass(), threeMassPartition()), kModelTick_s); });
    EXPECT_ISSUE(issues, "/coupling/force", "degrees of freedom inside");
  }

  void itAllocatesNothing() {
    ModelledForce modelled(modelledSpecimen(), kModelTick_s);
    const Eigen::VectorXd x = Eigen::Vector2d(1e-3, 2e-3);
    Eigen::VectorXd force(2);
    const AllocationGuard guard;
    for (int k = 0; k < 5; ++k) modelled.update(x, force);
    modelled.restart();
    QCOMPARE(guard.count(), std::uint64_t{0});
  }
};

HYB_SUITE(modelled_force, ModelledForceTest)
#include "modelled_force_test.moc"
