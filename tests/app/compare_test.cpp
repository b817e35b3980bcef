/// `compare`: equal runs, runs that differ within and beyond a tolerance, and runs that are not aligned.
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class CompareCommandTest : public ProgramTest {
  Q_OBJECT
  static bool tells(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }
  static Json channelIn(const Json& report, const std::string& name) {
    for (const Json& channel : report["channels"])
      if (channel["name"] == name) return channel;
    return nullptr;
  }

 private Q_SLOTS:
  void initTestCase() {
    folder_ = std::make_unique<QTemporaryDir>();
    QCOMPARE(call({"run", "three-mass", "--duration", "5", "-o", "a.h5"}).code, 0);
    QCOMPARE(call({"run", "three-mass", "--duration", "5", "-o", "same.h5"}).code, 0);
    QCOMPARE(call({"run", "three-mass", "--duration", "5", "--seed", "5", "-o", "noise.h5"}).code, 0);
    QCOMPARE(call({"run", "three-mass", "--duration", "4", "-o", "short.h5"}).code, 0);
  }

  void equalRunsAreInside() {
    const Outcome outcome = call({"compare", "a.h5", "same.h5", "--json"});
    QVERIFY2(outcome.code == 0, outcome.out.c_str());
    const Json report = outcome.json();
    QVERIFY(report["inside"].get<bool>());
    QVERIFY(report["channels"].size() > 10);
    QVERIFY(report["settings"].empty());
    QVERIFY(channelIn(report, "compute_ns").is_null());  // timing of the computer
    QCOMPARE(channelIn(report, "gap_1")["largest"].get<double>(), 0.0);
  }

  /// Another seed of the sensor noise: outside without tolerance, with the row at which the runs part; inside with a
  /// tolerance above the noise; and the setting that differs.
  void anotherSeedIsOutsideUnlessTheToleranceIsAboveTheNoise() {
    const Outcome exact = call({"compare", "a.h5", "noise.h5", "--json"});
    QCOMPARE(exact.code, 1);
    const Json gap = channelIn(exact.json(), "gap_1");
    QCOMPARE(gap["outcome"].get<std::string>(), std::string("outside"));
    QVERIFY(gap["first_outside"]["time_s"].get<double>() < 0.01);
    QCOMPARE(channelIn(exact.json(), "excitation_1")["outcome"].get<std::string>(), std::string("inside"));
    const Json settings = exact.json()["settings"];
    QCOMPARE(settings.size(), std::size_t{1});
    QCOMPARE(settings[0]["pointer"].get<std::string>(), std::string("/rig/seed"));
    QCOMPARE(settings[0]["b"].get<int>(), 5);

    const auto withTolerance = [&](double tolerance) {
      return call({"compare", "a.h5", "noise.h5", "--channels", "gap_1", "--tolerance-absolute",
                   QString::number(tolerance, 'g', 12)});
    };
    QCOMPARE(withTolerance(1.001 * gap["largest"].get<double>()).code, 0);
    QCOMPARE(withTolerance(0.999 * gap["largest"].get<double>()).code, 1);
    const Outcome text = call({"compare", "a.h5", "noise.h5", "--channels", "gap_1"});
    QCOMPARE(text.code, 1);
    for (const char* words : {"gap_1", "outside", "first outside at", "Channels: 0 inside, 1 outside, 0 not aligned.",
                              "Settings that differ:", "(/rig/seed)"})
      QVERIFY2(tells(text.out, words), text.out.c_str());
  }

  void anotherLengthIsNotAligned() {
    const Outcome outcome = call({"compare", "a.h5", "short.h5", "--channels", "gap_1"});
    QCOMPARE(outcome.code, 1);
    QVERIFY2(tells(outcome.out, "not aligned") && tells(outcome.out, "The lengths are"), outcome.out.c_str());
    QVERIFY2(tells(outcome.out, "Duration: 5 s -> 4 s"), outcome.out.c_str());
  }

  void badRequestsAreSentences() {
    const Outcome unknown = call({"compare", "a.h5", "same.h5", "--channels", "gap_9"});
    QCOMPARE(unknown.code, 2);
    QVERIFY2(tells(unknown.err, "gap_9: is not a channel"), unknown.err.c_str());
    const Outcome negative = call({"compare", "a.h5", "same.h5", "--tolerance-time", "-1"});
    QCOMPARE(negative.code, 2);
    QVERIFY2(tells(negative.err, "--tolerance-time: is -1"), negative.err.c_str());
    QCOMPARE(call({"compare", "a.h5", "none.h5"}).code, 3);
    QCOMPARE(call({"compare", "a.h5"}).code, 2);
    QVERIFY(tells(call({"--help"}).out, "1 stopped by a limit or fault or"));
  }
};

HYB_SUITE(compare_command, CompareCommandTest)
#include "compare_test.moc"
