/// Continuation in the loop: the template through its folds and down the backbone, against what is computed without a
/// rig and against closed forms; noise, faults and limits in the middle, and what a project must not ask for.
#include <QTemporaryDir>

#include "core/assess/computed_path.h"
#include "core/assess/metrics.h"
#include "core/base/allocation_guard.h"
#include "core/record/run_file_reader.h"
#include "core/run/continuation_figures.h"
#include "core/run/verdict.h"
#include "tests/support/balance_run.h"
#include "tests/support/duffing.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json duffing(const Json& coupling = Json::object()) {
  Json document = templateDocument("duffing-continuation");
  document["coupling"].merge_patch(coupling);
  return document;
}

std::vector<Issue> pathIssues(const std::string& pointer, const Json& value) {
  Json document = duffing();
  document[Json::json_pointer(pointer)] = value;
  return validate(document);
}

Table columnsOf(const BalanceRun& run) {
  std::vector<std::vector<double>> columns;
  for (const Channel& channel : run.loop().layout().segmentColumns()) columns.push_back(run.column(channel.name));
  return tableInMemory(run.loop().layout().segmentColumns(), std::move(columns));
}

std::vector<double> named(const Table& table, const std::string& name) { return table.column(placeOf(table, name)); }

/// Amplitude of the computed path between its folds at a frequency; not a number: it is not there.
double unstableAmplitude(const Table& computed, double hz) {
  const auto f = named(computed, "frequency"), a = named(computed, "motion_1_h1"), stable = named(computed, "stable");
  for (std::size_t k = 1; k < f.size(); ++k)
    if (stable[k - 1] == 0.0 && stable[k] == 0.0 && (f[k - 1] - hz) * (f[k] - hz) <= 0.0)
      return a[k - 1] + (hz - f[k - 1]) / (f[k] - f[k - 1]) * (a[k] - a[k - 1]);
  return std::numeric_limits<double>::quiet_NaN();
}

bool close(double found, double right, double share) { return std::abs(found / right - 1.0) < share; }
QString text(double value) { return QString::number(value, 'g', 8); }

void compareWithComputed(const BalanceRun& run, double share) {
  const Table computed = computedPath(run.project());
  int compared = 0;
  for (std::size_t p = 0; p < run.points(); ++p) {
    QVERIFY(run.value(p, "converged") == 1.0);
    if (run.value(p, "stable") != 0.0) continue;
    const double hz = run.value(p, "frequency"), right = unstableAmplitude(computed, hz);
    if (std::isnan(right)) continue;  // beside a fold
    ++compared;
    QVERIFY2(close(run.value(p, "motion_1_h1"), right, share),
             qPrintable(text(hz) + " Hz: " + text(run.value(p, "motion_1_h1")) + " m, " + text(right) + " m computed"));
  }
  QVERIFY2(compared >= 8, qPrintable(QString::number(compared)));
  const auto found = continuationFigures(columnsOf(run)), right = continuationFigures(computed);
  QVERIFY(found && right);
  QCOMPARE(found->folds.size(), std::size_t{2});
  QCOMPARE(right->folds.size(), std::size_t{2});
  for (std::size_t k = 0; k < 2; ++k)
    QVERIFY2(close(found->folds[k].frequency_hz, right->folds[k].frequency_hz, 1e-3),
             qPrintable(text(found->folds[k].frequency_hz) + " Hz, " + text(right->folds[k].frequency_hz)));
  QVERIFY(found->peak && close(found->peak->amplitude, right->peak->amplitude, share));
}

}  // namespace

class ContinuationRunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// Unstable branch, folds and peak on what is computed; the backbone on w^2 = w0^2 + 3/4 k3 a^2/m.
  void templateAsShipped() {
    const BalanceRun run(duffing());
    QCOMPARE(run.loop().endReason(), EndReason::completed);
    compareWithComputed(run, 0.01);
    const auto figures = continuationFigures(columnsOf(run));
    QVERIFY(figures && figures->backbone.size() > 5);
    const Duffing oscillator;
    for (const PathPlace& place : figures->backbone)
      QVERIFY2(close(place.frequency_hz, oscillator.resonance_hz(place.amplitude), 1e-3),
               qPrintable(text(place.frequency_hz) + " Hz at " + text(place.amplitude)));
    QVERIFY(figures->backbone.back().amplitude < 0.2 * figures->backbone.front().amplitude);
    QVERIFY(close(*figures->linear_hz, oscillator.resonance_hz(0.0), 1e-3));
    QCOMPARE(figures->ends.size(), std::size_t{2});
    for (const auto& [path, end] : figures->ends) QVERIFY(end == PathEnd::reached);
  }

  /// What is computed, with one harmonic: on the closed form everywhere.
  void computedPathOfOneHarmonic() {
    const Table computed = computedPath(parseProject(duffing({{"harmonics", {1}}})));
    const auto f = named(computed, "frequency"), a = named(computed, "motion_1_h1"), path = named(computed, "path");
    const Duffing oscillator;
    for (std::size_t k = 0; k < f.size(); ++k)
      if (path[k] == 0.0)
        QVERIFY2(oscillator.miss(f[k], a[k]) < 1e-6, qPrintable(text(f[k]) + " Hz, " + text(a[k])));
      else
        QVERIFY2(close(f[k], oscillator.resonance_hz(a[k]), 1e-6), qPrintable(text(f[k]) + " Hz, " + text(a[k])));
    const auto figures = continuationFigures(computed);
    const std::vector<double> folds = oscillator.folds_hz();
    QCOMPARE(figures->folds.size(), folds.size());
    for (std::size_t k = 0; k < folds.size(); ++k) QVERIFY(close(figures->folds[k].frequency_hz, folds[k], 1e-4));
  }

  /// Ten times the noise of the template on the force, with a tolerance that goes with it.
  void tenTimesTheNoise() {
    Json document = duffing(
        {{"follow", "response"}, {"harmonics", {1}}, {"residual", {{"tolerance", 0.006}, {"steadiness", 0.006}}}});
    document["rig"]["force_sensor"]["noise_rms_n"] = 0.05;
    document["rig"]["displacement_sensor"]["noise_rms_m"] = 2e-6;
    compareWithComputed(BalanceRun(document), 0.02);
  }

  void softeningLeansTheOtherWay() {
    Json document = duffing({{"follow", "backbone"}, {"range", {{"from_hz", 8.0}, {"to_hz", 6.0}}}});
    document["rig"]["specimen"]["laws"][0]["cubic_n_per_m3"] = -2e7;
    const BalanceRun run(document);
    const auto figures = continuationFigures(columnsOf(run));
    QVERIFY(figures && figures->hardening_hz2_per_m2 && *figures->hardening_hz2_per_m2 < 0.0);
    Duffing oscillator;
    oscillator.k3 = -2e7;
    for (const PathPlace& place : figures->backbone)
      QVERIFY(close(place.frequency_hz, oscillator.resonance_hz(place.amplitude), 1e-3));
    QVERIFY(figures->ends.front().second == PathEnd::resonance);
  }

  void boundsEndPathsWithASentence() {
    const BalanceRun bounded(duffing({{"range", {{"bound_m", 0.004}}}}));
    QCOMPARE(bounded.loop().endReason(), EndReason::completed);
    QVERIFY(bounded.points() > 5);
    for (std::size_t p = 0; p < bounded.points(); ++p)
      QVERIFY(bounded.value(p, "command_1_h1") <= 0.004 * (1.0 + 1e-9));
    QVERIFY(continuationFigures(columnsOf(bounded))->ends.front().second == PathEnd::bound);
    EventNames names;
    const bool told = std::ranges::any_of(bounded.events(), [&](const Event& event) {
      return event.code == EventCode::path_ended && event.severity == Severity::warning &&
             message(event, names).find("a command is at its bound") != std::string::npos;
    });
    QVERIFY(told);
    const BalanceRun few(duffing({{"follow", "response"}, {"path", {{"points", 4}}}}));
    QCOMPARE(few.points(), std::size_t{4});
    QVERIFY(continuationFigures(columnsOf(few))->ends.front().second == PathEnd::points);
  }

  /// Averages that never become steady: the steps are halved, then it ends at rest, with the points before.
  void whereNothingIsFoundItStops() {
    const BalanceRun run(duffing({{"residual", {{"steadiness", 1e-12}}}, {"average", {{"most", 3}}}}));
    QCOMPARE(run.loop().endReason(), EndReason::completed);
    QCOMPARE(run.points(), std::size_t{1});
    QVERIFY(run.value(0, "converged") == 0.0);
    QCOMPARE(continuationFigures(columnsOf(run))->missed, std::size_t{1});
  }

  /// The power of the rig goes in the middle: the test ends, and the points so far are in the file, with their figures.
  void pointsOutliveThePower() {
    QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "cut.h5";
    Json document = duffing();
    document["rig"]["faults"] = {{{"kind", "power-off"}, {"from_s", 300.0}}};
    TestRun test(parseProject(document), {Pace::free_run, file, {}, {}, false, false});
    test.arm();
    test.start();
    const RunResult result = test.finish();
    QVERIFY(result.verdict.ended != EndReason::completed);
    const RunFileReader reader(file);
    const Json figures = metrics(reader, {});
    QVERIFY2(figures["continuation"]["points"].get<int>() > 10, figures["continuation"].dump().c_str());
    QVERIFY(figures["continuation"]["ends"].empty());
    QVERIFY(figures["frequencies"].size() == figures["continuation"]["points"].get<std::size_t>());
  }

  void neitherTicksNorWorkAllocate() {
    if (!AllocationGuard::active()) return;  // of a sanitizer's build
    const Project project = parseProject(duffing({{"harmonics", {1}}, {"path", {{"most_step", 0.1}}}}));
    const std::unique_ptr<Loop> loop = buildLoop(project);
    loop->arm();
    loop->post({Request::Kind::start, -1, 0.0, {}, {}});
    loop->tick(1);
    loop->tick(1);
    const AllocationGuard guard;
    std::uint64_t ticks = 0;
    while (loop->tick(1)) ++ticks;
    QVERIFY(ticks > 100000);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void verdictAndMetrics() {
    if (!kThorough) return;  // the whole path once more, recorded: a shorter one is above
    QTemporaryDir folder;
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / "whole.h5";
    TestRun test(parseProject(duffing()), {Pace::free_run, file, {}, {}, false, false});
    test.arm();
    test.start();
    const RunResult result = test.finish();
    QVERIFY2(result.verdict.test == Grade::good, verdictJson(result.verdict).dump().c_str());
    QVERIFY(verdictJson(result.verdict).dump().find("2 folds, at 7.6") != std::string::npos);
    const Json figures = metrics(RunFileReader(file), {})["continuation"];
    QVERIFY2(close(figures["backbone"]["linear_hz"], Duffing().resonance_hz(0.0), 1e-3), figures.dump().c_str());
    QCOMPARE(figures["folds"].size(), std::size_t{2});
  }

  void whatAProjectMustNotAskFor() {
    const auto told = [](const std::vector<Issue>& issues, const std::string& where) {
      QVERIFY2(std::ranges::find(issues, where, &Issue::where) != issues.end(),
               qPrintable(QString::fromStdString(where + ": " + (issues.empty() ? "" : issues.front().where))));
    };
    told(pathIssues("/coupling/range/to_hz", 6.5), "/coupling/range/to_hz");
    told(pathIssues("/coupling/range/to_hz", 100.0), "/coupling/harmonics/1");
    told(pathIssues("/coupling/path/first_step", 0.001), "/coupling/path/first_step");
    told(pathIssues("/coupling/path/first_step", 0.5), "/coupling/path/first_step");
    told(pathIssues("/coupling/backbone/to_factor", 1.0), "/coupling/backbone/to_factor");
    told(pathIssues("/coupling/harmonics", {3, 1}), "/coupling/harmonics/1");
    told(pathIssues("/coupling/loads/0/dof", "nowhere"), "/coupling/loads/0/dof");
    {
      Json document = duffing({{"average", {{"least", 9}, {"most", 5}}}});
      told(validate(document), "/coupling/average/most");
    }
    told(pathIssues("/rig/actuators/0", {{"model", "exciter"}, {"moving_mass_kg", 0.1}}), "/rig/actuators/0/model");
    QVERIFY(validate(duffing()).empty());
    QVERIFY_THROWS_EXCEPTION(InputError, computedPath(parseProject(templateDocument("three-mass"))));
  }
};

// Not HYB_THREADS: its threads are those of test_run, at length.
HYB_SUITE(continuation_run, ContinuationRunTest)
#include "continuation_run_test.moc"
