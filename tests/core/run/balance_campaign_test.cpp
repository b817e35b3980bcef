/// Campaigns of an iterative harmonic balance: levels, ways and added frequencies; a sweep that is stopped, or whose
/// program is killed, and goes on; the methods of its solver; an actuator that does not answer.
#include <QTemporaryDir>

#include "core/harmonic/balance_method.h"
#include "core/project/schema.h"
#include "core/record/run_file_reader.h"
#include "tests/support/balance_run.h"
#include "tests/support/family_example.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

namespace fs = std::filesystem;

constexpr double kInTheSecond_s = 17.0;  // in the middle of the second frequency

RunResult recordSweep(const Json& document, const fs::path& file, const fs::path& go_on = {}) {
  RunOptions options;
  options.pace = Pace::free_run;
  options.file = file;
  options.go_on = go_on;
  TestRun run(parseProject(document), options);
  run.arm();
  run.start();
  return run.finish();
}

}  // namespace

class BalanceCampaignTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  fs::path file(const char* name) const { return fs::path(folder_.path().toStdString()) / name; }

 private Q_SLOTS:
  /// A linear rig answers in proportion to the load, and the same on the way back.
  void levelsAndBack() {
    const std::vector<double> there = twoFrequencies(17.0, 17.3), back(there.rbegin(), there.rend());
    Json document = cantilever(there, true);
    document["coupling"]["campaign"] = {{"levels", {1.0, 0.5}}, {"back", true}};
    const BalanceRun run(document);
    std::vector<double> level, pass, frequency;
    for (int k = 1; k <= 4; ++k)
      for (const double hz : k % 2 == 1 ? there : back) {
        level.push_back(k <= 2 ? 1.0 : 0.5);
        pass.push_back(k);
        frequency.push_back(hz);
      }
    QCOMPARE(run.converged(), level.size());
    QCOMPARE(run.column("level"), level);
    QCOMPARE(run.column("pass"), pass);
    QCOMPARE(run.column("frequency"), frequency);
    const BothSides sides(run.project());
    for (std::size_t p = 0; p < run.points(); ++p) {
      const std::complex<double> u = 0.04 * run.value(p, "level") * sides.response(run.value(p, "frequency"))[0],
                                 off = run.phasor(p, "motion", 1) - u;
      QVERIFY(std::abs(off) < 0.02 * std::abs(u));
      QVERIFY(100.0 * std::abs(off) < (run.value(p, "error_bound_1") + 0.12) * std::abs(u));
    }
  }

  void addsFrequenciesAtTheResonance() {
    const std::size_t added = kThorough ? 4 : 1;
    Json document = cantilever({16.0, 16.8, 17.6, 18.4}, true);
    document["coupling"]["campaign"]["refine"] = {{"most", added}, {"halvings", 3}};
    const BalanceRun run(document);
    QCOMPARE(run.points(), 4 + added);
    QCOMPARE(run.converged(), 4 + added);
    for (std::size_t p = 0; p < 4 + added; ++p) {
      QCOMPARE(run.value(p, "added"), p < 4 ? 0.0 : 1.0);
      if (p >= 4) QVERIFY(std::abs(run.value(p, "frequency") - 17.6) < 0.81);
    }
    const std::string all = std::to_string(4 + added);
    QVERIFY(endSentence(run.loop()).find(all + " of " + all) != std::string::npos);
  }

  void methods_data() {
    QTest::addColumn<QString>("method");
    for (const BalanceMethodKind& kind : balanceMethods()) QTest::newRow(kind.name.data()) << QString(kind.name.data());
  }
  void methodsAreThoseOfTheSchema() {
    const Json words =
        branchOf("coupling", "harmonic-balance").at(Json::json_pointer("/properties/solver/properties/method/enum"));
    QCOMPARE(words.size(), balanceMethods().size());
    for (std::size_t k = 0; k < words.size(); ++k) QVERIFY(words[k] == balanceMethods()[k].name);
  }
  /// Each gets to the same response.
  void methods() {
    QFETCH(QString, method);
    const std::vector<double> frequencies_hz = twoFrequencies(17.3, 17.6);
    Json document = cantilever(frequencies_hz, true);
    document["rig"]["actuators"][0].update({{"cubic_n_per_m3", 1e8}, {"offset_m", 5e-4}});
    document["coupling"]["solver"]["method"] = method.toStdString();
    const BalanceRun run(document);
    QCOMPARE(run.converged(), frequencies_hz.size());
    const BothSides sides(run.project());
    for (std::size_t p = 0; p < run.points(); ++p) {
      const std::complex<double> u = 0.04 * sides.response(run.value(p, "frequency"))[0];
      QVERIFY(std::abs(run.phasor(p, "motion", 1) - u) < 0.02 * std::abs(u));
    }
  }

  /// Whatever ends it in the middle: the rig is told to stand still, what was measured is in the file, and another test
  /// goes on behind it.
  void goesOnAfterAStop_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<int>("reason");
    const auto fault = [](const char* row, const char* kind, const char* value, EndReason reason) {
      const QString more = *value == 0 ? QString() : QString(R"(, "value": %1)").arg(value);
      QTest::newRow(row)
          << QString(R"(/rig/faults=[{"kind": "%1", "from_s": %2%3}])").arg(kind).arg(kInTheSecond_s).arg(more)
          << static_cast<int>(reason);
    };
    if (test::kThorough) {
      fault("power cut", "power-off", "", EndReason::rig_fault);
      fault("lost link", "link-loss", "", EndReason::link_lost);
      fault("interlock", "interlock", "", EndReason::interlock);
      fault("no number", "not-a-number", "", EndReason::not_a_number);
    }
    fault("limit", "spike", "0.1", EndReason::limit);
    QTest::newRow("operator") << QString("/loop/duration_s=%1").arg(kInTheSecond_s)
                              << static_cast<int>(EndReason::completed);
  }
  void goesOnAfterAStop() {
    QFETCH(QString, change);
    QFETCH(int, reason);
    const Json document = cantilever({17.0, 17.3}, true);
    const std::string name = std::string(QTest::currentDataTag()) + ".h5";
    Json cut_short = document;
    setValue(cut_short, change.toStdString());
    const RunResult cut = recordSweep(cut_short, file(name.c_str()));
    QVERIFY2(cut.reason == static_cast<EndReason>(reason), cut.stop_reason.c_str());
    double first_m = 0.0;
    {
      const RunFileReader reader(file(name.c_str()));
      QCOMPARE(reader.read("segments/frequency"), std::vector<double>{17.0});
      QCOMPARE(reader.info().rows_lost, std::uint64_t{0});
      first_m = reader.read("segments/motion_1_h1")[0];
      for (const char* channel : {"acquisition/command_1", "acquisition/command_2"})
        if (reason == static_cast<int>(EndReason::limit)) QVERIFY(std::abs(reader.read(channel).back()) < 1e-9);
    }
    const RunResult rest = recordSweep(document, file(("rest of " + name).c_str()), file(name.c_str()));
    QVERIFY2(rest.reason == EndReason::completed, rest.stop_reason.c_str());
    QVERIFY2(rest.stop_reason.find("2 of 2") != std::string::npos, rest.stop_reason.c_str());
    const RunFileReader whole(file(("rest of " + name).c_str()));
    QCOMPARE(whole.read("segments/frequency"), (std::vector<double>{17.0, 17.3}));
    QCOMPARE(whole.read("segments/converged"), (std::vector<double>{1, 1}));
    QCOMPARE(whole.read("segments/taken_over"), (std::vector<double>{1, 0}));
    QCOMPARE(whole.read("segments/motion_1_h1")[0], first_m);
    QCOMPARE(whole.attribute("config", "begun_with"), "1 frequency of " + name);
  }

  void whatCannotBeGoneOnWith() {
    const Json document = cantilever({17.0}, true);
    recordSweep(document, file("one.h5"));
    const auto refusal = [&](const Json& project) {
      try {
        recordSweep(project, file("refused.h5"), file("one.h5"));
      } catch (const InputError& error) {
        return std::string(error.what());
      }
      return std::string();
    };
    QVERIFY(refusal(document).find("all its frequencies have been measured") != std::string::npos);
    QVERIFY(refusal(cantilever({17.1}, true)).find("use the project of that run") != std::string::npos);
    QVERIFY(refusal(templateDocument("three-mass")).find("/structure") != std::string::npos);
    QVERIFY(!fs::exists(file("refused.h5")));
  }

  /// A shaker whose cable is off, noise and hum or none: one sentence, and the test ends at rest.
  void actuatorThatDoesNotAnswer_data() {
    QTest::addColumn<bool>("clean");
    QTest::newRow("clean") << true;
    QTest::newRow("noisy") << false;
  }
  void actuatorThatDoesNotAnswer() {
    QFETCH(bool, clean);
    Json document = cantilever({17.0, 17.2}, clean);
    document["rig"]["actuators"].push_back(document["rig"]["actuators"][0]);
    document["rig"]["actuators"][1]["gain"] = 1e-12;
    const BalanceRun run(document);
    QCOMPARE(run.loop().endReason(), EndReason::not_identified);
    QCOMPARE(run.points(), std::size_t{1});
    QCOMPARE(run.value(0, "end"), 5.0);
    const std::string sentence = endSentence(run.loop());
    QVERIFY2(sentence.find("actuator 2 does not respond: 0.25 V") != std::string::npos, sentence.c_str());
  }
};

// Not HYB_THREADS: its threads are those of test_run, at length.
HYB_SUITE(balance_campaign, BalanceCampaignTest)
#include "balance_campaign_test.moc"
