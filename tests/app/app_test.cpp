#include <sys/resource.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>

#include "core/project/project.h"
#include "core/project/reading.h"
#include "core/record/run_file_reader.h"
#include "core/study/study.h"
#include "tests/support/program_test.h"
#include "tests/support/send_signal.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
namespace fs = std::filesystem;

namespace {

std::uint64_t recordedRows(const fs::path& file) {
  try {
    return RunFileReader(file).info().rows;
  } catch (const DeviceError&) {  // not there yet
    return 0;
  }
}

}  // namespace

class AppTest : public ProgramTest {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void exitCodes_data();
  void exitCodes();
  void helpAndVersion();
  void aSearchNeedsItsLibraryBesideTheProgram();
  void templatesAndNew();
  void schemaIsPrinted();
  void plugInFromNothingToAReplay();
  void checkNamesEveryError();
  void interfaceKeepsTheOrderAsWritten();
  void runYieldsFiguresWithinTheirBounds();
  void energyMonitorOfTwoInterfaces();
  void sameProjectAndSeedGiveTheSameBits();
  void whatWasAskedForIsWhatIsRecorded();
  void durationAloneMovesTheFigures();
  void runFilesAreNamedAfterTitleAndTime();
  void limitEndsTheRunWithCodeOne();
  void existingFilesAreKept();
  void fullDiskEndsInTheSafeState();
  void stopSignals_data();
  void stopSignals();
  void killedRunIsRecovered();
  void replayComparesCommands();
  void plant();
  void latency();
  void windowNeedsADisplay();

 private:
  fs::path file(const char* name) const { return fs::path(folder_->path().toStdString()) / name; }
  void prepare(QProcess& process, const QStringList& arguments) const {
    process.setProgram(hyb::test::kProgram);
    process.setArguments(arguments);
    process.setWorkingDirectory(folder_->path());
  }
  /// Starts a paced run without an end and comes back once rows of it are on disk.
  void startEndless(QProcess& process, const char* name) const {
    prepare(process, {"run", "three-mass", "--real-time", "--set", "/loop/duration_s=0", "--set",
                      "/recording/flush_s=0.1", "--set", "/safety/limits=[]", "-o", name, "--json"});
    process.start();
    QTRY_VERIFY(recordedRows(file(name)) > 0 || process.state() == QProcess::NotRunning);
    QVERIFY2(process.state() == QProcess::Running, process.readAllStandardError().constData());
  }
};

void AppTest::exitCodes_data() {
  QTest::addColumn<QStringList>("arguments");
  QTest::addColumn<int>("code");
  QTest::addColumn<QString>("word");  // on standard error
  const auto row = [](const char* name, QStringList arguments, int code, const char* word) {
    QTest::newRow(name) << arguments << code << word;
  };
  row("unknown option", {"run", "three-mass", "--fast"}, 2, "--fast");
  row("two subcommands", {"templates", "check"}, 2, "");
  row("no project", {"check"}, 2, "PROJECT");
  row("misspelt subcommand", {"chek"}, 2, "neither a file nor a template");
  row("unknown template", {"check", "three-mas"}, 2, "Did you mean \"three-mass\"");
  row("no such file", {"check", "none.json"}, 3, "no such file");
  row("set without a value", {"run", "three-mass", "--set", "/loop/rate_hz"}, 2, "/pointer=VALUE");
  row("set of an unknown key", {"run", "three-mass", "--set", "/loop/rate=5"}, 2, "rate_hz");
  row("set of a wrong value", {"run", "three-mass", "--set", "/loop/rate_hz=fast"}, 2, "/loop/rate_hz: is the text");
  row("negative duration", {"run", "three-mass", "--duration=-1"}, 2, "/loop/duration_s");
  row("duration not a number", {"run", "three-mass", "--duration=nan"}, 2, "not finite");
  row("duration as text", {"run", "three-mass", "--duration", "long"}, 2, "--duration");
  row("negative seed", {"run", "three-mass", "--seed=-1"}, 2, "seed");
  row("negative seed after a space", {"run", "three-mass", "--seed", "-1"}, 2,
      "--seed: is -1; give a whole number from 0 to 9007199254740991\n");
  row("seed that a project cannot name", {"run", "three-mass", "--seed", "9007199254740992"}, 2,
      "--seed: is 9007199254740992; give a whole number from 0 to 9007199254740991\n");
  row("trial that is none", {"run", "three-mass", "--begin-with", "none.h5", "--trial", "-1"}, 2,
      "--trial: is -1; give a whole number from 1 to");
  row("gait of a negative seed", {"gait", "prosthetic-foot", "--seed", "-1"}, 2,
      "--seed: is -1; give a whole number from 0 to 4294967295\n");
  row("seed that is no whole number", {"run", "three-mass", "--seed", "1.5"}, 2, "--seed: is 1.5; give a whole number");
  row("a section as a number", {"run", "three-mass", "--set", "/loop=5"}, 2, "/loop: is the number 5");
  row("a section as a number, with a duration", {"run", "three-mass", "--set", "/loop=5", "--duration", "3"}, 2,
      "/loop");
  row("the whole as a number", {"run", "three-mass", "--set", "/=5"}, 2, "/");
  row("both paces", {"run", "three-mass", "--free-run", "--real-time"}, 2, "--free-run");
  row("run into no folder", {"run", "three-mass", "-o", "nowhere/a.h5"}, 3, "nowhere/a.h5");
  row("figures of no file", {"metrics", "none.h5"}, 3, "none.h5");
  row("recover of no file", {"recover", "none.h5"}, 3, "none.h5");
  row("replay of no file", {"replay", "none.h5"}, 3, "none.h5");
  row("stability of a broken project", {"stability", "three-mass", "--set", "/partition/physical=[]"}, 2,
      "/partition/physical");
  row("points without a map", {"stability", "three-mass", "--points", "9"}, 2, "--map");
  row("map of plain matrices", {"stability", "benchmark-2020-sample", "--map"}, 2, "/structure/kind");
  row("springs of a test that asks for none", {"stability", "three-mass", "--springs"}, 2, "/coupling/scheme");
  row("locus without end", {"stability", "three-mass", "--locus", "0:0.02"}, 2, "FROM:TO:N");
  row("locus backwards", {"stability", "three-mass", "--locus", "0.02:0:5"}, 2, "FROM < TO");
  row("frequencies backwards", {"stability", "three-mass", "--dynamic-stiffness", "50:0:5"}, 2, "FROM < TO");
  row("gait where nobody walks", {"gait", "contact-ilc"}, 2, "nobody walks");
  row("gait backwards", {"gait", "prosthetic-foot", "--speed", "-1"}, 2, "goes forward");
  row("continuation of a test that follows no path", {"continuation", "three-mass"}, 2, "follows no path");
  row("start that is no gait", {"gait", "prosthetic-foot", "--write", "none.json"}, 2, "no start was found");
  row("identification of no file", {"identify", "none.h5"}, 3, "none.h5");
  row("order that is none", {"identify", "none.h5", "--order", "three"}, 2, "POLES,ZEROS");
  row("delay that is none", {"identify", "none.h5", "--delay", "soon"}, 2, "--delay soon");
  row("band without end", {"identify", "none.h5", "--band", "5"}, 2, "FROM:TO");
  row("unknown hold", {"identify", "none.h5", "--hold", "spline"}, 2, "--hold");
  row("rate out of bounds", {"latency", "--rate", "1e9"}, 2, "--rate");
  row("unknown theme", {"--theme", "pink"}, 2, "--theme");
}

void AppTest::exitCodes() {
  QFETCH(QStringList, arguments);
  QFETCH(int, code);
  QFETCH(QString, word);
  const Outcome outcome = call(arguments);
  QVERIFY2(outcome.code == code, outcome.err.c_str());
  QVERIFY2(outcome.err.find(word.toStdString()) != std::string::npos, outcome.err.c_str());
  QVERIFY2(outcome.out.empty(), outcome.out.c_str());
}

void AppTest::helpAndVersion() {
  const Outcome help = call({"--help"});
  QCOMPARE(help.code, 0);
  for (const char* word :
       {"templates", "schema", "plug-in", "rig-kit", "conform", "new", "check", "run", "recover", "replay", "metrics",
        "stability", "plant", "identify", "gait", "continuation", "latency", "Exit codes"})
    QVERIFY2(help.out.find(word) != std::string::npos, word);
  QCOMPARE(call({"run", "--help"}).code, 0);
  QVERIFY(call({"--version"}).out.starts_with("hybridbench 0."));
}

void AppTest::aSearchNeedsItsLibraryBesideTheProgram() {
  QVERIFY(QFile::copy(hyb::test::kProgram, QString::fromStdString(file("alone"))));
  QProcess alone;
  alone.start(QString::fromStdString(file("alone")), {"gait", "prosthetic-foot"});
  QVERIFY(alone.waitForFinished(hyb::test::kHangs_ms));
  QCOMPARE(alone.exitCode(), 3);
  const QByteArray said = alone.readAllStandardError();
  QVERIFY2(said.contains("libhyb_minimiser.so") && said.contains("copy the library beside the program"),
           said.constData());
}

void AppTest::schemaIsPrinted() {
  QVERIFY(call({"schema"}).json() == projectSchema());
  QVERIFY(call({"schema", "study"}).json() == studySchema());
  QCOMPARE(call({"schema", "rig"}).code, 2);
}

/// What the help page says, word by word.
void AppTest::plugInFromNothingToAReplay() {
  qputenv("XDG_CONFIG_HOME", file("settings").c_str());
  QCOMPARE(call({"plug-in", "my-method"}).code, 0);
  QCOMPARE(call({"plug-in", "my-method"}).code, 2);  // nothing is overwritten
  const auto cmake = [&](const QStringList& arguments) -> bool {
    QProcess process;
    process.setWorkingDirectory(folder_->path());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(QStringLiteral("cmake"), arguments);
    const bool done = process.waitForFinished(hyb::test::kHangs_ms) && process.exitCode() == 0;
    if (!done) qWarning("%s", process.readAll().constData());
    return done;
  };
  QVERIFY(cmake({"-S", "my-method", "-B", "my-method/build"}));
  QVERIFY(cmake({"--build", "my-method/build"}));
  const QString method = R"(/compensation={"method":"plug-in","library":"my-method/build/lead.so"})";
  QCOMPARE(call({"run", "three-mass", "--duration", "4", "--set", method, "--accept-plug-in", "-o", "mine.h5"}).code,
           0);
  const RunFileReader run(file("mine.h5"));
  QCOMPARE(run.attribute("config", "compensation_library_sha256").size(), std::size_t{64});
  QVERIFY(!run.read("adaptation/lead_2/value").empty());
  QCOMPARE(call({"replay", "mine.h5"}).code, 0);
  // Built anew with another number it is another library.
  QFile source(path("my-method/lead.c"));
  QVERIFY(source.open(QIODevice::ReadWrite));
  const QByteArray changed = source.readAll().replace("1.0, 0.0, 10.0", "2.0, 0.0, 10.0");
  source.resize(0);
  source.write(changed);
  source.close();
  QVERIFY(cmake({"--build", "my-method/build"}));
  const Outcome other = call({"replay", "mine.h5"});
  QCOMPARE(other.code, 3);
  QVERIFY(other.err.find("another version of the library") != std::string::npos);
}

void AppTest::templatesAndNew() {
  const Json list = call({"templates", "--json"}).json();
  QCOMPARE(list["templates"].size(), templates().size());
  QVERIFY(call({"templates"}).out.find("three-mass") != std::string::npos);

  const Json studies = call({"study", "--list", "--json"}).json();
  QCOMPARE(studies["studies"].size(), shippedStudies().size());
  QVERIFY(call({"study", "--list"}).out.find("marths-plants") != std::string::npos);
  QCOMPARE(call({"new", "marths-plants", "-o", "plants.json"}).code, 0);
  QVERIFY(readJson(file("plants.json").string()) == shippedStudy("marths-plants")->document);
  QCOMPARE(call({"study"}).code, 2);

  QCOMPARE(call({"new", "three-mass", "-o", "mine.json"}).code, 0);
  QVERIFY(loadDocument(file("mine.json").string()) == templateDocument("three-mass"));
  QCOMPARE(call({"check", "mine.json"}).code, 0);
  // A case of the benchmark is the benchmark but for mass, damping and name; its floors have figures, too.
  QCOMPARE(call({"new", "benchmark-2020-case-2"}).code, 0);
  QCOMPARE(call({"run", "benchmark-2020-case-2.json", "--duration", "3", "-o", "case.h5"}).code, 0);
  const std::string figures = call({"metrics", "case.h5"}).out;
  for (int j = 1; j <= 9; ++j)
    QVERIFY2(figures.find("J" + std::to_string(j) + ", ") != std::string::npos, figures.c_str());
  // From a thousand millijoules on an energy is told in joules, as in the window.
  QCOMPARE(call({"run", "benchmark-2020-sample", "--duration", "3", "-o", "sample.h5"}).code, 0);
  const std::string of_sample = call({"metrics", "sample.h5"}).out,
                    energy = of_sample.substr(of_sample.find("Energy error"), 40);
  QVERIFY2(energy.find(" J\n") != std::string::npos && energy.find("mJ") == std::string::npos, energy.c_str());
  Json of_case = loadDocument(file("benchmark-2020-case-2.json").string());
  const Json base = templateDocument("benchmark-2020");
  QCOMPARE(of_case["structure"]["mass"]["rows"][1][1].get<double>(), 1100.0);
  QCOMPARE(of_case["structure"]["damping"]["ratios"].dump(), std::string("[0.04]"));
  for (const char* pointer : {"/meta", "/structure/mass", "/structure/damping/ratios"})
    of_case[Json::json_pointer(pointer)] = base[Json::json_pointer(pointer)];
  QVERIFY(of_case == base);
  const Outcome again = call({"new", "three-mass", "-o", "mine.json"});
  QCOMPARE(again.code, 2);
  QVERIFY(again.err.find("exists already") != std::string::npos);
  QCOMPARE(call({"new", "three-mass"}).code, 0);
  QVERIFY(fs::exists(file("three-mass.json")));
  QCOMPARE(call({"new", "three-mass", "-o", "nowhere/mine.json"}).code, 3);

  QProcess process;
  prepare(process, {"templates"});
  process.setStandardOutputFile("/dev/full");
  process.start();
  QCOMPARE(finished(process).code, 3);
}

void AppTest::checkNamesEveryError() {
  const Outcome good = call({"check", "three-mass", "--json"});
  QCOMPARE(good.code, 0);
  QVERIFY(good.json()["valid"].get<bool>() && good.json()["errors"].empty());
  const Json places = good.json()["actuators"];
  QCOMPARE(places.size(), std::size_t{2});
  QVERIFY(places[0]["number"] == 1 && places[0]["moves"] == "m1" && places[0]["model"] == "servo");
  QVERIFY(places[1]["number"] == 2 && places[1]["moves"] == "m2");
  QVERIFY(call({"check", "three-mass"}).out.find("1 on m1, 2 on m2") != std::string::npos);

  // What is learnt and would grow is told, with the frequency.
  const auto grows = [this](double cutoff_hz) {
    Json learning = templateDocument("contact-ilc");
    learning["compensation"]["additions"][0]["cutoff_hz"] = cutoff_hz;
    saveDocument(learning, file("learning.json"));
    const Outcome checked = call({"check", "learning.json"});
    return checked.code == 0 && checked.err.find("it grows") != std::string::npos &&
           checked.err.find("5.46 Hz") != std::string::npos;
  };
  QVERIFY(grows(12.0) && !grows(2.0));

  // So is what hum leaves in the averages over periods.
  Json averaging = templateDocument("cantilever-iterative");
  averaging["coupling"]["average"]["hum"] = {{"frequency_hz", 50}, {"motion_m", 0.0014}};
  saveDocument(averaging, file("hum.json"));
  const Outcome hum = call({"check", "hum.json", "--json"});
  QVERIFY(hum.json()["hum"]["error_m"].get<double>() < 1e-8 && hum.json()["hum"]["window"] == "hann");
  QVERIFY(call({"check", "hum.json"}).err.find("note: Hum of 50 Hz leaves at most") != std::string::npos);
  QVERIFY(good.json()["hum"].is_null());

  Json document = templateDocument("three-mass");
  document["structure"]["masses"][1]["mass_kg"] = -1;
  document["loop"]["rate"] = 1000;
  saveDocument(document, file("bad.json"));
  const Outcome bad = call({"check", "bad.json", "--json"});
  QCOMPARE(bad.code, 2);
  QVERIFY(!bad.json()["valid"].get<bool>());
  QCOMPARE(bad.json()["errors"].size(), 2);
  QCOMPARE(bad.json()["errors"][0]["pointer"].get<std::string>(), std::string("/structure/masses/1/mass_kg"));
  QVERIFY(bad.json()["errors"][1]["message"].get<std::string>().find("rate_hz") != std::string::npos);
  const Outcome text = call({"check", "bad.json"});
  QCOMPARE(text.code, 2);
  QVERIFY(text.err.find("/structure/masses/1/mass_kg: is -1 kg") != std::string::npos);

  QFile broken(path("broken.json"));
  QVERIFY(broken.open(QIODevice::WriteOnly));
  broken.write("{\n  \"format\": ,\n}");
  broken.close();
  const Outcome syntax = call({"check", "broken.json", "--json"});
  QCOMPARE(syntax.code, 2);
  QCOMPARE(syntax.json()["errors"][0]["pointer"].get<std::string>(), std::string("broken.json:2:13"));
}

/// Neither sorted nor as the masses are listed. Wall 1 alone shakes, slowly: m1, next to it, goes three times as far as
/// m2.
void AppTest::interfaceKeepsTheOrderAsWritten() {
  Json document = templateDocument("three-mass");
  document["partition"] = Json::parse(R"({"by": "dofs", "physical": ["m3"], "interface": ["m2", "m1"], "share": 0})");
  document["excitation"]["loads"].erase(1);
  document["excitation"]["signals"][0]["frequency_hz"] = 1.0;
  document["compensation"] = {{"method", "none"}};
  document["rig"]["actuators"][0]["gain"] = 0.9;
  document["rig"]["actuators"][1]["model"] = "first-order";
  document["rig"]["actuators"][1]["lag_s"] = 0.001;
  for (const char* other : {"natural_frequency_hz", "damping_ratio"}) document["rig"]["actuators"][1].erase(other);
  saveDocument(document, file("turned.json"));
  const Outcome checked = call({"check", "turned.json", "--json"});
  QVERIFY2(checked.code == 0, checked.out.c_str());
  const Json places = checked.json()["actuators"];
  QCOMPARE(places.size(), std::size_t{2});
  QVERIFY2(places[0]["number"] == 1 && places[0]["moves"] == "m2" && places[0]["model"] == "servo",
           checked.out.c_str());
  QVERIFY2(places[1]["number"] == 2 && places[1]["moves"] == "m1" && places[1]["model"] == "first-order",
           checked.out.c_str());
  QVERIFY(call({"check", "turned.json"}).out.find("1 on m2, 2 on m1") != std::string::npos);

  const Outcome run = call({"run", "turned.json", "--duration", "15", "-o", "a.h5", "--json"});
  QVERIFY2(run.code == 0, run.err.c_str());
  const Json interfaces = run.json()["metrics"]["interfaces"];
  QVERIFY(interfaces[0]["name"] == "m2" && interfaces[1]["name"] == "m1");
  const RunFileReader reader(file("a.h5"));
  const auto reach = [&](const char* channel) {
    double most = 0.0;
    for (const double value : reader.read(std::string("acquisition/") + channel))
      most = std::max(most, std::abs(value));
    return most;
  };
  QVERIFY2(reach("target_1") < 0.5 * reach("target_2"), "the first one is m2, which wall 1 moves less");
  // The first actuator, which is the one that falls short, moves m2.
  QVERIFY2(std::abs(interfaces[0]["amplitude_ratio"].get<double>() - 0.9) < 0.005, interfaces[0].dump().c_str());
  QVERIFY2(std::abs(interfaces[1]["amplitude_ratio"].get<double>() - 1.0) < 0.005, interfaces[1].dump().c_str());
}

void AppTest::runYieldsFiguresWithinTheirBounds() {
  const Outcome run = call({"run", "three-mass", "-o", "a.h5", "--json"});
  QVERIFY2(run.code == 0, run.err.c_str());
  const Json result = run.json();
  QCOMPARE(result["file"].get<std::string>(), std::string("a.h5"));
  QVERIFY(result["complete"].get<bool>() && result["valid"].get<bool>());
  QCOMPARE(result["stop_reason"].get<std::string>(), std::string("completed"));
  QCOMPARE(result["realtime"].get<std::string>(), std::string("free run"));
  QVERIFY(result["ticks"].get<int>() >= 30000);
  QCOMPARE(result["late_ticks"].get<int>(), 0);

  const Outcome metrics = call({"metrics", "a.h5", "--json"});
  QVERIFY2(metrics.code == 0, metrics.err.c_str());
  const Json figures = metrics.json();
  QVERIFY(figures == result["metrics"]);
  QCOMPARE(figures["interfaces"].size(), 2);
  for (const Json& row : figures["interfaces"]) {  // the bounds of the foundation's acceptance
    QVERIFY2(row["tracking_nrmse_percent"].get<double>() < 2.0, row.dump().c_str());
    QVERIFY2(std::abs(row["delay_ms"].get<double>()) < 0.3, row.dump().c_str());
  }
  QVERIFY(call({"metrics", "a.h5"}).out.find("J2, tracking error") != std::string::npos);
  const Outcome whole = call({"recover", "a.h5"});  // nothing to recover
  QVERIFY2(whole.code == 0 && whole.out.find("nothing to recover") != std::string::npos, whole.err.c_str());
}

/// The specimen is a mass between two springs of 9 kN/m, at rest one of 4.5 kN/m from interface to interface: where
/// both move alike it takes up no energy, however far they go.
void AppTest::energyMonitorOfTwoInterfaces() {
  const Outcome run = call({"run", "three-mass", "-o", "a.h5", "--json"});
  QVERIFY2(run.code == 0, run.err.c_str());
  const RunFileReader reader(file("a.h5"));
  std::map<std::string, std::vector<double>> of;
  for (const char* name : {"time", "force_1", "force_2", "target_1", "target_2", "measured_1", "measured_2"})
    of[name] = reader.read(std::string("acquisition/") + name);
  double strain_j = 0.0, added_j = 0.0;
  const std::vector<double>& time_s = of["time"];
  const auto row = [&](double at_s) {
    return static_cast<std::size_t>(std::lower_bound(time_s.begin(), time_s.end(), at_s - 5e-4) - time_s.begin());
  };
  const std::size_t first = row(10.0), last = row(28.0);  // the start of the analysis, that of the soft end
  for (std::size_t k = first; k <= last; ++k) {
    strain_j = std::max(strain_j, 0.5 * 4500.0 * std::pow(of["target_1"][k] - of["target_2"][k], 2));
    if (k == first) continue;
    for (const std::string i : {"1", "2"}) {
      const auto gap = [&](std::size_t at) { return of["measured_" + i][at] - of["target_" + i][at]; };
      added_j -= 0.5 * (of["force_" + i][k] + of["force_" + i][k - 1]) * (gap(k) - gap(k - 1));
    }
  }
  const double found = run.json()["metrics"]["measures"]["hsem_strain"].get<double>();
  QVERIFY2(std::abs(found / (added_j / strain_j) - 1.0) < 1e-9,
           qPrintable(QString("%1 for %2").arg(found, 0, 'g', 12).arg(added_j / strain_j, 0, 'g', 12)));
}

void AppTest::sameProjectAndSeedGiveTheSameBits() {
  const auto data = [&](const char* name, const QStringList& more) {
    const Outcome run = call(QStringList{"run", "three-mass", "-o", name, "--json"} + more);
    std::map<std::string, std::vector<double>> columns;
    if (run.code != 0) return columns;
    const RunFileReader reader(file(name));
    for (const std::string& channel : reader.info().acquisition)
      columns[channel] = reader.read("acquisition/" + channel);
    return columns;
  };
  const auto first = data("a.h5", {}), second = data("b.h5", {"--free-run"}), other = data("c.h5", {"--seed", "2"});
  QVERIFY(first.size() > 10 && first.size() == second.size() && first.size() == other.size());
  for (const auto& [channel, values] : first) {
    QVERIFY(values.size() >= 30000);
    const auto& again = second.at(channel);
    QVERIFY2(
        values.size() == again.size() && std::memcmp(values.data(), again.data(), values.size() * sizeof(double)) == 0,
        channel.c_str());
  }
  QVERIFY(first.at("measured_1") != other.at("measured_1"));
}

void AppTest::whatWasAskedForIsWhatIsRecorded() {
  const Outcome run = call({"run", "three-mass", "-o", "a.h5", "--duration", "12", "--seed", "7", "--set",
                            "/meta/operator=A. Lee", "--set", "/compensation/alpha=0.3", "--json"});
  QVERIFY2(run.code == 0, run.err.c_str());
  const RunFileReader reader(file("a.h5"));
  const Json recorded = Json::parse(reader.projectJson());
  QCOMPARE(recorded["loop"]["duration_s"].get<double>(), 12.0);
  QCOMPARE(recorded["rig"]["seed"].get<int>(), 7);
  QCOMPARE(recorded["compensation"]["alpha"].get<double>(), 0.3);
  QCOMPARE(reader.info().operator_name, std::string("A. Lee"));
  QVERIFY(validate(recorded).empty());
  QVERIFY(reader.info().rows >= 12000 && reader.info().rows < 14000);
}

void AppTest::durationAloneMovesTheFigures() {
  const Outcome run = call({"run", "three-mass", "-o", "a.h5", "--duration", "5", "--json"});
  QVERIFY2(run.code == 0, run.err.c_str());
  QVERIFY(run.err.find("figures start at 2") != std::string::npos);
  QCOMPARE(run.json()["metrics"]["interfaces"].size(), 2);
  QCOMPARE(call({"run", "three-mass", "--duration", "1"}).code, 2);  // no room for soft start and end
}

void AppTest::runFilesAreNamedAfterTitleAndTime() {
  const Outcome run = call({"run", "three-mass", "--duration", "5", "--set", "/recording/folder=runs", "--json"});
  QVERIFY2(run.code == 0, run.err.c_str());
  const std::string name = run.json()["file"].get<std::string>();
  QVERIFY2(name.starts_with("runs/three-masses-two-actuators-20") && name.ends_with(".h5"), name.c_str());
  QVERIFY(fs::exists(file(name.c_str())));
}

void AppTest::limitEndsTheRunWithCodeOne() {
  const Outcome run =
      call({"run", "three-mass", "-o", "a.h5", "--set", "/safety/limits/0/threshold_m=0.0005", "--json"});
  QVERIFY2(run.code == 1, run.err.c_str());
  QVERIFY(!run.json()["complete"].get<bool>());
  QVERIFY(run.json()["stop_reason"].get<std::string>().find("displacement") != std::string::npos);
  const RunFileReader reader(file("a.h5"));
  QVERIFY(!reader.info().live && !reader.info().complete);
  QCOMPARE(reader.info().stop_reason, run.json()["stop_reason"].get<std::string>());
  // One that holds would never end, as nobody can press Resume.
  const Outcome held = call({"run", "three-mass", "-o", "b.h5", "--set", "/safety/limits/0/threshold_m=0.0005", "--set",
                             "/safety/limits/0/action=hold", "--json"});
  QVERIFY2(held.code == 1, held.err.c_str());
  QVERIFY(held.json()["stop_reason"].get<std::string>().find("nobody can resume") != std::string::npos);
  QCOMPARE(call({"replay", "b.h5"}).code, 0);
}

void AppTest::existingFilesAreKept() {
  QFile precious(path("a.h5"));
  QVERIFY(precious.open(QIODevice::WriteOnly) && precious.write("mine") == 4);
  precious.close();
  const Outcome run = call({"run", "three-mass", "-o", "a.h5"});
  QCOMPARE(run.code, 3);
  QVERIFY2(run.err.find("a.h5") != std::string::npos, run.err.c_str());
  QCOMPARE(fs::file_size(file("a.h5")), 4);
  QCOMPARE(call({"metrics", "a.h5"}).code, 3);  // and it is no run file
}

void AppTest::fullDiskEndsInTheSafeState() {
  QProcess process;
  prepare(process, {"run", "three-mass", "--real-time", "--set", "/loop/duration_s=0", "--set",
                    "/recording/flush_s=0.1", "--set", "/safety/limits=[]", "-o", "a.h5", "--json"});
  process.setChildProcessModifier([] {  // fails writes in the same place as a disk that is full
    const rlimit small{600'000, 600'000};
    ::setrlimit(RLIMIT_FSIZE, &small);
  });
  process.start();
  const Outcome run = finished(process);
  QVERIFY2(run.code == 3, run.err.c_str());
  QVERIFY(!run.json()["valid"].get<bool>() && !run.json()["complete"].get<bool>());
  QVERIFY2(run.err.find("a.h5") != std::string::npos, run.err.c_str());
  const RunFileReader reader(file("a.h5"));
  QVERIFY(reader.info().rows > 0 && !reader.info().valid && !reader.info().complete);
}

void AppTest::stopSignals_data() {
  QTest::addColumn<int>("signal");
  QTest::addColumn<int>("times");
  QTest::newRow("Ctrl-C") << SIGINT << 1;
  QTest::newRow("Ctrl-C again and again") << SIGINT << 20;
  QTest::newRow("terminated") << SIGTERM << 1;
  QTest::newRow("terminal closed") << SIGHUP << 1;
}

void AppTest::stopSignals() {
  QFETCH(int, signal);
  QFETCH(int, times);
  QProcess process;
  startEndless(process, "a.h5");
  for (int i = 0; i < times; ++i) test::sendSignal(process, signal);
  const Outcome run = finished(process);
  QVERIFY2(run.code == 0, run.err.c_str());
  QCOMPARE(run.json()["stop_reason"].get<std::string>(), std::string("stopped by the operator"));
  QVERIFY(run.json()["valid"].get<bool>());
  const RunFileReader reader(file("a.h5"));
  QVERIFY(!reader.info().live);
  const Json result = run.json();  // skipped periods have no row
  const auto ticked = result["ticks"].get<std::int64_t>() - result["missed_periods"].get<std::int64_t>();
  QCOMPARE(static_cast<std::int64_t>(reader.info().rows), ticked);
  if (times > 1) return;  // whoever insists gets the rig's safe state without the ramp
  const auto command = reader.read("acquisition/command_1");
  QVERIFY2(std::abs(command.back()) < 1e-6, "the actuators were not brought to rest");
}

void AppTest::killedRunIsRecovered() {
  QProcess process;
  startEndless(process, "a.h5");
  QVERIFY(test::sendSignal(process, SIGKILL));
  process.waitForFinished(hyb::test::kHangs_ms);
  const Outcome recovered = call({"recover", "a.h5", "--json"});
  QVERIFY2(recovered.code == 0, recovered.err.c_str());
  const RunFileReader reader(file("a.h5"));
  QVERIFY(reader.info().recovered && !reader.info().live && reader.info().rows > 0);
  QCOMPARE(reader.info().rows, recovered.json()["rows"].get<std::uint64_t>());
}

void AppTest::replayComparesCommands() {
  QCOMPARE(call({"run", "three-mass", "--duration", "5", "-o", "a.h5"}).code, 0);
  const Outcome same = call({"replay", "a.h5", "-o", "b.h5", "--json"});
  QVERIFY2(same.code == 0, same.err.c_str());
  QVERIFY(same.json()["exact"].get<bool>() && same.json()["first_difference"].is_null());
  QCOMPARE(same.json()["rows"].get<std::uint64_t>(), recordedRows(file("a.h5")));
  QCOMPARE(recordedRows(file("b.h5")), recordedRows(file("a.h5")));
  QCOMPARE(call({"replay", "a.h5", "-o", "b.h5"}).code, 2);  // is kept
  // Files of the project stand beside the run, whatever folder the command is given in.
  fs::create_directory(file("runs"));
  std::ofstream record(file("runs/quake.csv"));
  record << "time_s,acceleration_m_per_s2\n";
  for (int k = 0; k < 300; ++k) record << 0.02 * k << "," << std::sin(0.3 * k) << "\n";
  record.close();
  Json document = templateDocument("benchmark-2020-sample");
  document["excitation"]["signals"] = {{{"name", "quake"},
                                        {"kind", "ground-motion"},
                                        {"file", "quake.csv"},
                                        {"unit", "m/s2"},
                                        {"output", "acceleration"},
                                        {"scale", 0.01}}};
  document["excitation"]["loads"][0]["signal"] = "quake";
  document["loop"]["duration_s"] = 2;
  saveDocument(document, file("runs/wall.json"));
  const Outcome shaken = call({"run", "runs/wall.json", "-o", "runs/shaken.h5"});
  QVERIFY2(shaken.code == 0, shaken.err.c_str());
  const Outcome beside = call({"replay", "runs/shaken.h5"});
  QVERIFY2(beside.code == 0, beside.err.c_str());
  // Elsewhere it knows the folder; where that is gone it says what it lacks and how to name it.
  fs::rename(file("runs/shaken.h5"), file("shaken.h5"));
  QCOMPARE(call({"replay", "shaken.h5"}).code, 0);
  fs::rename(file("runs"), file("moved"));
  const Outcome apart = call({"replay", "shaken.h5"});
  QCOMPARE(apart.code, 2);
  QVERIFY2(apart.err.find("--folder: \"quake.csv\" of the project cannot be found") != std::string::npos,
           apart.err.c_str());
  const Outcome told = call({"replay", "shaken.h5", "--folder", "moved"});
  QVERIFY2(told.code == 0, told.err.c_str());

  const Outcome other = call({"replay", "a.h5", "--set", "/compensation/alpha=0.1"});
  QCOMPARE(other.code, 1);
  QVERIFY2(other.out.find("the first at tick") != std::string::npos, other.out.c_str());
}

/// The control plant of Araya 2023 (section 5.2, tables 5.2 and 5.3), and what its reduction does to it.
void AppTest::plant() {
  const Json report = call({"plant", "force-shear-building", "--frequencies", "5:20:2", "--json"}).json();
  const Json& first = report.at("actuators").at(0);
  QCOMPARE(first.at("poles").size(), 7);
  QCOMPARE(first.at("zeros").size(), 2);
  QVERIFY(std::abs(first.at("gain_at_rest").get<double>() - 0.992069) < 1e-6);
  QVERIFY(std::abs(first.at("reduced").at("gain_at_rest").get<double>() - 0.98599) < 1e-5);
  QCOMPARE(first.at("reduced").at("denominator").size(), 6);
  QCOMPARE(first.at("response").size(), 2);
  QVERIFY(std::abs(first.at("response")[0].at("delay_s").get<double>() - 20.664e-3) < 2e-6);
  QVERIFY(std::abs(first.at("response")[1].at("magnitude").get<double>() - 0.41651) < 1e-5);
  const Json kept = call({"plant", "force-shear-building", "--keep-rest", "--json"}).json().at("actuators").at(0);
  QVERIFY(std::abs(kept.at("reduced").at("gain_at_rest").get<double>() - 0.992069) < 1e-6);
  const Outcome spoken = call({"plant", "force-shear-building"});
  QCOMPARE(spoken.code, 0);
  for (const char* word : {"347.67 Hz", "0.98599 instead of 0.99207 (-0.613 %)", "22.138"})
    QVERIFY2(spoken.out.find(word) != std::string::npos, spoken.out.c_str());
  QVERIFY(call({"plant", "three-mass"}).out.find("zeros, 1/s  none") != std::string::npos);
  QCOMPARE(call({"plant", "force-shear-building", "--frequencies", "0:20:3"}).code, 2);
}

void AppTest::latency() {
  const Outcome outcome = call({"latency", "--rate", "500", "--duration", "0.2", "--json"});
  QVERIFY2(outcome.code == 0, outcome.err.c_str());
  const Json report = outcome.json();
  QCOMPARE(report["rate_hz"].get<double>(), 500.0);
  QVERIFY(report["ticks"].get<int>() + report["missed_periods"].get<int>() >= 100);
  QVERIFY(report["max_us"].get<double>() >= report["median_us"].get<double>());
  QVERIFY(!report["verdict"].get<std::string>().empty() && report["realtime"].contains("refused"));
  QVERIFY(call({"latency", "--duration", "0.1"}).out.find("hardware pacing only") != std::string::npos);
}

void AppTest::windowNeedsADisplay() {
  QProcess process;
  prepare(process, {});
  QProcessEnvironment bare;
  bare.insert("PATH", "/usr/bin");
  process.setProcessEnvironment(bare);
  process.start();
  const Outcome outcome = finished(process);
  QVERIFY(outcome.code == 3 || outcome.code == 2);  // 2: a build without the window
  QVERIFY2(outcome.err.find("use a subcommand") != std::string::npos, outcome.err.c_str());
}

HYB_SUITE(app, AppTest)
#include "app_test.moc"
