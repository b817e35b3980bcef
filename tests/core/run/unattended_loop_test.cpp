// Tests that nobody attends: tick for tick as those that somebody does, with the faults that the project plans.
#include <vector>

#include "core/project/project.h"
#include "core/run/build.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr std::size_t kTicks = 3000;

/// Its rows, one behind the other.
std::vector<double> rowsOf(Loop& loop) {
  RowRing ring(loop.layout().width(), kTicks + 1);
  loop.attachRecorder(&ring, nullptr, nullptr);
  loop.arm();
  loop.post({Request::Kind::start, -1, 0.0, {}, {}});
  for (std::size_t k = 0; k < kTicks; ++k) loop.tick(1);
  std::vector<double> rows;
  ring.pop(rows, kTicks + 1);
  return rows;
}

Project threeMassWith(const char* faults) {
  Json document = templateDocument("three-mass");
  setValue(document, std::string("/rig/faults=") + faults);
  return parseProject(document);
}

}  // namespace

class UnattendedLoopTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void runsAsAnAttendedOne_data() {
    QTest::addColumn<QByteArray>("faults");
    QTest::newRow("without faults") << QByteArray("[]");
    QTest::newRow("with one planned") << QByteArray(
        R"([{"kind":"stuck-sensor","from_s":0.5,"duration_s":0.2,"sensor":"force","interface":1}])");
  }
  void runsAsAnAttendedOne() {
    QFETCH(QByteArray, faults);
    const Project asked = threeMassWith(faults);
    const std::vector<double> attended = rowsOf(*buildLoop(asked)), unattended = rowsOf(*buildUnattendedLoop(asked));
    QVERIFY(attended.size() > 2000);
    QCOMPARE(unattended, attended);
    QCOMPARE(unattended == rowsOf(*buildLoop(threeMassWith("[]"))), asked.rig.faults.empty());
  }

  /// Nobody can ask its twin for one.
  void takesNoOthers() {
    const auto loop = buildUnattendedLoop(threeMassWith("[]"));
    loop->arm();
    const auto attended = buildLoop(threeMassWith("[]"));
    attended->arm();
    const FaultSpec fault{FaultKind::not_a_number, 0.0, 0.0, 1, FaultSensor::force, 0.0};
    for (Loop* one : {loop.get(), attended.get()}) {
      one->post({Request::Kind::start, -1, 0.0, {}, {}});
      for (int k = 0; k < 10; ++k) one->tick(1);
      one->post({Request::Kind::fault, -1, 1.0, {}, fault});
      for (int k = 0; k < 10; ++k) one->tick(1);
    }
    QCOMPARE(loop->endReason(), EndReason::running);
    QCOMPARE(attended->endReason(), EndReason::not_a_number);
  }
};

HYB_SUITE(unattended_loop, UnattendedLoopTest)
#include "unattended_loop_test.moc"
