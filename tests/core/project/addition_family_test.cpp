#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "core/base/allocation_guard.h"
#include "core/compensation/addition.h"
#include "core/project/additions.h"
#include "core/project/families.h"
#include "core/project/schema.h"
#include "tests/support/family_example.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

constexpr double kAdditionTick_s = 1e-3;
constexpr VelocityEntry kEntry{200.0, 1.0};
constexpr int kTrial_ticks = 500;
constexpr double kTarget_per_s = 4.0 * 3.14159265358979323846;  // a whole period a trial
constexpr double kReach = 0.4;                                  // of each of the last two commands

/// Additions behind a compensator that does nothing, before two actuators that lag by half a tick and are too small.
struct Bench {
  explicit Bench(const PlacedAddition& placed, bool ahead = false) {
    AdditionContext context;
    context.axes = placed.axes;
    context.step_s = kAdditionTick_s;
    context.trial_ticks = kTrial_ticks;
    context.level = placed.level;
    context.contact = true;
    const bool rate = placed.level == AdditionLevel::velocity;
    const double scale = rate ? kEntry.position_gain_per_s : 1.0;
    context.scale.assign(placed.axes.count, scale);
    context.response = [&](std::size_t) {
      std::vector<double> response;
      double newest = 0.0, before = 0.0, w = 0.0;
      for (int k = 0; k < 800; ++k) {
        response.push_back(kReach * (newest + before));
        const double given = k == 0 ? scale : 0.0;
        w = rate ? kEntry.displacement(given, w, kAdditionTick_s) : given;
        before = newest;
        newest = w;
      }
      return response;
    };
    std::vector<RunningAddition> running(1);
    running[0] = {placed.spec->make(context), placed.axes, placed.limit_m, {}, placed.field};
    if (rate) running[0].entries.assign(placed.axes.count, kEntry);
    with = makeWithAdditions(makeNoCompensator(), std::move(running), 2, kAdditionTick_s);
    state.ahead = ahead;
    state.contact.setZero(2);
    values.resize(with->adapted().size());
    rest();
  }
  /// The actuators, too.
  void rest() noexcept {
    for (Eigen::VectorXd* v :
         {&state.target, &state.target_rate, &state.measured, &command.position, &command.rate, &sent[0], &sent[1]})
      v->setZero(2);
    tick = 0;
  }
  void nextTrial() noexcept {
    if (with->endTrial(true)) with->learn();
    with->adopt();
    with->restart();
  }
  /// Trial after trial.
  void run(int ticks, double fault = 0.0) noexcept {
    for (int k = 0; k < ticks; ++k, ++tick) {
      if (tick == kTrial_ticks) {
        nextTrial();
        rest();
      }
      const double t_s = tick * kAdditionTick_s;
      state.target.setConstant(1e-3 * std::sin(kTarget_per_s * t_s));
      state.target_rate.setConstant(1e-3 * kTarget_per_s * std::cos(kTarget_per_s * t_s));
      state.measured = kReach * sent[0] + kReach * sent[1];
      state.measured.array() += fault;
      gap = std::max(gap, (state.measured - state.target).cwiseAbs().maxCoeff());
      with->update(state, command);
      sent[1] = sent[0];
      sent[0] = command.position;
      most = std::max(most, (command.position - state.target).cwiseAbs().maxCoeff());
    }
  }
  const std::vector<double>& adapted() noexcept {
    with->readAdapted(values);
    return values;
  }
  std::unique_ptr<Compensator> with;
  InterfaceState state;
  Command command;
  Eigen::VectorXd sent[2];  // of the last two ticks
  std::vector<double> values;
  double most = 0.0;  // that was added
  double gap = 0.0;   // the largest
  int tick = 0;
};

}  // namespace

/// What holds for every addition to the command; nothing here names one.
class AdditionFamilyTest : public QObject {
  Q_OBJECT

  static void members() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("at");
    for (const AdditionEntry& entry : additions())
      for (const char* at : {"position", "velocity"}) {
        const QString name = QString::fromUtf8(entry.name.data(), static_cast<int>(entry.name.size()));
        QTest::newRow(qPrintable(name + QLatin1Char(' ') + QLatin1String(at))) << name << QString::fromUtf8(at);
      }
  }
  static Json settings() {
    QFETCH(QString, name);
    QFETCH(QString, at);
    Json settings = exampleOf(branchOf("addition", name.toStdString()));
    settings["at"] = at.toStdString();
    return settings;
  }
  static PlacedAddition placed(const Json& settings) {
    Checks checks;
    auto all =
        parseAdditions({{"method", "none"}, {"additions", Json::array({settings})}}, "/compensation", {2}, checks);
    checks.throwIfAny();
    return all.at(0);
  }

 private Q_SLOTS:
  void defaultsParse_data() { members(); }
  void defaultsParse() {
    const Json one = settings();
    QVERIFY(checkSchema(one, projectSchema().at("definitions").at("addition")).empty());
    const PlacedAddition addition = placed(one);
    QVERIFY(addition.axes.all && addition.axes.count == 2);
    QCOMPARE(addition.limit_m, kAdditionLimit_m);
    Bench bench(addition);
    const Json& properties = branchOf("addition", one.at("addition").get<std::string>()).at("properties");
    QCOMPARE(resolvedNode(properties.at("limit_m")).at("default").get<double>(), kAdditionLimit_m);
    const Json section{{"method", "none"}, {"additions", Json::array({one})}};
    for (const Tunable& tunable : boundedTunables(bench.with->tunables(), "/compensation", section)) {
      QVERIFY2(tunable.field.starts_with("/compensation/additions/0/"), tunable.field.c_str());
      const Json& field = resolvedNode(properties.at(tunable.field.substr(26)));
      QCOMPARE(field.at("minimum").get<double>(), tunable.min);
      QCOMPARE(field.at("maximum").get<double>(), tunable.max);
    }
    for (const Adapted& adapted : bench.with->adapted()) {
      QVERIFY2(!adapted.title.empty() && !adapted.group.empty(), adapted.name.c_str());
      std::set<std::string> units;
      for (const Adapted& other : bench.with->adapted())
        if (other.group == adapted.group) units.insert(other.units);
      QVERIFY2(units.size() <= 2, adapted.group.c_str());
    }
  }

  void addsAndMakesTheGapSmaller_data() { members(); }
  void addsAndMakesTheGapSmaller() {
    const PlacedAddition addition = placed(settings());
    PlacedAddition nothing = addition;
    nothing.limit_m = 1e-15;
    Bench with(addition), without(nothing);
    const std::vector<double> first = with.adapted();
    without.run(5000);
    with.run(5000);
    QVERIFY(with.most > 0.0);
    QCOMPARE(with.adapted() != first, addition.spec->adapts());
    with.gap = 0.0;
    with.run(500);
    QVERIFY2(with.gap < 0.5 * without.gap, qPrintable(QString::number(with.gap / without.gap)));
  }

  void resetEqualsFresh_data() { members(); }
  void resetEqualsFresh() {
    const PlacedAddition addition = placed(settings());
    Bench used(addition), fresh(addition);
    used.run(2000);
    used.with->reset();
    used.rest();
    QVERIFY(used.adapted() == fresh.adapted());
    for (int k = 0; k < 500; ++k) {
      used.run(1);
      fresh.run(1);
      QVERIFY(used.command.position == fresh.command.position && used.command.rate == fresh.command.rate);
    }
  }

  /// What was added is of the motion before and is not kept.
  void restartKeepsWhatWasLearnt_data() { members(); }
  void restartKeepsWhatWasLearnt() {
    const PlacedAddition addition = placed(settings());
    Bench bench(addition), fresh(addition);
    bench.run(6 * kTrial_ticks);
    bench.nextTrial();
    const std::vector<double> learnt = bench.adapted();
    const std::vector<Adapted> names = bench.with->adapted();
    bench.with->restart();
    for (std::size_t a = 0; a < learnt.size(); ++a)
      QVERIFY2(bench.adapted()[a] == (names[a].title.starts_with("added") ? 0.0 : learnt[a]), names[a].name.c_str());
    // Without a gap only what was learnt is added.
    for (Bench* each : {&bench, &fresh}) {
      each->rest();
      each->most = 0.0;
      for (int k = 0; k < 50; ++k) {
        each->state.target.setConstant(1e-3 * std::sin(0.04 * k));
        each->state.measured = each->state.target;
        each->with->update(each->state, each->command);
        each->most = std::max(each->most, (each->command.position - each->state.target).cwiseAbs().maxCoeff());
      }
    }
    QCOMPARE(fresh.most, 0.0);
    QCOMPARE(bench.most > 0.0, addition.spec->adapts());
  }

  /// What was learnt goes on the same in another instance.
  void whatWasLearntCanBePutBack_data() { members(); }
  void whatWasLearntCanBePutBack() {
    const PlacedAddition addition = placed(settings());
    Bench taught(addition), fresh(addition);
    std::vector<double> learnt(taught.with->learnt()), back(learnt.size());
    QVERIFY(addition.spec->adapts() || learnt.empty());
    taught.run(6 * kTrial_ticks);
    taught.nextTrial();
    taught.with->readLearnt(learnt);
    fresh.with->setLearnt(learnt);
    fresh.with->readLearnt(back);
    QVERIFY(back == learnt);
    if (learnt.empty()) return;  // it cannot tell
    taught.rest();
    for (int k = 0; k < 500; ++k) {
      taught.run(1);
      fresh.run(1);
      QVERIFY(taught.command.position == fresh.command.position && taught.command.rate == fresh.command.rate);
    }
  }

  void sameInputSameBits_data() { members(); }
  void sameInputSameBits() {
    const PlacedAddition addition = placed(settings());
    Bench a(addition), b(addition);
    a.run(2000);
    b.run(2000);
    QVERIFY(a.command.position == b.command.position && a.command.rate == b.command.rate);
    QVERIFY(a.adapted() == b.adapted());
  }

  void whatIsNotANumberTeachesNothing_data() { members(); }
  void whatIsNotANumberTeachesNothing() {
    Bench bench(placed(settings()));
    bench.run(1100);
    const std::vector<Adapted> names = bench.with->adapted();
    const std::vector<double> learnt = bench.adapted();
    bench.run(1, std::numeric_limits<double>::quiet_NaN());
    QVERIFY(bench.command.position.allFinite() && bench.command.rate.allFinite());
    for (std::size_t a = 0; a < learnt.size(); ++a)
      if (!names[a].title.starts_with("added")) QCOMPARE(bench.adapted()[a], learnt[a]);
    bench.run(1000);
    QVERIFY(bench.command.position.allFinite());
  }

  void boundsHold_data() { members(); }
  void boundsHold() {
    Json one = settings();
    one["limit_m"] = 5e-5;
    Bench bench(placed(one));
    bench.run(5000, 1e-3);  // more than it may make up for
    QVERIFY2(bench.most <= 5e-5 + 1e-15, qPrintable(QString::number(bench.most)));
    QVERIFY(bench.most > 4e-5);
  }

  void anInterfaceOfItsOwn_data() { members(); }
  void anInterfaceOfItsOwn() {
    Json one = settings();
    one["interface"] = 2;
    Bench alone(placed(one)), both(placed(settings()));
    alone.run(1000);
    both.run(1000);
    QCOMPARE(alone.command.position[0], alone.state.target[0]);
    QVERIFY(alone.command.position[1] == both.command.position[1]);
    for (const Adapted& adapted : alone.with->adapted())
      QVERIFY2(adapted.name.find("_2") != std::string::npos, adapted.name.c_str());
  }

  void allocatesNothing_data() { members(); }
  void allocatesNothing() {
    Bench bench(placed(settings()));
    const std::vector<Tunable> tunables = bench.with->tunables();
    const AllocationGuard guard;
    for (int k = 0; k < 500; ++k) {
      bench.run(1);
      bench.adapted();
      for (std::size_t t = 0; t < tunables.size(); ++t) bench.with->tune(t, tunables[t].value);
      if (k == 250) bench.with->restart();
    }
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  /// Where the compensator gets the target of the next tick, the gap is that of this one all the same.
  void theGapIsOfTheInstantOfTheReading_data() { members(); }
  void theGapIsOfTheInstantOfTheReading() {
    const PlacedAddition addition = placed(settings());
    Bench now(addition, false), ahead(addition, true);
    const std::vector<double> first = ahead.adapted();
    // Measured is the target of the tick before: no gap for the one, one tick's way for the other.
    Eigen::VectorXd last = Eigen::VectorXd::Zero(2);
    for (int k = 0; k < 2 * kTrial_ticks; ++k) {
      for (Bench* bench : {&now, &ahead}) {
        if (k == kTrial_ticks) {
          bench->nextTrial();
          last.setZero();
        }
        bench->state.target.setConstant(1e-3 * std::sin(0.04 * k));
        bench->state.measured = last;
        bench->with->update(bench->state, bench->command);
      }
      last = now.state.target;
    }
    QVERIFY(ahead.adapted() == first);
    QVERIFY(now.adapted() != first);
  }
};

class AdditionProjectTest : public QObject {
  Q_OBJECT
  static Json projectWith(const Json& compensation) {
    Json document = templateDocument("three-mass");
    document["compensation"] = compensation;
    return document;
  }
  static Json with(const Json& additions) { return projectWith({{"method", "none"}, {"additions", additions}}); }
  static Json leg() {
    Json leg = exampleOf(branchOf("actuator", "leg"));
    leg["model"] = "leg";
    return leg;
  }

 private Q_SLOTS:
  void aProjectThatAsksForTooMuchIsTold() {
    const Json fir = {{"addition", "fir"}}, first = {{"addition", "fir"}, {"interface", 1}},
               second = {{"addition", "fir"}, {"interface", 2}}, third = {{"addition", "fir"}, {"interface", 3}};
    QVERIFY(validate(with(Json::array({fir}))).empty());
    QVERIFY(validate(with({first, second})).empty());
    const std::string at = "/compensation/additions/";
    EXPECT_ISSUE(validate(with(Json::array({third}))), at + "0/interface", "2");
    EXPECT_ISSUE(validate(with({first, fir})), at + "1/interface", "same gap");
    EXPECT_ISSUE(validate(with({{{"addition", "fire"}}})), at + "0/addition", "fir");
    EXPECT_ISSUE(validate(with({{{"addition", "fir"}, {"step_size", 3}}})), at + "0/step_size", "2");
    EXPECT_ISSUE(validate(with({{{"addition", "fir"}, {"taps", 0}}})), at + "0/taps", "1");
    EXPECT_ISSUE(validate(with({{{"addition", "fir"}, {"limit_m", 0}}})), at + "0/limit_m", "greater than 0");
    const Json none = {{"method", "none"}}, each = {{"method", "none"}, {"additions", Json::array({fir})}},
               numbered = {{"method", "none"}, {"additions", Json::array({first})}};
    QVERIFY(validate(projectWith({none, each})).empty());
    EXPECT_ISSUE(validate(projectWith({none, numbered})), "/compensation/1/additions/0/interface", "remove it");
  }

  void aVelocityNeedsAVelocityLoop() {
    Json document = with({{{"addition", "fir"}, {"at", "velocity"}}});
    EXPECT_ISSUE(validate(document), "/compensation/additions/0/at", "velocity loop");
    document["rig"]["actuators"] = Json::array({leg()});
    QVERIFY(validate(document).empty());
  }

  void notesSayWhatIsLeftOut() {
    const Project project = parseProject(with({{{"addition", "fir"}}}));
    QVERIFY(std::ranges::any_of(project.notes, [](const std::string& note) {
      return note.find("FIR feed-forward") != std::string::npos &&
             note.find("do not include them") != std::string::npos;
    }));
  }

  /// A rate gets into a leg's velocity loop as what it is, with and without feed-forward of the command.
  void aRateIsThatOfTheVelocityLoop() {
    for (const bool feeds : {false, true}) {
      Json document = with({{{"addition", "fir"}, {"at", "velocity"}}});
      document["rig"]["actuators"] = Json::array({leg()});
      document["rig"]["actuators"][0]["velocity_feedforward"] = feeds;
      document["rig"]["actuators"][0]["gain"] = 1.25;
      const Project project = parseProject(document);
      const VelocityEntry entry = velocityEntries(project, additionsOf(*project.compensation.method)[0]).at(0);
      const double tick_s = 1.0 / project.loop.rate_hz,
                   kp = document["rig"]["actuators"][0].value("position_gain_per_s", 90.0);
      double last = 0.0;
      for (const double rate : {0.3, -0.2, 0.0, 0.4}) {
        const double w = entry.displacement(rate, last, tick_s);
        const double wanted = 1.25 * (kp * w + (feeds ? (w - last) / tick_s : 0.0));
        QVERIFY(std::abs(wanted - rate) < 1e-12);
        last = w;
      }
    }
  }
};

HYB_SUITE(addition_family, AdditionFamilyTest)
HYB_SUITE(addition_project, AdditionProjectTest)
#include "addition_family_test.moc"
