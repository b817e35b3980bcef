/// Multi-axial benchmark (maRTHS): the coupled plant of row M-6 of the note, identified from tests of the rig.
#include "core/assess/rig_excitation.h"
#include "core/base/numbers.h"
#include "core/identification/identify.h"
#include "core/run/build.h"
#include "core/transfer/command_response.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;

class MarthsIdentified : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Each actuator excited alone, and all four entries of the matrix from its command to the motion of either axis.
  void everyEntryOfThePlant_data() {
    QTest::addColumn<int>("command");
    QTest::newRow("command 1") << 0;
    QTest::newRow("command 2") << 1;
  }
  void everyEntryOfThePlant() {
    QFETCH(int, command);
    Json document = templateDocument("marths");
    document["rig"].erase("displacement_sensor");
    const Project project = parseProject(document);
    const Partition cut = buildPartition(project);
    RigExcitation asked = proposedExcitation(project, static_cast<std::size_t>(command));
    asked.duration_s = 2.0 * asked.period_s;
    const test::TemplateRun run(excitingTest(project, asked).document);
    QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
    const auto samples = [&](const char* what, int i) { return run.channel(what + std::to_string(i + 1)); };
    for (int axis = 0; axis < 2; ++axis) {
      IdentifySpec spec;
      spec.rate_hz = project.loop.rate_hz;
      spec.poles = 4;
      spec.zeros = command == 0 ? 2 : 1;
      spec.delay_s = 0.0;
      spec.compare_orders = false;
      const Identification found = identify(samples("command_", command), samples("measured_", axis), spec);
      QVERIFY(found.model);
      for (const double hz : {1.0, 5.0, 15.0}) {
        const std::complex<double> wanted = commandResponse(cut, project.twin, {0.0, kTwoPi * hz})(axis, command);
        const double off = std::abs(found.model->response(hz) / wanted - 1.0);
        QVERIFY2(off < 0.01, qPrintable(QString("H%1%2 at %3 Hz: %4").arg(axis + 1).arg(command + 1).arg(hz).arg(off)));
      }
    }
  }
};

HYB_SUITE(marths_identified, MarthsIdentified)
#include "marths_identified.moc"
