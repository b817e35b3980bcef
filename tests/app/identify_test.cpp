// `hybridbench identify` as a process: the twin's actuator is found from a run of its own.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "core/base/json.h"
#include "core/record/run_file_reader.h"
#include "core/transfer/actuator_transfer.h"
#include "tests/support/compare.h"
#include "tests/support/program_test.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

class IdentifyCommandTest : public ProgramTest {
  Q_OBJECT
  QTemporaryDir recorded_;
  static constexpr const char* kBand =
      R"(/excitation/signals/0={"name":"walls","kind":"band-sines","amplitude_m":0.002,"from_hz":0.5,"to_hz":25,"period_s":4})";

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
    refused({"--input", "comand_1"},
            "--input: is \"comand_1\", which the run does not contain. Did you mean \"command_1\"?");
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

  /// The twin gets another actuator than it has, the run's model makes it look like the rig of the run.
  void makesTheTwinLookLikeTheRig() {
    record("a.h5");
    const Outcome fresh = call({"identify", "a.h5", "--write", "new.json", "--json"});
    QVERIFY2(fresh.code == 0, fresh.err.c_str());
    QCOMPARE(fresh.json()["written"]["file"].get<std::string>(), std::string("new.json"));
    QCOMPARE(call({"check", "new.json"}).code, 0);

    QCOMPARE(call({"new", "three-mass", "-o", "other.json"}).code, 0);
    Json other = loadDocument(path("other.json").toStdString());
    other["rig"]["actuators"][0]["natural_frequency_hz"] = 45;
    other["rig"]["actuators"][0]["damping_ratio"] = 0.4;
    other["rig"]["actuators"][0]["delay_s"] = 0.003;
    saveDocument(other, path("other.json").toStdString());
    const Outcome written = call({"identify", "a.h5", "--write", "other.json"});
    QVERIFY2(written.code == 0, written.err.c_str());
    for (const char* word : {"/rig/actuators/0/natural_frequency_hz: 45 -> ", "/rig/actuators/0/delay_s: 0.003 -> ",
                             "\"adaptive-forward-prediction\" uses no model"})
      QVERIFY2(written.out.find(word) != std::string::npos, written.out.c_str());
    const Json after = loadDocument(path("other.json").toStdString());
    const Json& actuator = after["rig"]["actuators"][0];
    compareRelative(actuator["natural_frequency_hz"].get<double>(), 28.0, 5e-3, "natural frequency");
    compareRelative(actuator["damping_ratio"].get<double>(), 0.7, 0.01, "damping ratio");
    compare(actuator["delay_s"].get<double>(), 5e-4, 5e-5, "delay");
    QCOMPARE(actuator["stroke_m"].get<double>(), 0.025);  // limits stay
    QVERIFY(after["rig"]["actuators"][1] == other["rig"]["actuators"][1]);
    QVERIFY(after["compensation"] == other["compensation"]);

    // With poles and delay given, as it is refused whatever is found.
    const QStringList quickly{"identify", "a.h5", "--order", "2", "--delay", "0.0005"};
    const Outcome wrong = call(quickly + QStringList{"--input", "target_1", "--write", "other.json"});
    QVERIFY2(wrong.code == 2 && wrong.err.find("--write: needs the command") != std::string::npos, wrong.err.c_str());
    const Outcome unlike =
        call({"identify", "a.h5", "--input", "command_2", "--output", "measured_2", "--write", "benchmark.json"});
    QCOMPARE(unlike.code, 0);
    QCOMPARE(call({"new", "benchmark-2020-sample", "-o", "one.json"}).code, 0);
    const Outcome none =
        call(quickly + QStringList{"--input", "command_2", "--output", "measured_2", "--write", "one.json"});
    QVERIFY2(none.code == 2 && none.err.find("there is no interface 2") != std::string::npos, none.err.c_str());
    QVERIFY(loadDocument(path("one.json").toStdString()) ==
            templateDocument("benchmark-2020-sample"));  // nothing was touched
  }

  /// The displacement sensor is limited up to 22 s: the whole run gives a wrong gain, the rest the servo.
  void aPartLeavesOutADisturbance() {
    const Outcome run =
        call({"run", "three-mass", "--duration", "42", "-o", "d.h5", "--set", kBand, "--set", "/safety/limits=[]",
              "--set", R"(/rig/faults=[{"kind":"saturation","interface":1,"value":3e-4,"from_s":0,"duration_s":22}])"});
    QVERIFY2(run.code == 0, run.err.c_str());
    const Outcome whole = call({"identify", "d.h5", "--order", "2", "--json"});
    QVERIFY2(whole.code == 0, whole.err.c_str());
    QVERIFY(std::abs(whole.json()["model"]["dc_gain"].get<double>() - 1.0) > 0.05);
    QVERIFY(whole.json()["trial"].is_null());

    const Outcome part = call({"identify", "d.h5", "--from", "24", "--to", "39", "--order", "2", "--json"});
    QVERIFY2(part.code == 0, part.err.c_str());
    const Json report = part.json();
    isServo(report["model"], 28.0);
    QCOMPARE(report["from_s"].get<double>(), 24.0);
    QCOMPARE(report["to_s"].get<double>(), 38.999);
    QCOMPARE(report["rows"].get<int>(), 15000);
    const Outcome text = call({"identify", "d.h5", "--from", "24", "--order", "2", "--delay", "0.0005"});
    QVERIFY2(text.out.find("24 to 40 s") != std::string::npos, text.out.c_str());  // the soft end does not count
    // As before, a name stands for a channel.
    const Outcome named =
        call({"identify", "d.h5", "--from", "command_2", "--to", "measured_2", "--order", "2", "--json"});
    QVERIFY2(named.code == 0, named.err.c_str());
    QCOMPARE(named.json()["input"].get<std::string>(), std::string("command_2"));

    const auto refused = [&](const QStringList& options, const char* words) {
      const Outcome outcome = call(QStringList{"identify", "d.h5"} + options);
      QVERIFY2(outcome.code == 2 && outcome.out.empty(), outcome.out.c_str());
      QVERIFY2(outcome.err.find(words) != std::string::npos, outcome.err.c_str());
    };
    refused({"--from", "30", "--to", "30"}, "--from: is 30 s, which is not before the end of the part, 30 s");
    refused({"--from", "100"}, "--from: leaves 0 of the analysed rows, which last from 10 to 40 s");
    refused({"--to", "10.01"}, "--to: leaves 10 of the analysed rows");
    refused({"--from", "12s"}, "--from 12s: is not a time");
    refused({"--input", "command_1", "--from", "command_2"}, "--from command_2: is not a time");
    refused({"--trial", "1"}, "--trial: is 1, but the run has no trials");
  }

  /// Of three trials the sensor is limited in the first and in the last.
  void oneTrialOfSeveral() {
    QVERIFY(QFile::copy(QString(kSourceDir) + "/tests/data/projects/three-mass-trials.json", path("trials.json")));
    const Outcome run =
        call({"run", "trials.json", "-o", "t.h5", "--set", kBand, "--set", "/safety/limits=[]", "--set",
              "/analysis/start_s=0", "--set", R"(/loop/trials={"count":3,"length_s":14,"pause_s":1})", "--set",
              R"(/rig/faults=[{"kind":"saturation","interface":1,"value":3e-4,"from_s":0,"duration_s":14.5},)"
              R"({"kind":"saturation","interface":1,"value":3e-4,"from_s":29.5,"duration_s":0}])"});
    QVERIFY2(run.code == 0, run.err.c_str());
    const QStringList quickly{"identify", "t.h5", "--order", "2", "--json"};
    for (const char* number : {"1", "3"}) {
      const Outcome limited = call(quickly + QStringList{"--trial", number});
      QVERIFY2(limited.code == 0, limited.err.c_str());
      QVERIFY(std::abs(limited.json()["model"]["dc_gain"].get<double>() - 1.0) > 0.05);
    }
    const Outcome second = call(quickly + QStringList{"--trial", "2"});
    QVERIFY2(second.code == 0, second.err.c_str());
    const Json report = second.json();
    isServo(report["model"], 28.0);
    QCOMPARE(report["trial"].get<int>(), 2);
    const RunFileReader file(path("t.h5").toStdString());
    QCOMPARE(report["from_s"].get<double>(), 1e-3 * file.read("segments/first_tick").at(1));
    QCOMPARE(report["to_s"].get<double>(), 1e-3 * file.read("segments/last_tick").at(1));
    const Outcome text = call({"identify", "t.h5", "--order", "2", "--delay", "0.0005", "--trial", "2"});
    QVERIFY2(text.out.find("measured_1, trial 2, 15") != std::string::npos, text.out.c_str());

    const Outcome none = call({"identify", "t.h5", "--trial", "4"});
    QVERIFY2(none.code == 2 && none.err.find("--trial: is 4, but the run has the trials 1 to 3") != std::string::npos,
             none.err.c_str());
    const Outcome both = call({"identify", "t.h5", "--trial", "2", "--to", "20"});
    QVERIFY2(both.code == 2 && both.err.find("either the trial or its times") != std::string::npos, both.err.c_str());
  }

  /// Sines of a project's own, 4 s of them: whole periods of the excitation, whatever its kind.
  void takesWholePeriodsOfAnyKind() {
    const Outcome run = call(
        {"run", "three-mass", "--duration", "7", "-o", "s.h5", "--set", "/loop/soft_start_s=1", "--set",
         "/loop/soft_end_s=1", "--set", "/analysis/start_s=2", "--set",
         R"(/excitation/signals/0={"name":"walls","kind":"multi-sine","components":[{"amplitude_m":5e-4,"frequency_hz":2,"phase_deg":0},)"
         R"({"amplitude_m":5e-4,"frequency_hz":5,"phase_deg":70},{"amplitude_m":5e-4,"frequency_hz":9,"phase_deg":140},)"
         R"({"amplitude_m":5e-4,"frequency_hz":14,"phase_deg":10},{"amplitude_m":5e-4,"frequency_hz":21,"phase_deg":200}]})"});
    QVERIFY2(run.code == 0, run.err.c_str());
    const Outcome found = call({"identify", "s.h5", "--order", "2", "--json"});
    QVERIFY2(found.code == 0, found.err.c_str());
    const Json response = found.json()["response"];
    QCOMPARE(response["method"].get<std::string>(), std::string("periods"));
    QCOMPARE(response["segment_s"].get<double>(), 1.0);
    for (const double hz : {2.0, 5.0, 9.0, 14.0, 21.0}) {  // what comes back in the command may add lines
      const auto line = std::ranges::find_if(response["lines"], [hz](const Json& each) {
        return std::abs(each["frequency_hz"].get<double>() - hz) < 1e-9;
      });
      QVERIFY2(line != response["lines"].end(), qPrintable(QString::number(hz)));
      QVERIFY((*line)["coherence"].get<double>() > 0.999);
      const double magnitude = (*line)["magnitude"].get<double>(), model = (*line)["model_magnitude"].get<double>();
      QVERIFY(std::abs(magnitude - model) <= 2.0 * (*line)["radius_95"].get<double>() + 1e-3 * model);
    }
  }

  /// The same servo by stepped sines, which end at no whole tick: the closed form is inside the radius, and all single
  /// periods are there. Runs of one frequency each are joined.
  void steppedSines() {
    const char* steps =
        R"(/excitation/signals/0={"name":"walls","kind":"stepped-sine","amplitude_m":0.002,"from_hz":2.3,"to_hz":21.7,)"
        R"("count":9,"settle_s":1.5,"periods":12})";
    const QStringList quickly{"--set", "/loop/soft_start_s=1", "--set", "/loop/soft_end_s=1",
                              "--set", "/analysis/start_s=1"};
    const Outcome run =
        call(QStringList{"run", "three-mass", "--duration", "32", "-o", "p.h5", "--set", steps} + quickly);
    QVERIFY2(run.code == 0, run.err.c_str());
    const Outcome found = call({"identify", "p.h5", "--order", "2", "--json"});
    QVERIFY2(found.code == 0, found.err.c_str());
    const Json report = found.json();
    QCOMPARE(report["response"]["method"].get<std::string>(), std::string("stepped-sine"));
    const Json& lines = report["response"]["lines"];
    QCOMPARE(lines.size(), std::size_t{9});
    const auto servo = [](double hz) {
      const std::complex<double> s(0.0, 2.0 * std::numbers::pi * hz), w = 2.0 * std::numbers::pi * 28.0;
      return w * w / (s * s + 1.4 * w * s + w * w) * std::exp(-0.0005 * s) * (1.0 - std::exp(-0.001 * s)) / (0.001 * s);
    };
    int inside = 0;
    for (const Json& line : lines) {
      QCOMPARE(line["phasors"].size(), std::size_t{12});
      const double hz = line["frequency_hz"].get<double>(), radius = line["radius_95"].get<double>();
      const std::complex<double> h =
          std::polar(line["magnitude"].get<double>(), line["phase_deg"].get<double>() * std::numbers::pi / 180.0);
      QVERIFY2(radius < 0.01 && line["scatter"].get<double>() > 0.0, line.dump().c_str());
      compare(std::abs(h - servo(hz)), 0.0, 5e-3, "response");
      inside += std::abs(h - servo(hz)) <= radius ? 1 : 0;
    }
    QVERIFY2(inside >= 8, qPrintable(QString::number(inside)));
    isServo(report["model"], 28.0);
    const Outcome text = call({"identify", "p.h5", "--order", "2", "--delay", "0.0005"});
    for (const char* word : {"stepped sine, single periods", "scatter", "periods"})
      QVERIFY2(text.out.find(word) != std::string::npos, text.out.c_str());

    // A test that is too short for all of them: told before it, and by its result.
    const Outcome check = call({"new", "three-mass", "-o", "short.json"});
    QCOMPARE(check.code, 0);
    Json project = loadDocument(path("short.json").toStdString());
    project["excitation"]["signals"][0] = Json::parse(std::string(steps).substr(std::string(steps).find('=') + 1));
    project["loop"]["duration_s"] = 20;
    saveDocument(project, path("short.json").toStdString());
    const Outcome told = call({"check", "short.json"});
    QVERIFY2(told.code == 0 && told.err.find("frequencies are not measured") != std::string::npos, told.err.c_str());

    for (const char* hz : {"5", "3.3"})
      QCOMPARE(call(QStringList{"run", "three-mass", "--duration", "14", "-o", QStringLiteral("s%1.h5").arg(hz),
                                "--set", QStringLiteral("/excitation/signals/0/frequency_hz=%1").arg(hz)})
                   .code,
               0);
    const Outcome both = call({"identify", "s5.h5", "s3.3.h5", "--json"});
    QVERIFY2(both.code == 0, both.err.c_str());
    const Json joined = both.json();
    QCOMPARE(joined["runs"].size(), std::size_t{2});
    QCOMPARE(joined["response"]["lines"].size(), std::size_t{2});
    QCOMPARE(joined["response"]["lines"][0]["frequency_hz"].get<double>(), 3.3);
    QVERIFY(joined["model"].is_null());
    const Outcome unlike = call({"identify", "s5.h5", "p.h5", "--write", "x.json"});
    QVERIFY2(unlike.code == 2 && unlike.err.find("--write: needs one run") != std::string::npos, unlike.err.c_str());
  }

  /// A servo-hydraulic rig with its specimen: an inverse model gets all poles, the twin the nearest that it has. The
  /// compensator designed so tracks as well as one from the published plant.
  void designsTheCompensator() {
    const auto runWith = [&](const Json& compensation, const char* file, const QStringList& more = {}) {
      return call(QStringList{"run", "benchmark-2020-sample", "--duration", "26", "-o", file, "--json", "--set",
                              R"(/excitation/signals/0={"name":"chirp","kind":"band-sines","amplitude_mps2":0.2,)"
                              R"("from_hz":0.5,"to_hz":20,"period_s":4})",
                              "--set", QString::fromStdString("/compensation=" + compensation.dump())} +
                  more);
    };
    const Json crude = {{"method", "inverse-model"}, {"numerator", 50}, {"denominator", {1, 50}}};
    const Outcome recorded = runWith(crude, "b.h5");
    QVERIFY2(recorded.code == 0, recorded.err.c_str());
    const Outcome written = call({"identify", "b.h5", "--write", "inverse.json", "--json"});
    QVERIFY2(written.code == 0, written.err.c_str());
    const Json after = loadDocument(path("inverse.json").toStdString());
    const Json& found = after["compensation"];
    QCOMPARE(found["method"].get<std::string>(), std::string("inverse-model"));
    QVERIFY(found["denominator"].size() >= 4);
    QVERIFY(after["rig"]["actuators"][0]["model"] != "servo-hydraulic");
    QCOMPARE(written.json()["written"]["remarks"].size(), std::size_t{2});
    QCOMPARE(call({"check", "inverse.json"}).code, 0);

    // V ((s + a3) (m s^2 + c s + k) + a2 s) + a1b0, over a1b0 times the gain; see core/transfer/servo_hydraulic.h.
    constexpr double a1b0 = 2.1283e13, a2 = 4229700.0, a3 = 3.3, m = 29.13, c = 114.220867, k = 1.19e6, gain = 1.0261;
    std::vector<double> plant = product({99976.0, 425.0, 1.0}, {a3 * k, k + a3 * c + a2, c + a3 * m, m});
    plant[0] += a1b0;
    std::reverse(plant.begin(), plant.end());
    const Json truth = {{"method", "inverse-model"}, {"numerator", a1b0 * gain}, {"denominator", plant}};
    // The inverse of all poles makes steps of 3 mm of the force sensor's noise, which the derived bounds would end.
    const QStringList quiet{
        "--set", "/rig/displacement_sensor/noise_rms_m=0", "--set",
        R"(/safety/limits=[{"quantity":"command-rate","threshold_m_per_s":100,"action":"indicate"},)"
        R"({"quantity":"command-step","threshold_m":0.1,"action":"indicate"}])"};
    const auto error = [](const Outcome& run) {
      return run.json()["metrics"]["interfaces"][0]["tracking_nrmse_percent"].get<double>();
    };
    const double with_crude = error(runWith(crude, "c.h5", quiet)), with_found = error(runWith(found, "f.h5", quiet)),
                 with_truth = error(runWith(truth, "t.h5", quiet));
    QVERIFY2(with_truth < 0.1 * with_crude, qPrintable(QString("%1 of %2 %").arg(with_truth).arg(with_crude)));
    QVERIFY2(with_found < 1.2 * with_truth, qPrintable(QString("%1 of %2 %").arg(with_found).arg(with_truth)));
  }

 private:
  /// One run for all tests.
  void record(const char* name) {
    const QString kept = recorded_.filePath("run.h5");
    if (!QFile::exists(kept)) {
      const Outcome outcome = call({"run", "three-mass", "--duration", "42", "-o", kept, "--set", kBand});
      QVERIFY2(outcome.code == 0, outcome.err.c_str());
    }
    QVERIFY(QFile::copy(kept, path(name)));
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
    if (model["fitted_to"] != "response") QVERIFY(model["fit_percent"].get<double>() > 98.0);
  }
};

HYB_SUITE(identify_command, IdentifyCommandTest)
#include "identify_test.moc"
