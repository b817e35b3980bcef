/// Measures of a run and of the last seconds of one that goes on.
#include <QTemporaryDir>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <string>

#include "core/assess/measures.h"
#include "core/assess/stability_report.h"
#include "core/base/allocation_guard.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kRowStep_s = 1e-3, kHz = 5.0, kLate_s = 0.004, kRatio = 0.9, kAmplitude_m = 0.002, kSpring = 8650.0;

/// Row of a steady test: x = 0.9 z, 4 ms late, against a spring, beside a reference that is the target.
std::vector<double> rowAt(const RowLayout& layout, std::size_t k) {
  const double t = kRowStep_s * static_cast<double>(k), w = 2.0 * std::numbers::pi * kHz;
  std::vector<double> row(layout.width());
  row[RowLayout::kTick] = static_cast<double>(k);
  row[RowLayout::kTime] = t;
  row[layout.target(0)] = kAmplitude_m * std::sin(w * t);
  row[layout.measured(0)] = kRatio * kAmplitude_m * std::sin(w * (t - kLate_s));
  row[layout.gap(0)] = row[layout.measured(0)] - row[layout.target(0)];
  row[layout.force(0)] = -kSpring * row[layout.measured(0)];
  row[layout.reference(0)] = row[layout.target(0)];
  return row;
}
RowLayout layout() { return RowLayout(1, {{"weight", "N", "", 0}}, true, {}); }

RunRecord runOf(const Json& project, std::size_t rows) {
  RunRecord run;
  run.project = project;
  run.table.rate_hz = 1.0 / kRowStep_s;
  run.table.rows = rows;
  run.table.channels = layout().columns();
  run.table.read = [l = layout()](std::size_t column, std::uint64_t first, std::uint64_t count) {
    std::vector<double> values;
    for (std::uint64_t k = first; k < first + count; ++k) values.push_back(rowAt(l, k)[column]);
    return values;
  };
  return run;
}

std::map<std::string, double> byName(const std::vector<MeasureReading>& readings) {
  std::map<std::string, double> values;
  for (const MeasureReading& reading : readings) values[reading.measure->name] = reading.value;
  return values;
}

void isClose(double actual, double expected, double tolerance, const char* what) {
  QVERIFY2(std::abs(actual - expected) <= tolerance,
           qPrintable(QString("%1: %2 instead of %3").arg(what).arg(actual, 0, 'g', 8).arg(expected, 0, 'g', 8)));
}

/// What a steady lag gives by hand, over whole periods.
void isSteadyLag(const std::map<std::string, double>& found, double seconds) {
  const double phase = 2.0 * std::numbers::pi * kHz * kLate_s;
  const double gap = std::sqrt(1.0 + kRatio * kRatio - 2.0 * kRatio * std::cos(phase));
  isClose(found.at("delay_ms"), 1e3 * kLate_s, 0.01, "J1, ms");
  isClose(found.at("tracking_nrmse_percent"), 100.0 * gap, 0.05, "J2, %");
  isClose(found.at("tracking_peak_percent"), 100.0 * gap, 0.5, "J3, %");
  isClose(found.at("reference_nrmse_percent"), 100.0 * gap, 0.05, "J4, %");
  isClose(found.at("rms_by_max"), gap / std::numbers::sqrt2, 1e-3, "by maximum");
  isClose(found.at("rms_by_rms"), gap, 1e-3, "by RMS");
  isClose(found.at("peak"), 1.0 - kRatio, 1e-3, "peak error");
  isClose(found.at("ellipse_delay"), kLate_s, 1e-6, "ellipse, s");
  isClose(found.at("ellipse_amplitude_ratio"), kRatio, 1e-4, "ellipse");
  isClose(found.at("fei_delay"), kLate_s, 1e-5, "index, s");
  isClose(found.at("fei_amplitude"), kRatio, 1e-3, "index");
  isClose(found.at("fei_frequency"), kHz, 1e-3, "index, Hz");
  isClose(found.at("fei_standard_delay"), kLate_s, 1e-4, "standard index, s");
  isClose(found.at("gap_peak"), gap * kAmplitude_m, 1e-6, "gap, m");
  isClose(found.at("dominant_frequency"), kHz, 1e-6, "frequency, Hz");
  // A spring that lags takes pi k A x sin(phase) a period from the transfer system.
  const double cycle_j = std::numbers::pi * kSpring * kRatio * kAmplitude_m * kAmplitude_m * std::sin(phase);
  isClose(found.at("energy_error"), cycle_j * kHz * seconds, 0.01 * cycle_j * kHz * seconds, "energy, J");
  QVERIFY(found.at("added_energy") >= found.at("energy_error"));
  isClose(found.at("hsem_strain"), found.at("energy_error") / (0.5 * kSpring * kAmplitude_m * kAmplitude_m), 1e-2,
          "monitor by strain");
  QVERIFY(found.at("stability_indicator") > 0.0);
}

}  // namespace

class MeasuresTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void ofARun() {
    const Json document = templateDocument("face-linear");
    // Whole periods from where the analysis starts.
    const auto before =
        static_cast<std::size_t>(std::lround(document["analysis"]["start_s"].get<double>() / kRowStep_s));
    const std::vector<MeasureReading> readings = readMeasures(runOf(document, before + 4000));
    isSteadyLag(byName(readings), 4.0);
    for (const MeasureReading& reading : readings) {
      QVERIFY(reading.measure != nullptr);
      QCOMPARE(reading.interface, reading.measure->of_test ? 0 : 1);
    }
  }

  void ofTheLastSeconds() {
    const MeasureContext context = measureContext(parseProject(templateDocument("face-linear")));
    isClose(context.specimen_stiffness(0, 0), kSpring, 1e-9, "specimen, N/m");
    const RowLayout l = layout();
    MeasureWindow window(l, context, 2.0);
    QVERIFY(window.read().empty());
    for (std::size_t k = 0; k < 7000; ++k) {
      const std::vector<double> row = rowAt(l, k);
      const AllocationGuard guard;
      window.push(row);
      QCOMPARE(guard.count(), std::uint64_t{0});
    }
    isSteadyLag(byName(window.read()), 2.0);
  }

  void thePhaseMarginIsTheReports_data() {
    QTest::addColumn<QString>("base");
    QTest::addColumn<QString>("set");
    for (const Template& shipped : templates())
      if (kThorough || shipped.name.starts_with("face"))  // the shortest of them
        QTest::newRow(shipped.name.c_str()) << QString::fromStdString(shipped.name) << "";
    QTest::newRow("another specimen") << "face-linear-general"
                                      << R"(/rig/specimen={"stiffness_factor": 1.3})";
    QTest::newRow("predicted") << "face-linear-mass"
                               << R"(/compensation={"method": "forward-prediction", "points": 8,
      "order": 2, "prediction_ticks": [5], "gain": [1], "added_delay_s": 0.005})";
    QTest::newRow("unstable") << "benchmark-2020-sample"
                              << R"(/compensation={"method": "none"})";
  }
  /// Of the loop as the project has it. None with two interface DOF, where there is no loop, or where it is unstable.
  void thePhaseMarginIsTheReports() {
    QFETCH(QString, base);
    QFETCH(QString, set);
    Json document = templateDocument(base.toStdString());
    if (!set.isEmpty()) setValue(document, set.toStdString());
    const Project asked = parseProject(document);
    const Json report = stabilityReport(asked).value("phase_margin", Json());
    const double read_deg = measureContext(asked).phase_margin_deg;
    if (report.is_null())
      QVERIFY2(std::isnan(read_deg), qPrintable(QString::number(read_deg)));
    else
      isClose(read_deg, report.at("phase_margin_deg").get<double>(), 1e-9, "margin, deg");
  }

  /// Pre-test figures: more delay takes its phase at the crossover from the margin, and a prediction gives it back.
  void ofTheModels() {
    Json document = templateDocument("face-linear-general");
    const auto with = [&](const Json& compensation) {
      document["compensation"] = compensation;
      return byName(readMeasures(runOf(document, 4000)));
    };
    const auto late = with({{"method", "none"}, {"added_delay_s", 0.005}});
    const Json at = stabilityReport(parseProject(document))["phase_margin"];
    isClose(late.at("phase_margin"), at["phase_margin_deg"].get<double>(), 1e-9, "margin, deg");
    const double taken_deg = 360.0 * 0.005 * at["frequency_hz"].get<double>();
    const auto later = with({{"method", "none"}, {"added_delay_s", 0.01}});
    isClose(later.at("phase_margin"), late.at("phase_margin") - taken_deg, 1e-6, "margin with 5 ms more, deg");
    QVERIFY(later.at("susceptibility") > late.at("susceptibility"));
    const auto ahead = with({{"method", "forward-prediction"},
                             {"points", 8},
                             {"order", 2},
                             {"prediction_ticks", {5}},
                             {"gain", {1}},
                             {"added_delay_s", 0.01}});
    isClose(ahead.at("phase_margin"), late.at("phase_margin"), 0.1 * taken_deg, "margin ahead, deg");
    QVERIFY(ahead.at("susceptibility") < later.at("susceptibility"));
    const MeasureContext two = measureContext(parseProject(templateDocument("three-mass")));
    QVERIFY(two.specimen_stiffness.rows() == 2 && std::isnan(two.susceptibility));
  }

  /// Wherever the program is started: relative files of the project start at its folder.
  void projectsWithFilesHaveModelsToo() {
    QTemporaryDir folder;
    std::ofstream(folder.filePath("quake.csv").toStdString()) << "time_s,acceleration\n0,0\n0.01,0.1\n0.02,0\n";
    Json document = templateDocument("face-linear");
    document["excitation"]["signals"].push_back(
        {{"name", "quake"}, {"kind", "ground-motion"}, {"file", "quake.csv"}, {"unit", "m/s2"}});
    RunRecord run = runOf(document, 4000);
    run.folder = folder.path().toStdString();
    std::map<std::string, double> found = byName(readMeasures(run));
    QVERIFY(found.contains("hsem_strain") && std::isfinite(found["hsem_strain"]));
    QVERIFY(std::isfinite(found["susceptibility"]));
  }

  void aRunTooShortHasNone() { QVERIFY(readMeasures(runOf(templateDocument("face-linear"), 10)).empty()); }

  void everyMeasureIsGivenOrOfFloorsOrPistons() {
    std::map<std::string, double> found = byName(readMeasures(runOf(templateDocument("face-linear"), 4000)));
    for (const Measure& measure : measures()) {
      const std::string name = measure.name;
      const bool of_floors =
          name == "j6" || name == "j7" || name == "j8" || name == "j9" || name.starts_with("storey_");
      const bool of_pistons =
          name.starts_with("piston_") || name.starts_with("specimen_") || name == "target_reference_percent";
      const bool of_others = name == "hsem_input" || name == "damped_energy" ||  // a known work, passivity control
                             name.starts_with("marths_") ||                      // recorded DOF of the cut
                             name.starts_with("trial_") || name == "stride_deviation";  // trials, a walker
      QVERIFY2(found.contains(name) || of_floors || of_pistons || of_others, measure.name);
    }
  }

  void metricsCarryThem() {
    const RunRecord run = runOf(templateDocument("face-linear"), 4000);
    QVERIFY(!metrics(run).contains("measures"));
    const Json figures = metrics(run, true);
    isClose(figures["interfaces"][0]["measures"]["fei_delay"], kLate_s, 1e-5, "index, s");
    QVERIFY(figures["measures"]["hsem_strain"].is_number());
  }
};

HYB_SUITE(measures, MeasuresTest)
#include "measures_test.moc"
