/// Four displacement sensors on two axes: what is made of their readings, in the twin and on a rig server over TCP.
#include <QTemporaryDir>
#include <array>
#include <cmath>

#include "core/record/run_file_reader.h"
#include "core/rig/sensed_rig.h"
#include "core/rig/setup_tick.h"
#include "core/run/build.h"
#include "core/run/replay.h"
#include "core/run/test_run.h"
#include "hardware/frames_device.h"
#include "tests/support/rig_contract.h"
#include "tests/support/served_twin.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

namespace fs = std::filesystem;
constexpr std::size_t kAxes = 2, kSensors = 4;
constexpr double kFault_s = 0.8, kContradiction_m = 1e-5;
constexpr int kNoData_ticks = 5;

/// Each axis by itself, their mean and their difference.
Json documentOf(const char* use, const std::string& address) {
  Json document = templateDocument("three-mass");
  document["loop"]["duration_s"] = 1.5;
  document["loop"]["soft_start_s"] = 0.4;
  document["loop"]["soft_end_s"] = 0.1;
  document["analysis"]["start_s"] = 0.4;
  document["rig"]["displacement_sensor"] = Json::object();
  document["rig"]["force_sensor"] = Json::object();
  document["partition"]["sensors"] = Json::parse(R"([
      {"name": "first", "terms": [{"dof": "m1", "factor": 1}]},
      {"name": "second", "terms": [{"dof": "m2", "factor": 1}]},
      {"name": "middle", "terms": [{"dof": "m1", "factor": 0.5}, {"dof": "m2", "factor": 0.5}]},
      {"name": "across", "terms": [{"dof": "m2", "factor": 1}, {"dof": "m1", "factor": -1}]}])");
  document["safety"] = Json::parse(R"({"limits": [
      {"quantity": "stale-data", "threshold_ticks": 5, "action": "ramp"},
      {"quantity": "signal", "channel": "sensor_residual", "threshold": 1e-5, "action": "ramp"},
      {"quantity": "link-lost", "action": "stop"}, {"quantity": "not-a-number", "action": "stop"}]})");
  document["safety"]["stop_ramp_s"] = 0.1;
  document["rig"]["use"] = use;
  if (!address.empty())
    document["rig"]["connection"] = {
        {"protocol", "frames"}, {"address", address}, {"timeout_ticks", 10'000}, {"connect_s", 20}, {"silence_s", 10}};
  return document;
}
Project projectOf(const char* use, const std::string& address = {}) { return parseProject(documentOf(use, address)); }

Eigen::MatrixXd seen() { return Eigen::MatrixXd{{1.0, 0.0}, {0.0, 1.0}, {0.5, 0.5}, {-1.0, 1.0}}; }
/// Least squares by the normal equations, apart from the program's own pseudo-inverse.
Eigen::VectorXd leastSquares(const Eigen::VectorXd& y) {
  const Eigen::Matrix2d n = seen().transpose() * seen();
  const Eigen::Vector2d b = seen().transpose() * y;
  const double det = n(0, 0) * n(1, 1) - n(0, 1) * n(1, 0);
  return Eigen::Vector2d((n(1, 1) * b[0] - n(0, 1) * b[1]) / det, (n(0, 0) * b[1] - n(1, 0) * b[0]) / det);
}

/// The project's twin behind a rig server, sensor by sensor, as `hybridbench rig` serves it.
std::unique_ptr<ServedTwin> serve() {
  const Project project = projectOf("twin");
  const Partition partition = buildPartition(project);
  return std::make_unique<ServedTwin>("tcp://127.0.0.1:0", std::vector<FaultSpec>{}, rigChannels({}, kAxes, kSensors),
                                      buildRawTwin(project, partition), std::function<void()>{},
                                      sensorMap(partition, project.partition.sensors).from_readings);
}

DeviceFactory devices() {
  return [](const RigSpec& rig, const DeviceChannels& given) {
    DeviceChannels channels = given;
    channels.answer_wait_s = kHangs_s;
    return makeFramesDevice(rig.connection, channels);
  };
}

RunResult run(const Project& project, const fs::path& file) {
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = file;
  options.devices = devices();
  options.attended = false;
  TestRun test(project, options);
  test.arm();
  test.start();
  while (!test.ended()) std::this_thread::yield();
  return test.finish();
}

/// Reads what it is told to.
class Told final : public Rig {
 public:
  explicit Told(std::vector<double>& y) : y_(y) {}
  std::size_t interfaces() const noexcept override { return y_.size(); }
  std::string description() const override { return "told"; }
  void open() override {}
  RigStatus read(RigState& state, std::int64_t) noexcept override {
    for (std::size_t k = 0; k < y_.size(); ++k) {
      state.measured[static_cast<Eigen::Index>(k)] = y_[k];
      state.force[static_cast<Eigen::Index>(k)] = 10.0 + static_cast<double>(k);
    }
    return RigStatus::ok;
  }
  RigStatus write(const Command&) noexcept override { return RigStatus::ok; }
  void safeStop() noexcept override {}

 private:
  std::vector<double>& y_;
};

}  // namespace

class SensedRigTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  fs::path file(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }

 private Q_SLOTS:
  /// Also where sensors contradict each other: least squares, and the residual says by how much.
  void readingsBecomeMotion() {
    std::vector<double> y(kSensors);
    const Project project = projectOf("twin");
    const auto rig = withSensors(project, buildPartition(project), std::make_unique<Told>(y));
    QCOMPARE(rig->interfaces(), kAxes);
    rig->open();
    RigState state{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
    const std::array<std::vector<double>, 3> cases = {
        {{0.003, -0.001, 0.001, -0.004}, {0.003, -0.001, 0.001, 0.002}, {0.0, 0.0, 0.009, 0.0}}};
    std::vector<double> columns(rig->channels().size());
    QCOMPARE(columns.size(), kSensors + 1);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      y = cases[c];
      QVERIFY(rig->read(state, 1) == RigStatus::ok);
      const Eigen::VectorXd all = Eigen::Map<Eigen::VectorXd>(y.data(), kSensors), x = leastSquares(all);
      QVERIFY((state.measured - x).norm() < 1e-15);
      QVERIFY(state.force == Eigen::Vector2d(10.0, 11.0));
      rig->readChannels(columns);
      QVERIFY(std::equal(y.begin(), y.end(), columns.begin()));
      QVERIFY(std::abs(columns.back() - (all - seen() * x).cwiseAbs().maxCoeff()) < 1e-15);
      QCOMPARE(columns.back() > 1e-12, c > 0);
    }
    // By hand: S^T S = [2.25 -0.75; -0.75 2.25], S^T y = 0.0045 (1, 1): both axes 0.003.
    QVERIFY((state.measured.array() - 0.003).abs().maxCoeff() < 1e-15);
    y[3] = std::numeric_limits<double>::quiet_NaN();
    (void)rig->read(state, 1);
    QVERIFY(state.measured.array().isNaN().all());
    QVERIFY2(rig->failure().find("sensor across") != std::string::npos, rig->failure().c_str());
  }

  /// A fault of one sensor is a share of the motion: the twin takes it sensor by sensor.
  void aFaultOfOneSensor() {
    const Project project = projectOf("twin");
    const auto rig = buildRig(project, buildPartition(project), {}, false);
    rig->open();
    RigState state{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)};
    (void)rig->read(state, 0);
    QVERIFY(rig->inject({FaultKind::spike, 0.0, 0.0, 3, FaultSensor::displacement, 0.009}, true));
    (void)rig->read(state, 1);
    QVERIFY((state.measured.array() - 0.003).abs().maxCoeff() < 1e-12);
  }

  /// Command by command the same as the in-process twin, one answer later.
  void theServedTwinIsTheTwin() {
    const auto served = serve();
    const Project here = projectOf("twin"), there = projectOf("rig", served->address());
    const auto twin = buildRig(here, buildPartition(here), {}, false);
    const auto rig = buildRig(there, buildPartition(there), devices(), false);
    twin->open();
    rig->open();
    RigState a{Eigen::VectorXd::Zero(2), Eigen::VectorXd::Zero(2)}, b = a, last = a;
    (void)twin->read(a, 0);
    QVERIFY(rig->read(b, 0) == RigStatus::ok);
    double moved = 0.0;
    for (int k = 0; k < 500; ++k) {
      const Command command{Eigen::Vector2d(1e-3 * std::sin(0.05 * k), -5e-4 * std::sin(0.03 * k)),
                            Eigen::Vector2d(0.05 * std::cos(0.05 * k), -0.015 * std::cos(0.03 * k))};
      last = a;
      QVERIFY(twin->write(command) == RigStatus::ok && rig->write(command) == RigStatus::ok);
      QVERIFY(twin->read(a, 1) == RigStatus::ok && rig->read(b, 1) == RigStatus::ok);
      QVERIFY(b.measured == last.measured && b.force == last.force);
      moved = std::max(moved, b.measured.cwiseAbs().minCoeff());
    }
    QVERIFY(moved > 1e-4);
  }

  void aTestOverTcp() {
    const auto served = serve();
    const RunResult result = run(projectOf("rig", served->address()), file("run.h5"));
    QVERIFY2(result.reason == EndReason::completed, result.stop_reason.c_str());
    const RunResult twin = run(projectOf("twin"), file("twin.h5"));
    QVERIFY2(twin.reason == EndReason::completed, twin.stop_reason.c_str());
    const RunFileReader run(file("run.h5")), in_process(file("twin.h5"));
    const auto column = [&](const std::string& name) { return run.read("acquisition/" + name); };
    std::array<std::vector<double>, kSensors> sensors;
    for (std::size_t y = 0; y < kSensors; ++y) {
      sensors[y] = column("sensor_" + std::to_string(y + 1));
      QVERIFY(sensors[y] == column("raw_measured_" + std::to_string(y + 1)));
    }
    const auto residual = column("sensor_residual");
    for (std::size_t i = 0; i < kAxes; ++i) {
      const std::string name = "acquisition/measured_" + std::to_string(i + 1);
      const auto measured = run.read(name), expected = in_process.read(name);
      QCOMPARE(measured.size(), expected.size());
      double largest = 0.0, apart = 0.0;
      for (std::size_t k = 0; k < measured.size(); ++k) {
        Eigen::VectorXd y(kSensors);
        for (std::size_t s = 0; s < kSensors; ++s) y[static_cast<Eigen::Index>(s)] = sensors[s][k];
        QVERIFY(std::abs(measured[k] - leastSquares(y)[static_cast<Eigen::Index>(i)]) < 1e-14);
        QVERIFY(residual[k] < 1e-14);
        largest = std::max(largest, std::abs(expected[k]));
        apart = std::max(apart, std::abs(measured[k] - expected[k]));
      }
      qInfo("axis %zu: up to %g m, apart %g m", i + 1, largest, apart);
      QVERIFY(largest > 1e-4);
      QVERIFY(apart < 0.2 * largest);  // the answer comes a tick later: not the same loop
    }
    // Again from the file, bit for bit.
    for (const char* name : {"run.h5", "twin.h5"}) {
      const ReplayReport again = replay(RunFileReader(file(name)));
      QVERIFY2(again.exact() && again.rows > 1000, name);
    }
  }

  /// One of the four comes off while the test runs: it gives no number, or keeps its last one, which only the others
  /// tell.
  void unplugged_data() {
    QTest::addColumn<bool>("tcp");
    QTest::addColumn<QByteArray>("fault");
    QTest::addColumn<QByteArray>("said");
    QTest::addColumn<int>("within");  // ticks from the fault to the limit
    QTest::newRow("no number, twin") << false << QByteArray("not-a-number") << QByteArray("sensor across") << 1;
    QTest::newRow("no number, TCP") << true << QByteArray("not-a-number") << QByteArray("measured_4 is not a number")
                                    << kNoData_ticks + 1;
    for (const bool tcp : {false, true})
      QTest::newRow(tcp ? "stuck, TCP" : "stuck, twin")
          << tcp << QByteArray("stuck-sensor") << QByteArray("sensor_residual") << 200;
  }
  void unplugged() {
    QFETCH(bool, tcp);
    QFETCH(QByteArray, fault);
    QFETCH(QByteArray, said);
    QFETCH(int, within);
    const auto served = serve();
    Json document = documentOf(tcp ? "rig" : "twin", tcp ? served->address() : std::string());
    document["rig"]["faults"] = Json::array({{{"kind", fault.toStdString()}, {"from_s", kFault_s}, {"interface", 4}}});
    const Project project = parseProject(document);
    const fs::path path = file((std::string(QTest::currentDataTag()) + ".h5").c_str());
    const RunResult result = run(project, path);
    QVERIFY2(result.stop_reason.find(said.toStdString()) != std::string::npos, result.stop_reason.c_str());
    const bool number = fault != "not-a-number";
    QVERIFY(result.reason == (number || tcp ? EndReason::limit : EndReason::not_a_number));

    const RunFileReader run(path);
    std::int64_t begun = -1, hit = -1;
    for (const RecordedEvent& event : run.events()) {
      if (event.code == static_cast<int>(EventCode::fault_injected)) begun = static_cast<std::int64_t>(event.tick);
      if (event.code == static_cast<int>(EventCode::limit_hit) && hit < 0) hit = static_cast<std::int64_t>(event.tick);
    }
    QVERIFY(std::abs(static_cast<double>(begun) - kFault_s * project.loop.rate_hz) <= 1.0);
    QVERIFY2(hit >= begun && hit <= begun + within, qPrintable(QString("%1 to %2").arg(begun).arg(hit)));
    // In the tick in which what the others say was first apart by more than the limit.
    const auto tick = run.read("acquisition/tick"), residual = run.read("acquisition/sensor_residual");
    if (number) {
      std::size_t first = 0;
      while (first < residual.size() && residual[first] <= kContradiction_m) ++first;
      QVERIFY(first < residual.size());
      QCOMPARE(static_cast<std::int64_t>(tick[first]), hit);
    }
    // Ramped to zero where there are readings, stopped where there are none; the rig is told.
    const bool ramps = number || tcp;
    const double after = static_cast<double>(tick.back()) - static_cast<double>(hit);
    QVERIFY(ramps ? std::abs(after - 0.1 * project.loop.rate_hz) <= 2.0 : after <= 1.0);
    for (const char* channel : {"acquisition/command_1", "acquisition/command_2"})
      QVERIFY(!ramps || std::abs(run.read(channel).back()) < 1e-12);
    if (!tcp) return;
    QTRY_VERIFY_WITH_TIMEOUT(served->state() == RigServer::State::listening, kHangs_ms);
    QVERIFY2(served->said("at rest"), served->log().c_str());
  }

  /// Zeroing sensors keeps every actuator where it stands.
  void zeroingTakesTheCommandsAlong() {
    const Project project = projectOf("twin");
    const SensorMap map = sensorMap(buildPartition(project), project.partition.sensors);
    std::vector<ChannelSpec> channels = rigChannels({}, kAxes, kSensors);
    QCOMPARE(channels.size(), std::size_t{10});
    ZeroResult zero{{6}, std::vector<double>(channels.size(), 0.0), {}};
    zero.mean[6] = 0.009;  // the middle
    const std::vector<double> tares = taresAfter(zero, channels, map);
    QCOMPARE(tares[6], 0.009);
    QVERIFY(std::abs(tares[0] - 0.003) < 1e-15 && std::abs(tares[1] - 0.003) < 1e-15);
    QCOMPARE(tares[2], 0.0);
  }

  /// By hand: axis 2 goes out, axis 1 stays, and every sensor reads its part; the wiring check says why it will not.
  void setUpMovesAxesNotSensors() {
    const auto served = serve();
    const Project project = projectOf("rig", served->address());
    const std::vector<ChannelSpec> channels = rigChannels({}, kAxes, kSensors);
    DeviceChannels wanted = deviceChannels(channels, kServedRate_hz);
    wanted.answer_wait_s = kHangs_s;
    wanted.paced = false;
    const auto device = makeFramesDevice(project.rig.connection, wanted);
    device->open();
    SetupTick setup(*device, channels, kServedRate_hz, sensorMap(buildPartition(project), project.partition.sensors));
    const JogLimits limits{0.01, 0.001, 1000.0};
    for (int k = 0; k < 50; ++k) setup.tick(1);
    setup.checkWiring(5e-4, limits);
    QVERIFY2(setup.takeView().problem.find("/partition/sensors") != std::string::npos,
             setup.takeView().problem.c_str());
    for (int k = 0; k < 600; ++k) {
      if (k < 200) setup.jog(2, 0.01, limits);
      setup.tick(1);
      if (k == 550) (void)setup.takeView();
    }
    const SetupView view = setup.takeView();
    QVERIFY2(view.activity != SetupActivity::stopped, view.problem.c_str());
    QCOMPARE(view.command_m.size(), kAxes);
    QCOMPARE(view.command_m[0], 0.0);
    QVERIFY(std::abs(view.command_m[1] - 1e-3) < 1e-12);
    const Eigen::Vector4d expected(0.0, 1e-3, 5e-4, 1e-3);
    for (std::size_t y = 0; y < kSensors; ++y)
      QVERIFY(std::abs(view.scaled[4 + y] - expected[static_cast<Eigen::Index>(y)]) < 1e-6);
  }
};

/// The contract of all rigs: the twin through its sensors, here and behind a connection.
class TestSensedContract : public RigContract {
  Q_OBJECT
 public:
  explicit TestSensedContract(bool tcp) : tcp_(tcp) { noise_m = 1e-15; }

 protected:
  std::unique_ptr<Rig> makeRig() override {
    if (tcp_) servers_.push_back(serve());
    const Project project = tcp_ ? projectOf("rig", servers_.back()->address()) : projectOf("twin");
    return buildRig(project, buildPartition(project), devices(), false);
  }

 private:
  bool tcp_;
  std::vector<std::unique_ptr<ServedTwin>> servers_;
};

static SuiteObjects sensedRigs() {
  SuiteObjects objects;
  objects.push_back(std::make_unique<SensedRigTest>());
  for (const bool tcp : {false, true}) objects.push_back(std::make_unique<TestSensedContract>(tcp));
  return objects;
}

HYB_SUITE_MADE_BY(sensed_rig, sensedRigs)
HYB_THREADS(sensed_rig)
#include "sensed_rig_test.moc"
