// `hybridbench identify` as a process: the twin's actuator is found from a run of its own.
#include "core/json.h"
#include "tests/support/compare.h"
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class IdentifyCommandTest : public ProgramTest {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }

  /// A servo of 28 Hz with damping 0.7 behind 0.5 ms, with the twin's noise and 16 bits: proposed and found.
  void findsTheTwinsActuators() {
    record("a.h5");
    const Outcome outcome = call({"identify", "a.h5", "--json"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
    const Json report = outcome.json();
    QCOMPARE(report["input"].get<std::string>(), std::string("command_1"));
    QCOMPARE(report["output"].get<std::string>(), std::string("measured_1"));
    QCOMPARE(report["hold"].get<std::string>(), std::string("step"));
    QCOMPARE(report["response"]["method"].get<std::string>(), std::string("periods"));
    QVERIFY(report["findings"].empty());
    isServo(report["model"], 28.0);
    for (const Json& line : report["response"]["lines"]) {
      if (line["frequency_hz"].get<double>() > 20.0 || line["frequency_hz"].get<double>() < 1.0) continue;
      QVERIFY2(line["coherence"].get<double>() > 0.99, line.dump().c_str());
      compare(line["model_magnitude"].get<double>(), line["magnitude"].get<double>(), 0.02, "magnitude");
    }
    int proposed = 0;
    for (const Json& order : report["orders"]) proposed += order["proposed"].get<bool>() ? 1 : 0;
    QCOMPARE(proposed, 1);

    const Outcome other = call({"identify", "a.h5", "--input", "command_2", "--to", "measured_2", "--json"});
    isServo(other.json()["model"], 26.6);
    const Outcome text = call({"identify", "a.h5", "--order", "2", "--delay", "0.0005", "--band", "1:20"});
    QVERIFY2(text.code == 0, text.err.c_str());
    for (const char* word : {"coherence", "2 poles, 0 zeros", "0.5 ms", "stable, minimum-phase", "fit of the record"})
      QVERIFY2(text.out.find(word) != std::string::npos, word);
  }

  void saysWhatIsWrong() {
    record("a.h5");
    const auto refused = [&](const QStringList& options, const char* word) {
      const Outcome outcome = call(QStringList{"identify", "a.h5"} + options);
      QVERIFY2(outcome.code == 2 && outcome.out.empty(), outcome.out.c_str());
      QVERIFY2(outcome.err.find(word) != std::string::npos, outcome.err.c_str());
    };
    refused({"--input", "comand_1"}, "--input: is \"comand_1\", which the run has not. Did you mean \"command_1\"?");
    refused({"--output", "time"}, "--output");
    refused({"--input", "measured_1"}, "the input itself");
    refused({"--band", "1:900"}, "--band: is 1 to 900 Hz");
    refused({"--order", "12"}, "--order: has 12 poles");
    refused({"--order", "2,3"}, "--order: has 3 zeros");
    refused({"--delay=-1"}, "--delay");
    refused({"--segment", "1000"}, "--segment");
    QFile file(path("text.h5"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write("no run") > 0);
    file.close();
    QCOMPARE(call({"identify", "text.h5"}).code, 3);
    // One sine is no excitation for a model; the response at it is there all the same.
    QCOMPARE(call({"run", "three-mass", "--duration", "14", "-o", "sine.h5"}).code, 0);
    const Outcome sine = call({"identify", "sine.h5", "--json"});
    QVERIFY2(sine.code == 0, sine.err.c_str());
    QVERIFY(sine.json()["model"].is_null());
    QCOMPARE(sine.json()["findings"][0]["code"].get<std::string>(), std::string("too-few-data"));
  }

 private:
  void record(const char* name) const {
    const Outcome outcome = call(
        {"run", "three-mass", "--duration", "42", "-o", name, "--set",
         R"(/excitation/signals/0={"name":"walls","kind":"band-sines","amplitude_m":0.002,"from_hz":0.5,"to_hz":25,"period_s":4})"});
    QVERIFY2(outcome.code == 0, outcome.err.c_str());
  }
  static void isServo(const Json& model, double frequency_hz) {
    const auto denominator = model["denominator"].get<std::vector<double>>();
    QCOMPARE(denominator.size(), std::size_t{3});
    QCOMPARE(model["numerator"].size(), std::size_t{1});
    const double w = std::sqrt(denominator[2]);
    compareRelative(w / (2.0 * std::numbers::pi), frequency_hz, 5e-3, "natural frequency, Hz");
    compareRelative(denominator[1] / (2.0 * w), 0.7, 0.01, "damping ratio");
    compareRelative(model["dc_gain"].get<double>(), 1.0, 1e-3, "gain at rest");
    compare(model["delay_s"].get<double>(), 5e-4, 5e-5, "delay, s");
    QVERIFY(model["stable"].get<bool>() && model["minimum_phase"].get<bool>());
    QVERIFY(model["fit_percent"].get<double>() > 98.0);
  }
};

HYB_SUITE(identify_command, IdentifyCommandTest)
#include "identify_test.moc"
