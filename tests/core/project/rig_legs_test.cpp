/// /rig/geometry in a project: what it means, what is told of its reach, and bad input.
#include "core/project/rig_legs.h"

#include <QtTest>

#include "core/rig/device_channels.h"
#include "tests/core/project/mutation.h"
#include "tests/support/stewart.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json stewartWith(const std::string& patch) { return mutate(templateDocument("stewart"), patch); }

QString joined(const std::vector<std::string>& sentences) {
  QString text;
  for (const std::string& sentence : sentences) text += QString::fromStdString(sentence) + "\n";
  return text;
}

}  // namespace

class RigLegsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void templateIsTheSixLegPlatform() {
    const Project project = parseProject(templateDocument("stewart"));
    QVERIFY(project.rig.geometry.has_value());
    const RigGeometry &own = *project.rig.geometry, expected = stewart();
    for (std::size_t i = 0; i < 6; ++i) {
      QVERIFY((own.legs[i].base_m - expected.legs[i].base_m).norm() < 1e-4);
      QVERIFY((own.legs[i].platform_m - expected.legs[i].platform_m).norm() < 1e-4);
    }
    QVERIFY(own.axes == expected.axes);
    QVERIFY(own.gravity_m_per_s2 == Eigen::Vector3d(0.0, 0.0, -9.80665));
    const std::vector<ChannelSpec> channels = projectChannels(project, 6);
    QCOMPARE(channels.size(), std::size_t{24});
  }

  /// Interfaces in any order, more legs than interfaces, another direction of gravity.
  void axesFollowTheirNumbers() {
    const Json document = mutate(base(), R"([{"set": "/rig/geometry", "to": {
        "legs": [{"name": "a", "base_m": [-1, 0, 0], "platform_m": [0, 0, 0]},
                 {"name": "b", "base_m": [0, -1, 0], "platform_m": [0, 0, 0]},
                 {"name": "c", "base_m": [0, 0, -1], "platform_m": [0, 0, 0]}],
        "moves": [{"component": "x", "interface": 2}, {"component": "y"}, {"component": "z", "interface": 1}],
        "mass_kg": 2, "down": "y"}}])");
    QVERIFY2(validate(document).empty(), qPrintable(listing(validate(document))));
    const Project project = parseProject(document);
    const RigGeometry& geometry = *project.rig.geometry;
    QVERIFY((geometry.axes == std::vector{PoseComponent::z, PoseComponent::x}));
    QVERIFY(geometry.gravity_m_per_s2 == Eigen::Vector3d(0.0, 9.80665, 0.0));
    QCOMPARE(actuatorCount(project, 2), std::size_t{3});
    // Legs may move as fast as both interfaces together.
    const std::vector<ChangeBounds> axes = changeBounds(project), legs = actuatorBounds(project);
    QCOMPARE(legs.size(), std::size_t{3});
    QCOMPARE(legs[1].step, axes[0].step + axes[1].step);
  }

  void reachIsTold() {
    std::vector<std::string> notes;
    QVERIFY(validate(templateDocument("stewart"), {}, &notes).empty());
    const QString text = joined(notes);
    QVERIFY2(text.contains("With the other axes at 0, interface 3 (z) reaches from -0.0"), qPrintable(text));
    QVERIFY2(text.contains("is at its longest"), qPrintable(text));
    QVERIFY2(text.contains("Within the limits of all axes together the legs need these lengths: leg-1 0."),
             qPrintable(text));
    QVERIFY(reachWords(parseProject(templateDocument("stewart"))).all);

    const ReachWords wide = reachWords(parseProject(stewartWith(R"([
        {"set": "/safety/limits/0/threshold_m", "to": 0.5}, {"set": "/safety/limits/4/threshold_m", "to": 0.4}])")));
    QVERIFY(!wide.all);
    QVERIFY2(joined(wide.sentences).contains("The limits let interface 1 (x) move to 0.4 m, beyond this reach"),
             qPrintable(joined(wide.sentences)));
    QVERIFY2(joined(wide.sentences).contains("Not every pose within these limits can be used. For example "),
             qPrintable(joined(wide.sentences)));
    const ReachWords open = reachWords(parseProject(stewartWith(R"([
        {"drop": "/safety/limits/4"}, {"drop": "/safety/limits/0"}])")));
    QVERIFY(!open.all);
    QVERIFY2(joined(open.sentences).contains("Add these limits under Safety"), qPrintable(joined(open.sentences)));
  }

  void everyFaultIsNamed_data() {
    QTest::addColumn<QString>("patch");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("word");
    const auto row = [](const char* name, const char* patch, const char* where, const char* word) {
      QTest::newRow(name) << patch << where << word;
    };
    row("seven legs",
        R"([{"set": "/rig/geometry/legs/6", "to": {"name": "g", "base_m": [0,0,0], "platform_m": [0,0,1]}}])",
        "/rig/geometry/legs", "at most 6");
    row("five motions", R"([{"drop": "/rig/geometry/moves/5"}])", "/rig/geometry/moves", "5 motions for 6 legs");
    row("five motions, an axis without one", R"([{"drop": "/rig/geometry/moves/5"}])", "/rig/geometry/moves",
        "no motion for interface 6 (rz)");
    row("five legs", R"([{"drop": "/rig/geometry/legs/5"}])", "/rig/geometry/moves", "6 motions for 5 legs");
    row("motion twice", R"([{"set": "/rig/geometry/moves/1/component", "to": "x"}])", "/rig/geometry/moves/1/component",
        "given twice");
    row("interface twice", R"([{"set": "/rig/geometry/moves/1/interface", "to": 1}])",
        "/rig/geometry/moves/1/interface", "another motion too");
    row("rotation for a translation",
        R"([{"set": "/rig/geometry/moves/0/interface", "to": 4}, {"set": "/rig/geometry/moves/3/interface", "to": 1}])",
        "/rig/geometry/moves/0/component", "interface 4 (rx) is a rotation");
    row("component unknown", R"([{"set": "/rig/geometry/moves/0/component", "to": "roll"}])",
        "/rig/geometry/moves/0/component", "roll");
    row("name twice", R"([{"set": "/rig/geometry/legs/1/name", "to": "leg-1"}])", "/rig/geometry/legs/1/name",
        "given twice");
    row("no length", R"([{"set": "/rig/geometry/legs/1/base_m", "to": [0, 0, 1]},
        {"set": "/rig/geometry/legs/1/platform_m", "to": [0, 0, 1]}])",
        "/rig/geometry/legs/1/platform_m", "has no length");
    row("two coordinates", R"([{"set": "/rig/geometry/legs/1/base_m", "to": [0, 0]}])", "/rig/geometry/legs/1/base_m",
        "3");
    row("bounds the wrong way round", R"([{"set": "/rig/geometry/legs/1/longest_m", "to": 0.6}])",
        "/rig/geometry/legs/1/longest_m", "less than the shortest length");
    row("drawn too long", R"([{"set": "/rig/geometry/legs/1/longest_m", "to": 0.7}])", "/rig/geometry/legs/1/longest_m",
        "does not allow the leg as drawn, which is 0.7565");
    row("drawn too short", R"([{"set": "/rig/geometry/legs/1/shortest_m", "to": 0.8}])",
        "/rig/geometry/legs/1/shortest_m", "does not allow the leg as drawn");
    row("singular at rest", R"([{"set": "/rig/geometry/largest_condition", "to": 1.1}])", "/rig/geometry/legs",
        "condition number is 1.5");
    row("inertia without a mass", R"([{"set": "/rig/geometry/mass_kg", "to": 0},
        {"set": "/rig/geometry/acceleration_hz", "to": 100}])",
        "/rig/geometry/acceleration_hz", "without a mass");
    row("inertia on the platform", R"([{"set": "/rig/geometry/load_cells", "to": "platform"},
        {"set": "/rig/geometry/acceleration_hz", "to": 100}])",
        "/rig/geometry/acceleration_hz", "does not feel the inertia");
    row("filter too fast", R"([{"set": "/rig/geometry/acceleration_hz", "to": 500}])", "/rig/geometry/acceleration_hz",
        "not below half the loop's rate");
    row("negative mass", R"([{"set": "/rig/geometry/mass_kg", "to": -1}])", "/rig/geometry/mass_kg", "at least 0");
    row("unknown key", R"([{"set": "/rig/geometry/centre", "to": [0, 0, 0]}])", "/rig/geometry/centre", "centre_m");
    row("sensors beside it", R"([{"set": "/partition/sensors", "to": [{"name": "s", "terms": [{"dof": "x"}]}]}])",
        "/rig/geometry", "cannot be combined with /partition/sensors");
    row("channel of no leg", R"([{"set": "/rig/channels", "to": [{"name": "c", "role": "command", "interface": 7}]}])",
        "/rig/channels/0/interface", "there is no leg 7; the geometry has 6");
    row("leg without a channel",
        R"([{"set": "/rig/channels", "to": [{"name": "c", "role": "command", "interface": 1}]}])", "/rig/channels",
        "leg 2 has no command");
    row("fault of no leg", R"([{"set": "/rig/faults", "to": [{"kind": "spike", "from_s": 1, "interface": 7}]}])",
        "/rig/faults/0/interface", "there is no leg 7");
  }
  void everyFaultIsNamed() {
    QFETCH(QString, patch);
    QFETCH(QString, where);
    QFETCH(QString, word);
    const std::vector<Issue> issues = validate(stewartWith(patch.toStdString()));
    QVERIFY2(names(issues, where.toStdString(), word.toStdString()), qPrintable(listing(issues)));
    QVERIFY2(!hasDuplicates(issues), qPrintable(listing(issues)));
  }

  void interfaceBeyondTheCut() {
    const std::vector<Issue> issues = validate(mutate(base(), R"([{"set": "/rig/geometry", "to": {
        "legs": [{"name": "a", "base_m": [-1, 0, 0], "platform_m": [0, 0, 0]},
                 {"name": "b", "base_m": [0, -1, 0], "platform_m": [0, 0, 0]}],
        "moves": [{"component": "x", "interface": 1}, {"component": "y", "interface": 3}]}}])"));
    QVERIFY2(names(issues, "/rig/geometry/moves/1/interface", "there is no interface 3; the cut has 2"),
             qPrintable(listing(issues)));
    QVERIFY2(names(issues, "/rig/geometry/moves", "no motion for interface 2"), qPrintable(listing(issues)));
  }

  /// A scheme that commands forces has no pose to turn into legs.
  void commandsMustBeMotions() {
    Json document = templateDocument("lumped-aff");
    document["rig"]["geometry"] =
        Json::parse(R"({"legs": [{"name": "a", "base_m": [-1, 0, 0], "platform_m": [0, 0, 0]}],
        "moves": [{"component": "x", "interface": 1}]})");
    const std::vector<Issue> issues = validate(document);
    QVERIFY2(names(issues, "/rig/geometry", "needs commands that are motions"), qPrintable(listing(issues)));
  }
};

HYB_SUITE(rig_legs, RigLegsTest)
#include "rig_legs_test.moc"
