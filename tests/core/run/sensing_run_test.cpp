/// Interfaces that cannot be measured directly: accelerometers, and a fixture between load cells and specimen.
#include <QTemporaryDir>
#include <map>
#include <thread>

#include "core/base/numbers.h"
#include "core/record/run_file_reader.h"
#include "core/run/replay.h"
#include "core/run/test_run.h"
#include "tests/support/balance_run.h"
#include "tests/support/bartl_beams.h"
#include "tests/support/issues.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;
using namespace hyb::test;

namespace {

const Json kPlate_kg = Json::parse("[[0.9, 0], [0, 1.4]]");

/// Two axes and three accelerometers, and the axes themselves where lasers stand beside them.
Json accelerometersOn(const char* first, const char* second, bool lasers) {
  Json sensors = Json::array();
  const auto add = [&](const char* name, const char* reads, double a, double b) {
    sensors.push_back({{"name", name},
                       {"reads", reads},
                       {"terms", {{{"dof", first}, {"factor", a}}, {{"dof", second}, {"factor", b}}}}});
  };
  if (lasers) {
    add("laser 1", "displacement", 1.0, 0.0);
    add("laser 2", "displacement", 0.0, 1.0);
  }
  add("head 1", "acceleration", 1.0, 0.0);
  add("head 2", "acceleration", 0.0, 1.0);
  add("head 3", "acceleration", 0.5, 0.5);
  return sensors;
}

/// A cut with two axes, m1 and m2, that actuators go after; without noise.
Json trackingDocument() {
  Json document = templateDocument("three-mass");
  document["loop"].update({{"duration_s", 2.0}, {"soft_start_s", 0.4}, {"soft_end_s", 0.1}});
  document["analysis"]["start_s"] = 0.5;
  for (const char* sensor : {"displacement_sensor", "force_sensor"}) document["rig"][sensor] = Json::object();
  document["rig"]["fixture"] = {{"mass_kg", kPlate_kg}};
  return document;
}
Json takenOut(Json document) {
  document["rig"]["fixture"].update({{"load_cell", "actuator"}, {"taken_out", true}});
  return document;
}

double furthestApart(const std::vector<double>& a, const std::vector<double>& b) {
  double apart = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    apart = std::max(apart, std::abs(a.at(k) - b[k]));
    largest = std::max(largest, std::abs(b[k]));
  }
  return apart / largest;
}

/// The beams at 60 Hz, begun with their model: amplitudes of both targets once the gap is closed.
std::vector<std::complex<double>> targetsOf(Json document, double rate_hz, double* gap = nullptr) {
  takeModel(document, 12.0);
  document["loop"]["rate_hz"] = rate_hz;
  StreamedRun run(document);
  if (!run.runTo(11.0)) return {};
  const auto found = run.amplitudes({"target_1", "target_2", "gap_1"}, {kTwoPi * 60.0}, 0.5, 0.0);
  if (gap != nullptr) *gap = std::abs(found[2]);
  return {found[0], found[1]};
}

double apart(const std::vector<std::complex<double>>& a, const std::vector<std::complex<double>>& b) {
  return std::max(std::abs(a.at(0) / b.at(0) - 1.0), std::abs(a.at(1) / b.at(1) - 1.0));
}

Json coarseBeams() {
  Json document = bartlBeams(60.0, 12.0);
  makeCoarser(document, 5, 8);
  for (const char* side : {"numerical", "physical"}) document["partition"]["reduction"][side]["modes"] = 6;
  return document;
}

/// What the beams come to at that rate with lasers and the load cell on the specimen.
const std::vector<std::complex<double>>& withLasers(double rate_hz) {
  static std::map<double, std::vector<std::complex<double>>> known;
  if (!known.contains(rate_hz)) known[rate_hz] = targetsOf(coarseBeams(), rate_hz);
  return known[rate_hz];
}

/// The clean cantilever without its gauges, and accelerometers at its shakers.
Json headsOnCantilever(std::vector<double> hz, bool lasers) {
  Json document = cantilever(std::move(hz), true);
  document["rig"].erase("sensors");
  document["partition"].erase("force_sensors");
  document["coupling"].erase("channels");
  document["coupling"].erase("beam");
  document["coupling"]["residual"].update({{"tolerance", 1e-3}, {"steadiness", 1e-3}});
  document["partition"]["sensors"] = accelerometersOn("shaker 1", "shaker 2", lasers);
  return document;
}
/// Of all points and DOF of the cut; 1: a point is not balanced.
double furthestFromWhole(const BalanceRun& run) {
  if (run.points() == 0 || run.converged() != run.points()) return 1.0;
  const BothSides sides(run.project());
  double off = 0.0;
  for (std::size_t p = 0; p < run.points(); ++p)
    for (const int dof : {1, 2}) {
      const auto whole = 0.04 * sides.response(run.value(p, "frequency"))[dof - 1];
      off = std::max(off, std::abs(run.phasor(p, "motion", dof) / whole - 1.0));
    }
  return off;
}

}  // namespace

class SensingRunTest : public QObject {
  Q_OBJECT
 private:
  /// The same test as with lasers and the load cell on the specimen, but for what the steps of a held command leave of
  /// accelerations at the ticks, which falls with the tick.
  void checkOf(const std::function<void(Json&)>& change) {
    Json document = coarseBeams();
    change(document);
    double gap = 0.0;
    std::vector<double> off;
    for (const double rate_hz : {5e3, 1e4}) {
      const auto& expected = withLasers(rate_hz);
      off.push_back(apart(targetsOf(document, rate_hz, &gap), expected));
      QVERIFY2(gap < 1e-3 * std::abs(expected[0]), qPrintable(QString::number(gap)));
    }
    QVERIFY2(off[0] < 1e-3 && off[1] < 0.6 * off[0], qPrintable(QString("%1, %2").arg(off[0]).arg(off[1])));
  }

 private Q_SLOTS:
  /// A test in real time gets the specimen's force from load cells that read the fixture too, with the acceleration of
  /// the same instant: the same test, row by row, as with load cells on the specimen.
  void trackingWithAFixtureTakenOut() {
    Json sensed = takenOut(trackingDocument());
    sensed["partition"]["sensors"] = accelerometersOn("m1", "m2", true);
    const TemplateRun plain(trackingDocument()), run(sensed);
    QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
    for (const char* column : {"force_1", "force_2", "target_1", "measured_2"}) {
      const double off = furthestApart(run.channel(column), plain.channel(column));
      QVERIFY2(off < 1e-9, qPrintable(QString("%1: %2").arg(column).arg(off)));
    }
    QVERIFY(furthestApart(run.channel("force_sensor_1"), plain.channel("force_1")) > 0.05);
    // Accelerometers beside lasers tell no motion here, and contradict nothing.
    const std::vector<double> residual = run.channel("sensor_residual");
    QVERIFY(*std::ranges::max_element(residual) < 1e-15);
    // Left in, the fixture is taken for a part of the specimen.
    Json left_in = sensed;
    left_in["rig"]["fixture"]["taken_out"] = false;
    QVERIFY(furthestApart(TemplateRun(left_in).channel("target_1"), plain.channel("target_1")) > 0.02);
  }

  /// Springs of the fixture too, and accelerometers whose noise becomes one of the force.
  void springsAndNoise() {
    Json plain = trackingDocument();
    plain["rig"]["fixture"]["stiffness_n_per_m"] = Json::parse("[[700, 0], [0, 300]]");
    Json sensed = takenOut(plain);
    sensed["partition"]["sensors"] = accelerometersOn("m1", "m2", true);
    const TemplateRun expected(plain);
    QVERIFY(furthestApart(TemplateRun(sensed).channel("force_2"), expected.channel("force_2")) < 1e-9);
    sensed["rig"]["accelerometer"] = {{"noise_rms_m_per_s2", 0.01}};
    const TemplateRun noisy(sensed);
    const std::vector<double> force = noisy.channel("force_1"), read = noisy.channel("sensor_3");
    const double off = furthestApart(force, expected.channel("force_1"));
    QVERIFY2(off > 1e-5 && off < 0.02, qPrintable(QString::number(off)));
    QVERIFY(!read.empty());
  }

  void replayIsExact() {
    QTemporaryDir folder;
    for (const bool sensors : {true, false}) {  // of a scheme of harmonics, even without any
      const std::filesystem::path file =
          std::filesystem::path(folder.path().toStdString()) / (sensors ? "sensors.h5" : "cells.h5");
      Json document = sensors ? takenOut(trackingDocument()) : takenOut(coarseBeams());
      if (sensors)
        document["partition"]["sensors"] = accelerometersOn("m1", "m2", true);
      else
        takeModel(document, 2.0);
      const Project project = parseProject(document);
      RunOptions options;
      options.pace = Pace::free_run;
      options.file = file;
      TestRun test(project, options);
      test.arm();
      test.start();
      while (!test.ended()) std::this_thread::yield();
      test.finish();
      const ReplayReport report = replay(RunFileReader(file));
      QVERIFY2(report.exact(), report.first ? report.first->channel.c_str() : report.early_end.c_str());
      QVERIFY2(static_cast<double>(report.rows) >= 0.9 * project.loop.rate_hz * project.loop.duration_s,
               qPrintable(QString::number(report.rows)));
    }
  }

  /// A sum of harmonics needs no accelerometers for that: the acceleration follows from the motion.
  void feedforwardWithAFixtureTakenOut() {
    checkOf([](Json& document) { document = takenOut(document); });
    if (!kThorough) return;
    Json left_in = coarseBeams();
    left_in["rig"]["fixture"]["load_cell"] = "actuator";
    QVERIFY(apart(targetsOf(left_in, 5e3), withLasers(5e3)) > 0.02);
  }

  /// Nothing but accelerometers and load cells, as impedance heads are.
  void feedforwardWithImpedanceHeads() {
    checkOf([](Json& document) {
      document = takenOut(document);
      document["partition"]["sensors"] = accelerometersOn("z1", "z2", false);
    });
  }

  /// Accelerometers beside lasers, and load cells behind the plate in place of gauges: the same to rounding as with
  /// load cells on the specimen, and the response of the whole.
  void balanceWithLoadCells() {
    const Json document = headsOnCantilever({15.0, 17.4}, true);
    const BalanceRun expected(document), run(takenOut(document));
    for (std::size_t p = 0; p < run.points(); ++p)
      for (const int dof : {1, 2})
        QVERIFY(std::abs(expected.phasor(p, "motion", dof) / run.phasor(p, "motion", dof) - 1.0) < 1e-9);
    QVERIFY2(furthestFromWhole(run) < 0.01, qPrintable(QString::number(furthestFromWhole(run))));
  }

  /// Accelerometers alone. Shakers that stand rigidly on the plate pass on the steps of a held command, half a tick of
  /// them, and the balance of a slender beam counts that many times over: what it leaves falls with the tick.
  void balanceWithImpedanceHeads() {
    std::vector<double> off;
    for (const double rate_hz : {1e4, 2e4}) {
      Json document = takenOut(headsOnCantilever({15.0}, false));
      document["loop"]["rate_hz"] = rate_hz;
      off.push_back(furthestFromWhole(BalanceRun(document)));
      if (!kThorough) return;  // the way is that of the higher rate
    }
    const double ratio = off[0] / off[1];
    QVERIFY2(off[1] < 0.03 && ratio > 1.7 && ratio < 2.3, qPrintable(QString("%1, %2").arg(off[0]).arg(off[1])));
  }

  void refusals() {
    const auto issues = [](const Json& document) { return validate(document); };
    Json document = trackingDocument();
    document["partition"]["sensors"] = accelerometersOn("m1", "m2", true);
    document["partition"]["sensors"].erase(0);
    EXPECT_ISSUE(issues(document), "/partition/sensors", "cannot determine the motion m1");
    EXPECT_ISSUE(issues(document), "/partition/sensors", "\"tracking\"");
    document = trackingDocument();
    document["rig"]["fixture"]["taken_out"] = true;
    EXPECT_ISSUE(issues(document), "/rig/fixture/taken_out", "the load cell is between fixture and specimen");
    document = takenOut(trackingDocument());
    EXPECT_ISSUE(issues(document), "/rig/fixture/taken_out", "no sensor measures that of m1");
    document["partition"]["sensors"] = accelerometersOn("m1", "m2", true);
    QVERIFY2(issues(document).empty(), qPrintable(shown(issues(document))));
    document["partition"]["sensors"].erase(3);  // the second, and their mean stays
    QVERIFY2(issues(document).empty(), qPrintable(shown(issues(document))));
    document["partition"]["sensors"].erase(3);
    EXPECT_ISSUE(issues(document), "/rig/fixture/taken_out", "no sensor measures that of m2");
    document = takenOut(cantilever({17.0}));
    EXPECT_ISSUE(issues(document), "/rig/fixture/taken_out", "strain gauges");
    document = takenOut(coarseBeams());
    document["partition"]["sensors"] = accelerometersOn("z1", "z2", false);
    document["partition"]["sensors"].erase(0);
    document["partition"]["sensors"].erase(0);
    EXPECT_ISSUE(issues(document), "/partition/sensors", "cannot determine the motion z1 - z2");
    document["partition"]["sensors"] = accelerometersOn("z1", "z2", false);
    document["rig"]["accelerometer"] = {{"bits", 16}};
    EXPECT_ISSUE(issues(document), "/rig/accelerometer/range_m_per_s2", "is missing");
  }
};

// Not HYB_THREADS: its threads are those of test_run, at length.
HYB_SUITE(sensing_run, SensingRunTest)
#include "sensing_run_test.moc"
