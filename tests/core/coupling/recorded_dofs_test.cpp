#include "core/coupling/recorded_dofs.h"

#include <algorithm>

#include "core/structure/interface_map.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using namespace hyb::test;

namespace {

/// The first mass alone on the rig, with its two springs: m1 inside, m3 at the cut, m2 computed.
Partition endMassOnRig() {
  PartitionSpec spec;
  spec.cut = CutByElements{{"m1", "k1", "k31"}};
  return cut(threeMass(), spec);
}
/// m1 and m2 at the cut, moved by an actuator each that also moves the other.
Partition behindAxes() {
  const std::vector<InterfaceAxis> axes = {{"sum", Motion::translation, {{"m1", 1.0}, {"m2", 0.5}}},
                                           {"difference", Motion::translation, {{"m1", 1.0}, {"m2", -0.5}}}};
  return inActuatorAxes(cut(threeMass(), threeMassPartition()), axes);
}

std::vector<std::string> columnsOf(const RecordedDof& dof) {
  std::vector<std::string> names;
  for (const Channel& column : dof.columns) names.push_back(column.name);
  return names;
}

using Names = std::vector<std::string>;

}  // namespace

class RecordedDofsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Computed DOF have no measured motion; the uncut structure is recorded where it is computed.
  void columnsFollowTheirPlace() {
    const Partition partition = endMassOnRig();
    Checks checks;
    const auto dofs = recordedDofs({"m2", "m3"}, partition, true, checks);
    QVERIFY(checks.ok());
    QCOMPARE(dofs.size(), std::size_t{2});
    QVERIFY(columnsOf(dofs[0]) == Names({"dof_numerical_1", "dof_reference_1"}));
    QVERIFY(columnsOf(dofs[1]) == Names({"dof_numerical_2", "dof_reference_2", "dof_measured_2"}));
    QCOMPARE(dofs[0].in_cut, Eigen::Index{-1});
    QCOMPARE(dofs[1].in_cut, Eigen::Index{0});
    QCOMPARE(partition.numerical.dofs[static_cast<std::size_t>(dofs[0].in_numerical)].name, std::string("m2"));
    QCOMPARE(partition.reference.dofs[static_cast<std::size_t>(dofs[0].in_reference)].name, std::string("m2"));
    const auto without = recordedDofs({"m3"}, partition, false, checks);
    QVERIFY(columnsOf(without[0]) == Names({"dof_numerical_1", "dof_measured_1"}));
    QCOMPARE(without[0].columns[0].units, std::string("m"));
  }

  /// The numerical side has the axes of the actuators; the DOF of the cut are sums of them.
  void dofsBehindAxes() {
    Checks checks;
    const auto dofs = recordedDofs({"m2", "m1"}, behindAxes(), true, checks);
    QVERIFY(checks.ok());
    QCOMPARE(dofs[0].in_cut, Eigen::Index{1});
    QCOMPARE(dofs[1].in_cut, Eigen::Index{0});
    for (const RecordedDof& dof : dofs) {
      QCOMPARE(dof.in_numerical, Eigen::Index{-1});
      QCOMPARE(dof.columns.size(), std::size_t{3});
    }
  }

  void faultsNameTheirPlace() {
    const auto issues = [](const Names& names, const Partition& partition) {
      Checks checks;
      recordedDofs(names, partition, true, checks);
      return issuesOf([&] { checks.throwIfAny(); });
    };
    EXPECT_ISSUE(issues({"m2", "m4"}, endMassOnRig()), "/record/1", "m4");
    EXPECT_ISSUE(issues({"m2", "m3", "m2"}, endMassOnRig()), "/record/2", "twice");
    EXPECT_ISSUE(issues({"m1"}, endMassOnRig()), "/record/0", "m1");  // inside the specimen
    EXPECT_ISSUE(issues({"sum"}, behindAxes()), "/record/0", "sum");  // an axis, no DOF of the structure
  }
};

HYB_SUITE(recorded_dofs, RecordedDofsTest)
#include "recorded_dofs_test.moc"
