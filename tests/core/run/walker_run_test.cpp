/// The walker in the loop: one stride on the template, falls, what stands beside it, and what a project must not ask
/// for.
#include <cmath>

#include "core/base/allocation_guard.h"
#include "core/base/numbers.h"
#include "tests/support/issues.h"
#include "tests/support/streamed_run.h"
#include "tests/support/suite.h"
#include "tests/support/template_run.h"

using namespace hyb;
using namespace hyb::test;

namespace {

Json stride(double duration_s = 1.12) {
  Json document = templateDocument("prosthetic-foot");
  document["loop"]["duration_s"] = duration_s;
  return document;
}
/// Foot of the rig as the spring of the template, measured at three angles.
Json measuredFoot() {
  Json points = Json::array();
  for (const double angle : {-20, 0, 20})
    for (const double depth : {0.01, 0.02, 0.05})
      points.push_back({{"compression_m", depth}, {"angle_deg", angle}, {"force_n", 10607.0 * depth}});
  return {{"law", "foot"}, {"interface", 1}, {"angle_interface", 2}, {"points", points}};
}
std::vector<Issue> strideIssues(const std::string& pointer, const Json& value) {
  Json document = stride();
  document[Json::json_pointer(pointer)] = value;
  return validate(document);
}

}  // namespace

class WalkerRunTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void beginsAtRestAndWalksAfterTheApproach() {
    StreamedRun run(stride());
    QVERIFY(run.runTo(0.0));
    QVERIFY(run["command_1"] == 0.0 && run["command_2"] == 0.0 && run["target_1"] == 0.0);
    double fastest = 0.0, last = 0.0;
    QVERIFY(run.runTo(0.5, [&] {
      fastest = std::max(fastest, std::abs(run["target_1"] - last));
      last = run["target_1"];
    }));
    QVERIFY(fastest < 5e-5 && last > 4e-3);
    QCOMPARE(run["body_x"], 0.0);
    QVERIFY(run.runTo(0.6));
    QVERIFY(run["body_x"] > 0.05 && run["steps"] == 1.0);
  }

  /// The row of a tick holds the pose of that tick, and the command the one after.
  void targetsAreOfTheirOwnTick() {
    StreamedRun run(stride());
    double command = 0.0;
    int apart = 0;
    run.runTo(1.1, [&] {
      if (run.value_s() > 0.0 && run["target_1"] != command) ++apart;
      command = run["command_1"];
    });
    QCOMPARE(apart, 0);
  }

  void aFallEndsTheTestAtRestAndTellsTheStep() {
    StreamedRun run(stride(6.0));
    QVERIFY(!run.runTo(6.0));
    QCOMPARE(run.loop().endReason(), EndReason::fallen);
    QVERIFY(std::abs(run["command_1"]) < 1e-9 && std::abs(run["command_2"]) < 1e-9);
    QVERIFY2(run.loop().summary().find("in step 5") == 0, run.loop().summary().c_str());
    bool told = false;
    for (Event event; run.events().pop(event);)
      if (event.code == EventCode::walker_fell) {
        told = true;
        QVERIFY(message(event, run.loop().eventNames()).find("fell in step 5, 1.2") != std::string::npos);
      }
    QVERIFY(told);
    const TemplateRun kept(stride(6.0));
    QVERIFY2(kept.sentence().find("the walker fell in step 5") == 0, kept.sentence().c_str());
    QVERIFY(!kept.figures().at("complete").get<bool>());
  }

  /// The stump of the stiffness as printed makes a leg of 1000 N/m, which gives way under the weight.
  void aLegThatIsTooSoftGivesWay() {
    Json document = stride(3.0);
    document["structure"]["stiffness"]["rows"] = {{6500, -1100, 0}, {-1100, 1100, 0}, {0, 0, 73.575}};
    const TemplateRun run(document);
    QVERIFY2(run.ended() == EndReason::fallen, run.sentence().c_str());
    QVERIFY2(
        run.sentence().find("in step 3") != std::string::npos || run.sentence().find("in step 2") != std::string::npos,
        run.sentence().c_str());
  }

  void aMeasuredFootIsTheSpringItWasMeasuredOf() {
    Json document = stride();
    const TemplateRun spring(document);
    document["rig"]["specimen"]["laws"] = Json::array({measuredFoot()});
    const TemplateRun table(document);
    QVERIFY2(table.ended() == EndReason::completed, table.sentence().c_str());
    const std::vector<double> a = spring.channel("force_1"), b = table.channel("force_1");
    QCOMPARE(a.size(), b.size());
    double most = 0.0, apart = 0.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      most = std::max(most, a[k]);
      apart = std::max(apart, std::abs(a[k] - b[k]));
    }
    QVERIFY2(most > 200.0 && apart < 1e-3, qPrintable(QString::number(apart)));
  }

  /// Stiffer on the toes: its force follows the angle that the rig has reached.
  void aFootThatKnowsItsAngleFeelsIt() {
    Json document = stride(), foot = measuredFoot();
    for (Json& point : foot["points"])
      if (point["angle_deg"] == 20) point["force_n"] = 1.5 * point["force_n"].get<double>();
    document["rig"]["specimen"]["laws"] = Json::array({foot});
    const TemplateRun run(document);
    QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
    const std::vector<double> force = run.channel("force_1"), z = run.channel("measured_1"),
                              angle = run.channel("measured_2");
    bool stiffer = false;
    for (std::size_t k = 0; k < force.size(); ++k) {
      if (!(z[k] < -1e-3)) continue;
      const double over = std::clamp(angle[k] / (20.0 * kTwoPi / 360.0), 0.0, 1.0);
      QVERIFY(std::abs(force[k] + 10607.0 * z[k] * (1.0 + 0.5 * over)) < 1e-6);
      stiffer = stiffer || over > 0.3;
    }
    QVERIFY(stiffer);
  }

  /// Learning, FIR and passivity control as with any other scheme; trials begin with the same stride.
  void additionsAndStagesWorkWithIt() {
    Json document = stride();
    document["loop"]["duration_s"] = 0;
    document["loop"]["trials"] = {{"count", 6}, {"length_s", 1.08}, {"pause_s", 1.0}};
    document["coupling"]["force_stages"] = {{{"stage", "passivity"}, {"interface", 1}, {"gain_kg_per_s", 20}}};
    document["compensation"] = {{{"method", "none"},
                                 {"additions",
                                  {{{"addition", "iterative-learning"},
                                    {"at", "velocity"},
                                    {"proportional", 0.2},
                                    {"derivative_s", 0.0},
                                    {"cutoff_hz", 6}}}}},
                                {{"method", "none"}}};
    QVERIFY2(validate(document).empty(), qPrintable(shown(validate(document))));
    const TemplateRun run(document);
    QVERIFY2(run.ended() == EndReason::completed, run.sentence().c_str());
    const std::vector<double> gap = run.channel("gap_1"), x = run.channel("body_x");
    std::vector<double> rms;
    for (std::size_t trial = 0; trial < 6; ++trial) {
      double squares = 0.0;
      for (std::size_t k = 2080 * trial + 501; k < 2080 * trial + 1080; ++k) squares += gap[k] * gap[k];
      rms.push_back(std::sqrt(squares / 579.0));
      QCOMPARE(x[2080 * trial + 400], 0.0);
    }
    QVERIFY2(rms[5] < 0.75 * rms[0], qPrintable(QString("%1 %2").arg(rms[0]).arg(rms[5])));
    QVERIFY(!run.channel("left_ground_y").empty());
  }

  void holdAndResumeBeginAgain() {
    StreamedRun run(stride(5.0));
    QVERIFY(run.runTo(0.8));
    run.loop().post({Request::Kind::hold, -1, 0.0, {}, {}});
    QVERIFY(run.runTo(1.0));
    run.loop().post({Request::Kind::resume, -1, 0.0, {}, {}});
    QVERIFY(run.runTo(1.6));
    QCOMPARE(run["steps"], 0.0);
    QVERIFY(run.runTo(2.6));
    QVERIFY(run["steps"] >= 1.0);
  }

  void allocatesNothing() {
    StreamedRun run(stride());
    QVERIFY(run.runTo(0.4));
    const AllocationGuard guard;
    for (int k = 0; k < 700; ++k) run.loop().tick(1);
    QCOMPARE(guard.count(), std::uint64_t{0});
  }

  void whatAProjectMustNotAskFor() {
    QVERIFY2(validate(stride()).empty(), qPrintable(shown(validate(stride()))));
    const auto expect = [](const char* pointer, const Json& value, const char* where, const char* part) {
      const auto issues = strideIssues(pointer, value);
      QVERIFY2(mentions(issues, where, part), qPrintable(QString(pointer) + ": " + shown(issues)));
    };
    expect("/rig/specimen/laws/0/stiffness_n_per_m", 4950, "/rig/specimen/laws/0", "stiffer foot");
    expect("/rig/specimen/laws", Json::array(), "/rig/specimen/laws", "carries no load");
    expect("/structure/mass/rows/1/1", 1e-5, "/integrator/scheme", "sub-steps");
    expect("/rig/specimen/laws/0/stiffness_n_per_m", 70000, "/rig/specimen/laws/0", "permits 60097 N/m");
    expect("/integrator", {{"scheme", "kr-alpha"}}, "/coupling/scheme", "Runge-Kutta");
    expect("/coupling/start/height_m", 1.2, "/coupling/start/height_m", "length of the leg");
    expect("/coupling/start/height_m", 1.0, "/coupling/start/height_m", "touches the ground");
    expect("/coupling/foot_height_m", 1.5, "/coupling/foot_height_m", "length of the leg");
    expect("/coupling/approach_s", 2, "/coupling/approach_s", "does not walk");
    expect("/structure/stiffness/rows", {{16400, -11000, 5}, {-11000, 11000, 0}, {5, 0, 73.575}}, "/partition",
           "angle of the leg");
    expect("/structure/stiffness/rows", {{16400, -11000, 0}, {-11000, 11500, 0}, {0, 0, 73.575}}, "/partition",
           "two legs");
    Json contact = templateDocument("contact-ilc");
    contact["coupling"] = stride()["coupling"];
    EXPECT_ISSUE(validate(contact), "/partition", "three degrees of freedom");
    expect("/loop/force_source", "emulated", "/loop/force_source", "measured forces");
    expect("/excitation",
           {{"signals", {{{"name", "push"}, {"kind", "step"}, {"amplitude_n", 1}}}},
            {"loads", {{{"signal", "push"}, {"dof", "body"}}}}},
           "/excitation/signals", "moves without excitation");
  }

  void footTablesThatAreNoFunction() {
    const auto expect = [](const std::function<void(Json&)>& spoil, const char* where, const char* part) {
      Json foot = measuredFoot();
      spoil(foot["points"]);
      const auto issues = strideIssues("/rig/specimen/laws", Json::array({foot}));
      QVERIFY2(mentions(issues, where, part), qPrintable(QString(part) + ": " + shown(issues)));
    };
    expect([](Json& points) { points.erase(4); }, "/rig/specimen/laws/0/points", "hole at 20 mm and 0 deg");
    expect([](Json& points) { points.push_back(points[2]); }, "/rig/specimen/laws/0/points/9", "second force");
    expect([](Json& points) { points[2]["force_n"] = 1; }, "/rig/specimen/laws/0/points/2/force_n", "falls from");
    expect(
        [](Json& points) {
          points[0] = {{"compression_m", 0}, {"angle_deg", -20}, {"force_n", 3}};
        },
        "/rig/specimen/laws/0/points/0/force_n", "zero compression");
    Json foot = measuredFoot();
    foot["angle_interface"] = 1;
    EXPECT_ISSUE(strideIssues("/rig/specimen/laws", Json::array({foot})), "/rig/specimen/laws/0/angle_interface",
                 "not an angle");
    foot["angle_interface"] = 3;
    EXPECT_ISSUE(strideIssues("/rig/specimen/laws", Json::array({foot})), "/rig/specimen/laws/0/angle_interface",
                 "no interface 3");
  }
};

HYB_SUITE(walker_run, WalkerRunTest)
#include "walker_run_test.moc"
