/// A sweep of an iterative harmonic balance over the rig protocol and a rig server that plays the twin: the response is
/// that of the twin in this process. In step, however busy the machine.
#include "core/record/run_file_reader.h"
#include "core/run/build.h"
#include "core/run/test_run.h"
#include "core/structure/interface_map.h"
#include "hardware/frames_device.h"
#include "tests/support/balance_run.h"
#include "tests/support/served_twin.h"
#include "tests/support/suite.h"

#include <QTemporaryDir>

using namespace hyb;
using namespace hyb::test;

class BalanceServedTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void sameResponse() {
    Json document = cantilever({17.5}, false);
    document["coupling"]["average"]["periods"] = 20;
    document["coupling"]["solver"]["perturb"] = "cosine";
    const BalanceRun here(document);
    const Project project = parseProject(document);
    const Partition partition = buildPartition(project);

    RigServerSpec spec;
    spec.listen = parseAddress("tcp://127.0.0.1:0", "listen");
    spec.rate_hz = project.loop.rate_hz;
    const std::vector<InterfaceAxis>& sensors = project.partition.sensors;
    spec.channels = rigChannels(project.rig, partition.interface.size(), sensors.size(),
                                project.coupling->reads(partition.interface.size()));
    spec.from_readings = sensorMap(partition, sensors).from_readings;
    RigServer server(makeFaultyRig(buildRawTwin(project, partition), 1.0 / project.loop.rate_hz, 1), std::move(spec),
                     [](const std::string&) {});
    std::jthread thread([&](const std::stop_token& stop) { server.serve([&] { return stop.stop_requested(); }); });

    document["rig"]["use"] = "rig";
    document["rig"]["connection"] = {{"protocol", "frames"},
                                     {"address", server.address()},
                                     {"timeout_ticks", 10000},
                                     {"silence_s", 10},
                                     {"connect_s", 20}};
    QTemporaryDir folder;
    RunOptions options;
    options.pace = Pace::free_run;
    options.file = std::filesystem::path(folder.path().toStdString()) / "served.h5";
    options.devices = [](const RigSpec& rig, const DeviceChannels& given) {
      DeviceChannels channels = given;
      channels.answer_wait_s = kHangs_s;
      return makeFramesDevice(rig.connection, channels);
    };
    RunResult result;
    {
      TestRun run(parseProject(document), options);
      run.arm();
      run.start();
      result = run.finish();
    }
    thread.request_stop();
    thread.join();
    QVERIFY2(result.reason == EndReason::completed, result.stop_reason.c_str());
    const RunFileReader file(options.file);
    QCOMPARE(file.read("segments/converged"), std::vector<double>{1.0});
    const std::complex<double> served =
                                   std::polar(file.read("segments/motion_1_h1")[0],
                                              file.read("segments/motion_phase_1_h1")[0] * std::numbers::pi / 180.0),
                               twin = here.phasor(0, "motion", 1);
    const double off = std::abs(served - twin) / std::abs(twin);
    qInfo("off by %.3f %%", 100.0 * off);
    QVERIFY2(off < 0.01, qPrintable(QString::number(off)));
  }
};

HYB_SUITE(balance_served, BalanceServedTest)
HYB_THREADS(balance_served)
#include "balance_served_test.moc"
