/// /coupling/ahead: the compensator gets the target of the next tick, rows keep that of their own.
#include <vector>

#include "core/base/allocation_guard.h"
#include "core/base/error.h"
#include "core/coupling/tracking.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"
#include "tests/support/three_mass.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kShortTick_s = 1e-4;
constexpr int kShortTicks = 400;
const IntegratorSpec kHeld{.scheme = Scheme::rk4, .load = LoadOverTick::hold};

struct CouplingRows {
  std::vector<double> target, rate, command, reference;
};
CouplingRows run(bool ahead) {
  const Partition partition = cut(threeMass(), threeMassPartition());
  const auto scheme = makeTracking(partition, kHeld, kShortTick_s, makeNoCompensator(), ahead);
  scheme->reset();
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  CouplingOutput output;
  output.command.position = output.command.rate = output.target = output.target_rate = output.reference = zero;
  RigState state{zero, zero};
  ExcitationValue excitation;
  excitation.support_m = excitation.support_mps = excitation.support_mps2 =
      Eigen::VectorXd::Zero(static_cast<Eigen::Index>(partition.reference.supports.size()));
  excitation.force_n = Eigen::VectorXd::Zero(partition.reference.size());
  CouplingRows rows;
  for (int k = 0; k < kShortTicks; ++k) {
    state.force << 3.0 * std::sin(0.05 * k), -2.0 * std::cos(0.03 * k);
    excitation.force_n.setConstant(5.0 * std::sin(0.02 * k));
    const AllocationGuard guard;
    scheme->update(state, excitation, output);
    if (guard.count() != 0) throw std::logic_error("the tick allocates");
    rows.target.push_back(output.target[0]);
    rows.rate.push_back(output.target_rate[0]);
    rows.command.push_back(output.command.position[0]);
    rows.reference.push_back(output.reference[0]);
  }
  return rows;
}

}  // namespace

class AheadTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// The same commands to the last bit; targets and reference stand one row later, where they belong.
  void onlyTheRowsDiffer() {
    const CouplingRows usual = run(false), ahead = run(true);
    QVERIFY(usual.command.back() != 0.0);
    QCOMPARE(ahead.command, usual.command);
    QCOMPARE(ahead.target.front(), 0.0);
    QCOMPARE(ahead.reference.front(), 0.0);
    for (std::size_t k = 1; k < kShortTicks; ++k) {
      QCOMPARE(ahead.target[k], usual.target[k - 1]);
      QCOMPARE(ahead.rate[k], usual.rate[k - 1]);
      QCOMPARE(ahead.reference[k], usual.reference[k - 1]);
      QCOMPARE(ahead.target[k], ahead.command[k - 1]);
    }
  }

  void whoCannotIsToldWhy_data() {
    QTest::addColumn<int>("scheme");
    QTest::addColumn<int>("load");
    QTest::addColumn<int>("ticks");
    QTest::addColumn<QString>("why");
    const int hold = static_cast<int>(LoadOverTick::hold), ramp = static_cast<int>(LoadOverTick::ramp);
    QTest::newRow("newmark") << static_cast<int>(Scheme::newmark) << hold << 1 << "not measured yet";
    QTest::newRow("exact") << static_cast<int>(Scheme::exact_ramp) << hold << 1 << "not measured yet";
    QTest::newRow("central difference") << static_cast<int>(Scheme::central_difference) << hold << 1 << "last tick";
    QTest::newRow("ramp") << static_cast<int>(Scheme::rk4) << ramp << 1 << "hold";
    QTest::newRow("several ticks") << static_cast<int>(Scheme::rk4) << hold << 2 << "extrapolated";
  }
  void whoCannotIsToldWhy() {
    QFETCH(int, scheme);
    QFETCH(int, load);
    QFETCH(int, ticks);
    QFETCH(QString, why);
    IntegratorSpec spec{.scheme = static_cast<Scheme>(scheme), .load = static_cast<LoadOverTick>(load)};
    spec.ticks_per_step = ticks;
    const Partition partition = cut(threeMass(), threeMassPartition());
    const auto issues = issuesOf([&] { makeTracking(partition, spec, kShortTick_s, makeNoCompensator(), true); });
    EXPECT_ISSUE(issues, "/coupling/ahead", why.toStdString());
  }
};

HYB_SUITE(loop_ahead, AheadTest)
#include "ahead_test.moc"
