#include <QtTest>
#include <fstream>

#include "core/assess/preflight.h"
#include "core/project/further_channels.h"
#include "core/run/build.h"
#include "tests/support/issues.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json loaded(const std::string& name) {
  std::ifstream file(std::string(kSourceDir) + "/tests/data/" + name);
  return Json::parse(file);
}

/// Of version 1: a cut through a beam with the axes y and rotation, and limits in m and N alone.
Json beamOfVersion1() {
  Json document = loaded("structures/two-beams-aff.json");
  document["partition"].erase("actuators");
  document["partition"].erase("sensors");
  return document;
}

Json beam() {
  Json document = beamOfVersion1();
  migrate(document);
  return document;
}

}  // namespace

class LimitKindsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  /// What was watched by a number of metres before is watched by the same number of radians.
  void versionOneWatchesWhatItDid() {
    const Json before = beamOfVersion1(), after = beam();
    QVERIFY2(validate(after).empty(), qPrintable(shown(validate(after))));
    const Json &limits = after["safety"]["limits"], &old = before["safety"]["limits"];
    for (std::size_t l = 0; l < old.size(); ++l) QVERIFY(limits[l] == old[l]);  // events name limits by number
    QCOMPARE(limits.size(), old.size() + 3);
    const Json wanted = Json::parse(R"([{"quantity": "displacement", "threshold_rad": 0.01, "action": "ramp"},
                                        {"quantity": "force", "threshold_n_m": 200, "action": "ramp"},
                                        {"quantity": "command", "threshold_rad": 0.012, "action": "stop"}])");
    for (std::size_t l = 0; l < wanted.size(); ++l)
      QVERIFY2(limits[old.size() + l] == wanted[l], limits[old.size() + l].dump().c_str());
    Json twice = after;
    migrate(twice);
    QVERIFY(twice == after);
    Json straight = templateDocument("three-mass");
    straight["version"] = 1;
    const Json as_it_was = straight["safety"];
    migrate(straight);
    QVERIFY(straight["safety"] == as_it_was);
  }

  void aLimitOfOneAxisTurnsWithIt() {
    Json document = beamOfVersion1();
    document["safety"]["limits"] = Json::parse(R"([{"quantity": "gap", "interface": 2, "threshold_m": 0.01},
                                                   {"quantity": "gap", "interface": 1, "threshold_m": 0.02}])");
    for (Json& limit : document["safety"]["limits"]) limit["action"] = "stop";
    migrate(document);
    QVERIFY2(validate(document).empty(), qPrintable(shown(validate(document))));
    const auto watches = [project = parseProject(document)](double threshold, SignalKind kind) {
      return std::ranges::any_of(project.limits, [&](const Limit& limit) {
        return limit.threshold == threshold && limit.kind == kind &&
               limit.covers(limit.interface, motionSignals("", kind));
      });
    };
    QVERIFY(watches(0.01, SignalKind::rotation) && watches(0.02, SignalKind::displacement));
  }

  void metresSayNothingOfAnAxisThatTurns() {
    Json document = beam();
    document["safety"]["limits"] = Json::parse(R"([{"quantity": "gap", "threshold_m": 0.01, "action": "stop"}])");
    const auto noted = [&document] {
      std::vector<std::string> notes;
      if (!validate(document, {}, &notes).empty()) return std::string("not valid");
      for (const std::string& note : notes)
        if (note.starts_with("The limit on")) return note;
      return std::string();
    };
    QVERIFY2(noted().find("gap in m does not cover interface 2") != std::string::npos, noted().c_str());
    QVERIFY2(noted().find("add a limit with \"threshold_rad\"") != std::string::npos, noted().c_str());
    document["safety"]["limits"][0]["interface"] = 2;
    const std::vector<Issue> issues = validate(document);
    QCOMPARE(issues.size(), std::size_t{1});
    EXPECT_ISSUE(issues, "/safety/limits/0/threshold_m", "give \"threshold_rad\" instead");
    document["safety"]["limits"][0]["interface"] = 1;
    QCOMPARE(noted(), std::string());
    document["safety"]["limits"][0].erase("interface");
    document["safety"]["limits"].push_back({{"quantity", "gap"}, {"threshold_rad", 0.02}, {"action", "stop"}});
    QCOMPARE(noted(), std::string());
  }

  /// Of a test that asks for forces the gap is one, and so is the limit on it; one in m is told and leaves nothing
  /// unsaid.
  void theGapOfAForceIsLimitedInN() {
    Json document = templateDocument("force-shear-building");
    Json& limits = document["safety"]["limits"];
    const auto gap = std::ranges::find_if(limits, [](const Json& limit) { return limit.at("quantity") == "gap"; });
    QVERIFY(gap != limits.end() && gap->contains("threshold_n"));
    (*gap)["threshold_n"] = 10;
    (*gap)["action"] = "stop";
    const std::unique_ptr<Loop> loop = buildLoop(parseProject(document));
    loop->arm();
    loop->post({Request::Kind::start, -1, 0.0, {}});
    while (loop->tick(1)) {
    }
    QVERIFY(loop->endReason() == EndReason::limit);
    const auto& decisive = loop->safety().limits()[static_cast<std::size_t>(loop->status().deciding_limit.load())];
    QCOMPARE(QString::fromStdString(words(decisive)), QString("gap"));
    gap->erase("threshold_n");
    (*gap)["threshold_m"] = 0.001;
    std::vector<std::string> notes;
    QVERIFY(validate(document, {}, &notes).empty());
    QVERIFY2(std::ranges::any_of(notes,
                                 [](const std::string& note) {
                                   return note.find("gap in m does not cover") != std::string::npos &&
                                          note.find("\"threshold_n\"") != std::string::npos;
                                 }),
             notes.empty() ? "" : notes.back().c_str());
  }

  /// The list before a test names the axes without a limit that acts.
  void preflightNamesTheAxis() {
    Json document = beam();
    document["safety"]["limits"] = Json::parse(
        R"([{"quantity": "displacement", "threshold_m": 0.5, "action": "stop"},
            {"quantity": "displacement", "threshold_rad": 0.5, "action": "indicate"},
            {"quantity": "gap", "threshold_m": 0.5, "action": "stop"},
            {"quantity": "gap", "threshold_rad": 0.5, "action": "stop"},
            {"quantity": "command", "threshold_m": 0.5, "interface": 1, "action": "stop"},
            {"quantity": "force", "threshold_n": 5, "action": "stop"},
            {"quantity": "force", "threshold_n_m": 5, "action": "hold"}])");
    const Project project = parseProject(document);
    const std::vector<PreflightItem> items = preflight({.project = project, .today = {}});
    QVERIFY2(items[0].sentence.find("command of interface 2 in rad, displacement of interface 2 in rad.") !=
                 std::string::npos,
             items[0].sentence.c_str());
    QVERIFY(items[0].state == CheckState::warning);
  }

  /// Each axis against its own bound, in the tick in which it is crossed.
  void eachAxisAgainstItsOwnBound() {
    Json document = beam();
    document["safety"]["limits"] = Json::parse(R"([{"quantity": "displacement", "threshold_m": 0.5, "action": "stop"},
                        {"quantity": "displacement", "threshold_rad": 1e-12, "action": "stop"}])");
    const Project project = parseProject(document);
    const auto loop = buildLoop(project);
    loop->arm();
    QVERIFY(loop->post({Request::Kind::start, -1, 0.0, {}}));
    for (int k = 0; k < 5000 && loop->tick(1); ++k) {
    }
    QVERIFY(loop->endReason() == EndReason::limit);
    QCOMPARE(loop->status().deciding_limit.load(), 1);
    const auto& monitors = loop->safety().monitors();
    QVERIFY(monitors[0].peak.load() > 0.0 && monitors[1].peak.load() > 1e-12);
    QCOMPARE(loop->layout().units(loop->layout().measured(1)), std::string("rad"));
    QCOMPARE(loop->layout().units(loop->layout().force(1)), std::string("N m"));
  }

  /// What a limit may name is what the rows have, in that order; anything else is a sentence.
  void furtherSignalsAreThoseOfTheRows() {
    const Json coil = Json::parse(R"({"model": "voice-coil", "moving_mass_kg": 0.2, "stiffness_n_per_m": 8000,
      "damping_n_s_per_m": 10, "force_constant_n_per_a": 10, "resistance_ohm": 2, "position_gain_v_per_m": 6000,
      "integral_gain_v_per_m_s": 600000, "velocity_gain_v_s_per_m": 6})");
    Json document = templateDocument("three-mass");
    document["rig"]["actuators"] = {document["rig"]["actuators"][0], coil};
    document["coupling"] = {{"scheme", "tracking"},
                            {"force_stages", {{{"stage", "passivity"}, {"gain_kg_per_s", 10}}}}};
    document["safety"]["limits"] = Json::array();
    const auto names = [](const std::vector<Channel>& channels) {
      std::vector<std::string> all;
      for (const Channel& channel : channels) all.push_back(channel.name);
      return all;
    };
    Project project = parseProject(document);
    const auto loop = buildLoop(project);
    const auto further = loop->layout().channels().last(loop->layout().furtherChannels());
    const std::vector<Channel> rows(further.begin(), further.end());
    const std::vector<std::string> known = names(furtherChannels(project, buildPartition(project)));
    QCOMPARE(known, names(rows));
    QCOMPARE(known.front(), std::string("passivity_damping_1"));
    QCOMPARE(known.back(), std::string("current_2"));

    document["safety"]["limits"] = Json::parse(
        R"([{"quantity": "signal", "channel": "passivity_energy_1", "threshold": 2, "action": "indicate"},
            {"quantity": "signal", "channel": "voltage_2", "threshold": 3, "action": "hold"}])");
    QVERIFY2(validate(document).empty(), qPrintable(shown(validate(document))));
    QVERIFY(parseProject(document).limits[0].unit() == "J");
    document["safety"]["limits"][1]["channel"] = "voltage_1";  // a servo has none
    EXPECT_ISSUE(validate(document), "/safety/limits/1/channel", "Did you mean \"voltage_2\"");
    document["safety"]["limits"][1]["interface"] = 1;
    EXPECT_ISSUE(validate(document), "/safety/limits/1/interface", "not known");
  }
};

HYB_SUITE(limit_kinds, LimitKindsTest)
#include "limit_kinds_test.moc"
