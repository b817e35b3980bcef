#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <functional>

#include "core/assess/metrics.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/record/run_file_writer.h"
#include "tests/support/suite.h"

using namespace hyb;

namespace {

constexpr double kRate_hz = 1000.0;

/// A run whose figures are known: 8 Hz, x_1 = 0.95 z_1 late by 2 ms, x_2 = z_2, z* = 1.1 x, f = 100 N.
struct Run {
  Json document = templateDocument("three-mass");
  double seconds = 30.0;
  std::function<bool(std::size_t)> missed = [](std::size_t) { return false; };
  std::function<std::uint32_t(std::size_t)> flags = [](std::size_t) { return 0u; };
  std::function<double(std::size_t)> tick = [](std::size_t k) { return static_cast<double>(k); };

  Json figures() const {
    QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "run.h5";
    const RowLayout layout(2, {{"walls", "m", "", 0}}, true, {});
    RunFileHeader header;
    header.rate_hz = kRate_hz;
    header.project_json = document.dump();
    RunFileWriter writer(file, header, layout, {{"gap 1"}, {"m"}, {"indicated"}, {}, {}}, 1024);
    std::vector<double> row(layout.width());
    for (std::size_t k = 0; k < static_cast<std::size_t>(seconds * kRate_hz); ++k) {
      if (missed(k)) continue;
      const double t = static_cast<double>(k) / kRate_hz, w = 2.0 * kPi * 8.0;
      row[RowLayout::kTick] = tick(k);
      row[RowLayout::kTime] = t;
      row[RowLayout::kFlags] = flags(k);
      for (std::size_t i = 0; i < 2; ++i) {
        const double z = 0.002 * std::sin(w * t), x = i == 0 ? 0.95 * 0.002 * std::sin(w * (t - 0.002)) : z;
        row[layout.target(i)] = z;
        row[layout.measured(i)] = x;
        row[layout.gap(i)] = x - z;
        row[layout.force(i)] = i == 0 ? -100.0 * std::cos(w * t) : 0.0;
        row[layout.reference(i)] = 1.1 * x;
      }
      writer.append(row);
    }
    writer.append(Event{.tick = 100, .code = EventCode::limit_hit, .index = 0, .value = 0.001, .bound = 0.0005});
    writer.append(Event{.tick = 101, .code = EventCode::limit_cleared, .index = 0});
    writer.close({true, true, "completed"});
    return metrics(RunFileReader(file), {});
  }
};

bool near(const Json& actual, double expected, double tolerance) {
  return actual.is_number() && std::abs(actual.get<double>() - expected) <= tolerance;
}

}  // namespace

class MetricsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void knownRun() {
    const Json figures = Run().figures();
    QCOMPARE(figures["interfaces"].size(), std::size_t{2});
    QVERIFY(near(figures["analysed"]["from_s"], 10.0, 1e-9) && near(figures["analysed"]["to_s"], 28.0, 1e-9));
    const Json &late = figures["interfaces"][0], &exact = figures["interfaces"][1];
    // |x - z| / |z| of two phasors; window 10 s to 28 s, 144 whole periods.
    const double phase = 2.0 * kPi * 8.0 * 0.002;
    const double gap = std::sqrt(1.0 + 0.95 * 0.95 - 2.0 * 0.95 * std::cos(phase));
    QVERIFY(near(late["tracking_nrmse_percent"], 100.0 * gap, 0.02));
    QVERIFY(near(late["tracking_peak_percent"], 100.0 * gap, 0.1));  // peaks fall between samples
    QVERIFY(near(late["delay_ms"], 2.0, 0.002));
    QVERIFY(near(late["amplitude_ratio"], 0.95, 1e-6));
    QVERIFY(near(late["phase_deg"], -360.0 * 8.0 * 0.002, 1e-6));
    QVERIFY(near(late["gap_rms"], 0.002 * gap / std::sqrt(2.0), 1e-7));
    QVERIFY(near(late["gap_peak"], 0.002 * gap, 1e-6));
    QVERIFY(near(late["reference_nrmse_percent"], 100.0 * 0.1 / 1.1, 1e-6));
    QVERIFY(near(late["reference_peak_percent"], 100.0 * 0.1 / 1.1, 1e-6));
    QVERIFY(near(exact["tracking_nrmse_percent"], 0.0, 1e-9));
    QVERIFY(near(exact["delay_ms"], 0.0, 1e-6));
    QVERIFY(late["name"] == "m1");
    QVERIFY(exact["name"] == "m2");
    // - integral of f dg over 144 periods, f = -100 cos(wt): the part of g' in phase with cos is
    // 0.002 w (0.95 cos(phase) - 1).
    const double energy = 100.0 * 0.002 * (0.95 * std::cos(phase) - 1.0) * kPi * 144.0;
    QVERIFY2(near(figures["energy_error"], energy, 1e-3 * std::abs(energy)), figures["energy_error"].dump().c_str());
    QVERIFY(figures["missed_ticks"] == 0);
    QVERIFY(figures["limits_hit"] == 1);
    QVERIFY(figures["stop_reason"] == "completed");
    QVERIFY(figures["complete"] == true);
    QVERIFY(figures["valid"] == true);
  }

  void missedTicksLeaveThePhaseAlone() {
    Run run;
    run.missed = [](std::size_t k) { return k % 37 == 5 || (k > 15000 && k < 15010); };
    const Json figures = run.figures();
    QVERIFY(figures["missed_ticks"] > 800);
    QVERIFY(near(figures["interfaces"][0]["phase_deg"], -360.0 * 8.0 * 0.002, 0.05));
    QVERIFY(near(figures["interfaces"][0]["delay_ms"], 2.0, 0.01));
  }

  void ticksOfADamagedFileAreRefused_data() {
    QTest::addColumn<int>("damaged");
    QTest::newRow("before what is analysed") << 100;
    QTest::newRow("in it") << 15000;
  }
  /// They would be filled in for hours, and are more than a whole number holds.
  void ticksOfADamagedFileAreRefused() {
    QFETCH(int, damaged);
    Run run;
    run.tick = [damaged](std::size_t k) {
      return k == static_cast<std::size_t>(damaged) ? 1.1e19 : static_cast<double>(k);
    };
    QVERIFY_THROWS_EXCEPTION(DeviceError, (void)run.figures());
  }

  void onlyPeriodicRunsHaveAPhase() {
    Run run;
    run.document["excitation"]["signals"][0] = {{"name", "walls"},    {"kind", "sweep"}, {"amplitude_m", 0.002},
                                                {"start_hz", 1},      {"end_hz", 10},    {"duration_s", 30},
                                                {"spacing", "linear"}};
    const Json figures = run.figures();
    QVERIFY(figures["interfaces"][0]["phase_deg"].is_null());
    QVERIFY(figures["interfaces"][0]["amplitude_ratio"].is_null());
    QVERIFY(near(figures["interfaces"][0]["delay_ms"], 2.0, 0.002));
  }

  void windowEndsWhereTheRunWasStopped() {
    Run run;
    run.document["loop"]["duration_s"] = 0;  // until stopped
    run.seconds = 14.0;
    run.flags = [](std::size_t k) { return k >= 12000 ? std::uint32_t{kFlagStopping} : 0u; };
    const double phase = 2.0 * kPi * 8.0 * 0.002;
    const double energy = 100.0 * 0.002 * (0.95 * std::cos(phase) - 1.0) * kPi * 16.0;  // 10 s to 12 s
    QVERIFY(near(run.figures()["energy_error"], energy, 1e-2 * std::abs(energy)));
  }

  void aMotionlessTargetHasNoPercentages() {
    Run run;
    run.document["analysis"]["start_s"] = 0;
    run.document["excitation"]["signals"] = Json::array();
    run.seconds = 0.5;
    QVERIFY(run.figures()["interfaces"][0]["phase_deg"].is_null());
  }

  void aRunThatEndedEarlySaysSoWithoutFigures() {
    Run run;
    run.seconds = 10.0;
    const Json figures = run.figures();
    QVERIFY(figures["interfaces"][0]["tracking_nrmse_percent"].is_null());
    QVERIFY(figures["energy_error"].is_null());
    QVERIFY(figures["limits_hit"].is_number() && figures["stop_reason"].is_string());
  }
};

HYB_SUITE(metrics, MetricsTest)
#include "metrics_test.moc"
