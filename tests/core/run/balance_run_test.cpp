/// Iterative harmonic balance in the loop: what it does beside the ticks, hold and resume, frequencies that cannot be
/// balanced, and what a project must not ask for.
#include "tests/support/balance_run.h"
#include "core/base/allocation_guard.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

std::vector<Issue> issuesOf(const std::string& pointer, const Json& value) {
  Json document = cantilever({17.0});
  document[Json::json_pointer(pointer)] = value;
  return validate(document);
}

/// A test of the template that is ticked by hand.
struct Ticked {
  explicit Ticked(const Json& document)
      : project(parseProject(document)),
        loop(buildLoop(project)),
        rows(loop->layout().width(), 64),
        kept(loop->layout().segmentColumns().size(), loop->layout().mostSegments()) {
    loop->attachDisplay(&rows, &events, &kept);
  }
  void start() {
    loop->arm();
    loop->post({Request::Kind::start, -1, 0.0, {}, {}});
  }
  bool tick() {
    const bool goes = loop->tick(1);
    rows.pop(row, 64);
    return goes;
  }
  double command() const {
    return std::max(std::abs(row[loop->layout().command(0)]), std::abs(row[loop->layout().command(1)]));
  }
  std::vector<double> all() {
    std::vector<double> flat;
    kept.pop(flat, loop->layout().mostSegments());
    return flat;
  }
  int count(EventCode code) {
    int found = 0;
    for (Event event; events.pop(event);) found += event.code == code ? 1 : 0;
    return found;
  }
  Project project;
  std::unique_ptr<Loop> loop;
  RowRing rows, kept;
  EventRing events;
  std::vector<double> row;
};

const Event* eventOf(const BalanceRun& run, EventCode code) {
  for (const Event& event : run.events())
    if (event.code == code) return &event;
  return nullptr;
}

const std::vector<double> kMarked = twoFrequencies(17.0, 17.2);

/// Marked for this reason at each frequency; the sweep went to its end, and the rig is at rest.
void checkMarked(const BalanceRun& run, double end, const char* words) {
  QCOMPARE(run.column("frequency"), kMarked);
  QCOMPARE(run.column("end"), std::vector<double>(kMarked.size(), end));
  QCOMPARE(run.loop().endReason(), EndReason::completed);
  const Event* const told = eventOf(run, EventCode::point_done);
  QVERIFY(told != nullptr && told->severity == Severity::warning);
  const std::string sentence = message(*told, run.loop().eventNames());
  QVERIFY2(sentence.find(words) != std::string::npos, sentence.c_str());
  QVERIFY(endSentence(run.loop()).find("0 of " + std::to_string(kMarked.size())) != std::string::npos);
}

}  // namespace

class BalanceRunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void ticksAndDecisionsAllocateNothing() {
    if (!AllocationGuard::active()) return;  // of a sanitizer's build
    Ticked run(cantilever({17.0, 17.3}));
    run.start();
    run.tick();
    run.tick();
    const AllocationGuard guard;
    std::uint64_t ticks = 0;
    while (run.loop->tick(1)) ++ticks;
    QVERIFY(ticks > 100000);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void endsAtRest() {
    Ticked run(cantilever({17.0}));
    run.start();
    double largest = 0.0, last = 0.0, jump = 0.0;
    while (run.tick()) {
      jump = std::max(jump, std::abs(run.command() - last));
      last = run.command();
      largest = std::max(largest, last);
    }
    QVERIFY(largest > 0.2);
    QVERIFY2(last < 1e-9, qPrintable(QString::number(last)));
    QVERIFY2(jump < 0.05 * largest, qPrintable(QString::number(jump / largest)));  // 2 pi 17 / 5000 of a sine
  }

  /// Worked out by somebody else, at whatever tick before it is adopted: the same to the last bit.
  void beforeItIsAdoptedItDoesNotMatterWhen() {
    std::vector<std::vector<double>> kept;
    for (const int every : {0, 50, 1}) {
      if (!kThorough && every == 1) continue;
      Ticked run(cantilever({17.0}));
      if (every > 0) run.loop->workElsewhere();
      run.start();
      for (int k = 0; run.tick(); ++k)
        if (every > 0 && k % every == 0) run.loop->workForDirector();
      kept.push_back(run.all());
      QCOMPARE(run.count(EventCode::result_late), 0);
    }
    QVERIFY(!kept[0].empty() && std::ranges::count(kept, kept[0]) == std::ssize(kept));
  }

  /// Later than that, the commands stand until it is there, and it is told.
  void whatIsLateIsWaitedFor() {
    Ticked run(cantilever({17.0}));
    run.loop->workElsewhere();
    run.start();
    for (int k = 0; run.tick(); ++k)
      if (k % 1000 == 0) run.loop->workForDirector();
    int late = 0, taken = 0;
    for (Event event; run.events.pop(event);) {
      late += event.code == EventCode::result_late ? 1 : 0;
      taken += event.code == EventCode::result_taken ? 1 : 0;
    }
    QVERIFY(late > 0 && late == taken);
    const std::vector<double> row = run.all();
    QVERIFY(row.size() > 4 && row[3] == 1.0);  // balanced all the same
  }

  void holdAndResume() {
    Ticked run(cantilever({17.0}));
    run.start();
    bool goes = true;
    for (int k = 0; goes && k < 40000; ++k) goes = run.tick();
    run.loop->post({Request::Kind::hold, -1, 0.0, {}, {}});
    for (int k = 0; goes && k < 5000; ++k) goes = run.tick();
    run.loop->post({Request::Kind::resume, -1, 0.0, {}, {}});
    while (goes) goes = run.tick();
    QCOMPARE(run.loop->endReason(), EndReason::completed);
    const std::vector<double> row = run.all();
    QVERIFY(row.size() > 4 && row[3] == 1.0);
  }

  void boundIsReached() {
    Json document = cantilever(kMarked);
    document["coupling"]["solver"].update({{"bound_v", 0.05}, {"first_step_v", 0.05}});
    const BalanceRun run(document);
    checkMarked(run, 3.0, "at its bound");
    for (std::size_t p = 0; p < run.points(); ++p)
      for (const int actuator : {1, 2}) QVERIFY(std::abs(run.phasor(p, "command", actuator)) <= 0.05 * (1.0 + 1e-9));
  }

  void nothingConverges() {
    Json document = cantilever(kMarked);
    document["coupling"]["residual"]["tolerance"] = 1e-9;
    document["coupling"]["solver"]["iterations"] = 6;
    checkMarked(BalanceRun(document), 1.0, "too many iterations");
  }

  void averagesAreNeverSteady() {
    Json document = cantilever(kMarked);
    document["coupling"]["residual"]["steadiness"] = 1e-9;
    document["coupling"]["average"]["most"] = 4;
    checkMarked(BalanceRun(document), 2.0, "do not become steady");
  }

  void limitEndsItWithWhatWasMeasured() {
    Json document = cantilever({17.0, 17.5});
    document["safety"]["limits"][0]["threshold_m"] = 8e-4;
    const BalanceRun run(document);
    QCOMPARE(run.loop().endReason(), EndReason::limit);
    QCOMPARE(run.points(), std::size_t{1});
    QCOMPARE(run.converged(), std::size_t{1});
  }

  void whatAProjectMustNotAskFor() {
    const auto told = [](const std::vector<Issue>& issues, const std::string& where) {
      QVERIFY2(std::ranges::find(issues, where, &Issue::where) != issues.end(),
               qPrintable(QString::fromStdString(where + ": " + (issues.empty() ? "" : issues.front().where))));
    };
    told(issuesOf("/coupling/harmonics", {1, 2, 40}), "/coupling/harmonics/2");
    told(issuesOf("/coupling/harmonics", {2, 1}), "/coupling/harmonics/1");
    told(issuesOf("/coupling/loads/0/dof", "tip/3.y"), "/coupling/loads/0/dof");
    told(issuesOf("/coupling/loads/0/dof", "nowhere"), "/coupling/loads/0/dof");
    told(issuesOf("/coupling/loads/0/amplitude_n", 0.0), "/coupling/loads");
    told(issuesOf("/coupling/loads/0/harmonic", 3), "/coupling/loads/0/harmonic");
    told(issuesOf("/coupling/channels/0/sensor", "gauge 7"), "/coupling/channels/0/sensor");
    told(issuesOf("/coupling/average/least", 50), "/coupling/average/most");
    told(issuesOf("/coupling/solver/first_step_v", 5.0), "/coupling/solver/first_step_v");
    told(issuesOf("/partition/sensors/1/terms/1/factor", 0.0), "/partition/sensors");
    told(issuesOf("/partition/force_sensors/1/terms/0/factor", -0.008), "/partition/force_sensors");
    told(issuesOf("/rig/sensors/0/station_m", 0.0123), "/rig/sensors/0/station_m");
    told(issuesOf("/rig/sensors/0/name", "gauge 3"), "/rig/sensors/0/name");
    told(issuesOf("/rig/actuators/0", {{"model", "exciter"}, {"moving_mass_kg", 0.1}}), "/rig/actuators/0/model");
    told(issuesOf("/excitation", Json::parse(R"({"signals": [{"name": "f", "kind": "sine", "amplitude_n": 1,
      "frequency_hz": 16}], "loads": [{"signal": "f", "dof": "root/20.y"}]})")),
         "/excitation/loads");
  }
};

HYB_SUITE(balance_run, BalanceRunTest)
#include "balance_run_test.moc"
