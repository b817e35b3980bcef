#include <sys/resource.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>
#include <array>
#include <csignal>
#include <fstream>
#include <sstream>

#include "core/project/files.h"
#include "core/project/migrate.h"
#include "resources/resources.h"
#include "tests/core/project/mutation.h"
#include "tests/support/issues.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
namespace fs = std::filesystem;

namespace {

std::string readFile(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

class FilesTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { folder_ = std::make_unique<QTemporaryDir>(); }
  void namesAreFilesOrTemplates();
  void badFiles_data();
  void badFiles();
  void unreadableFiles();
  void filesThatAreMissing();
  void duplicateKeys();
  void savedProjectsReadBackByteForByte();
  void savingKeepsTheOldFileWhenItFails();
  void savingFollowsLinksAndKeepsPermissions();
  void migrationRunsEveryStepOnce();
  void versionOneKeepsItsExternalProgram();
  void versionsThatCannotBe_data();
  void versionsThatCannotBe();
  void setValues_data();
  void setValues();
  void setValueRefuses_data();
  void setValueRefuses();
  void anotherVariantDropsForeignKeys();

 private:
  fs::path file(const char* name) const { return fs::path(folder_->path().toStdString()) / name; }
  std::unique_ptr<QTemporaryDir> folder_;
};

void FilesTest::namesAreFilesOrTemplates() {
  fs::path folder = "something";
  QVERIFY(loadDocument("three-mass", &folder) == base());
  QVERIFY(folder.empty());
  saveDocument(base(), file("p.json"));
  QVERIFY(loadDocument(file("p.json").string(), &folder) == base());
  QCOMPARE(folder.string(), folder_->path().toStdString());
  QCOMPARE(std::get<LumpedStructure>(loadProject("three-mass").structure.kind).masses.size(), 3);
  const auto issues = issuesOf([] { loadDocument("three-mas"); });
  QVERIFY2(names(issues, "three-mas", "Did you mean \"three-mass\""), qPrintable(listing(issues)));
  QVERIFY_THROWS_EXCEPTION(DeviceError, loadDocument(file("none.json").string()));
  QVERIFY_THROWS_EXCEPTION(DeviceError, loadDocument("none.json"));
}

void FilesTest::badFiles_data() {
  QTest::addColumn<QByteArray>("text");
  QTest::addColumn<QString>("place");  // behind the file's name
  QTest::addColumn<QString>("word");
  QTest::newRow("empty") << QByteArray("") << ":1:1"
                         << "not valid JSON";
  QTest::newRow("comma at the end") << QByteArray("{\n  \"a\": 1,\n}") << ":3:1"
                                    << "not valid JSON";
  QTest::newRow("comma forgotten") << QByteArray("{\"a\": 1\n \"b\": 2}") << ":2:"
                                   << "comma";
  QTest::newRow("cut off") << QByteArray("{\"format\": \"hybridbench-pro") << ":1:"
                           << "not valid JSON";
  QTest::newRow("comment") << QByteArray("// mine\n{}") << ":1:"
                           << "not valid JSON";
  QTest::newRow("binary") << QByteArray("\x89HDF\r\n\x1a\n", 8) << ":1:"
                          << "not valid JSON";
  QTest::newRow("latin 1") << QByteArray(
                                  "{\n\"title\": \"Br\xFC"
                                  "cke\"}")
                           << ":2:"
                           << "UTF-8";
  QTest::newRow("UTF-16") << QByteArray("\xFF\xFE{\0}\0", 6) << ""
                          << "is UTF-16 text";
  QTest::newRow("UTF-16 without its mark") << QByteArray("{\0}\0", 4) << ""
                                           << "is UTF-16 text";
  QTest::newRow("number beyond all bounds") << QByteArray("{\"a\": 1e999}") << ""
                                            << "out of range";
  QTest::newRow("not a number") << QByteArray("{\"a\": NaN}") << ":1:"
                                << "not valid JSON";
  QTest::newRow("a list") << QByteArray("[1, 2]") << ""
                          << "no HybridBench project";
  QTest::newRow("a word") << QByteArray("\"project\"") << ""
                          << "no HybridBench project";
  QTest::newRow("other JSON") << QByteArray("{\"name\": \"x\"}") << ""
                              << "no HybridBench project";
  QTest::newRow("other format") << QByteArray("{\"format\": 3}") << ""
                                << "no HybridBench project";
}

void FilesTest::badFiles() {
  QFETCH(QByteArray, text);
  QFETCH(QString, place);
  QFETCH(QString, word);
  std::ofstream(file("bad.json"), std::ios::binary) << text.toStdString();
  const auto issues = issuesOf([&] { loadDocument(file("bad.json").string()); });
  QCOMPARE(issues.size(), 1);
  const QString where = QString::fromStdString(issues.front().where);
  QVERIFY2(where.startsWith(QString::fromStdString(file("bad.json").string()) + place), qPrintable(listing(issues)));
  QVERIFY2(QString::fromStdString(issues.front().message).contains(word), qPrintable(listing(issues)));
}

void FilesTest::unreadableFiles() {
  std::ofstream(file("deep.json")) << std::string(100000, '[');
  QVERIFY(!issuesOf([&] { loadDocument(file("deep.json").string()); }).empty());
  std::ofstream(file("large.json")) << "{\"a\": \"" << std::string(17u << 20, 'x') << "\"}";
  QVERIFY(names(issuesOf([&] { loadDocument(file("large.json").string()); }), file("large.json").string(), "16 MB"));
  Json many = templateDocument("three-mass");  // objects take a time that grows with the square of their keys
  for (int k = 0; k < 201; ++k) many["loop"]["k" + std::to_string(k)] = k;
  std::ofstream(file("keys.json")) << many.dump();
  QVERIFY(names(issuesOf([&] { loadDocument(file("keys.json").string()); }), "/loop/k192", "exceeds the limit"));
  QVERIFY_THROWS_EXCEPTION(DeviceError, loadDocument("/dev/zero"));
  QVERIFY_THROWS_EXCEPTION(DeviceError, loadDocument(folder_->path().toStdString()));
}

/// Relative paths of files that are to be read, and that are not in the folder.
void FilesTest::filesThatAreMissing() {
  Json document = base();
  QVERIFY(missingFiles(document, folder_->path().toStdString()).empty());
  document["recording"]["folder"] = "runs";  // is written
  document["excitation"]["signals"] = {{{"name", "a"}, {"kind", "ground-motion"}, {"file", "a.csv"}},
                                       {{"name", "b"}, {"kind", "ground-motion"}, {"file", "/nowhere/b.csv"}},
                                       {{"name", "c"}, {"kind", "ground-motion"}, {"file", "c.csv"}}};
  std::ofstream(file("c.csv")) << "0";
  QCOMPARE(missingFiles(document, folder_->path().toStdString()), std::vector<std::string>{"a.csv"});
}

void FilesTest::duplicateKeys() {
  std::ofstream(file("twice.json")) << R"({"format": "hybridbench-project", "loop": {"rate_hz": 1, "rate_hz": 2},
    "list": [{"a": 1}, {"a": 1, "b": 2, "a": 3}], "loop": {}})";
  const auto issues = issuesOf([&] { loadDocument(file("twice.json").string()); });
  QCOMPARE(issues.size(), 3);
  for (const char* where : {"/loop/rate_hz", "/list/1/a", "/loop"}) QVERIFY2(names(issues, where, "twice"), where);
}

void FilesTest::savedProjectsReadBackByteForByte() {
  for (const Resource& resource : resources()) {
    if (!resource.path.starts_with("projects/")) continue;
    const Json document = Json::parse(resource.text);
    saveDocument(document, file("first.json"));
    const Json again = loadDocument(file("first.json").string());
    QVERIFY(again == document);
    saveDocument(again, file("second.json"));
    QVERIFY(readFile(file("first.json")) == readFile(file("second.json")));
    // The built-in projects are written the way the program writes.
    QCOMPARE(QString::fromStdString(readFile(file("first.json"))), QString::fromStdString(std::string(resource.text)));
  }
}

void FilesTest::savingKeepsTheOldFileWhenItFails() {
  saveDocument(base(), file("p.json"));
  const std::string before = readFile(file("p.json"));
  const auto refuses = [&](const Json& document) {
    bool refused = false;
    try {
      saveDocument(document, file("p.json"));
    } catch (const DeviceError& error) {
      refused = std::string(error.what()).find("p.json") != std::string::npos;
    }
    const auto entries = std::distance(fs::directory_iterator(folder_->path().toStdString()), {});
    return refused && readFile(file("p.json")) == before && entries == 1;
  };
  // A disk that fills up half-way: a limit on the file size fails the write in the same place.
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{1000, old.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const bool kept = refuses(mutate(base(), R"([{"set": "/meta/title", "to": "another"}])"));
  setrlimit(RLIMIT_FSIZE, &old);
  QVERIFY(kept);

  QVERIFY_THROWS_EXCEPTION(DeviceError, saveDocument(base(), file("nowhere/p.json")));
  QVERIFY_THROWS_EXCEPTION(DeviceError, saveDocument(base(), folder_->path().toStdString()));
  Json broken = base();
  broken["meta"]["title"] = "\xFF";
  QVERIFY_THROWS_EXCEPTION(InputError, saveDocument(broken, file("p.json")));
  QVERIFY(readFile(file("p.json")) == before);
}

void FilesTest::savingFollowsLinksAndKeepsPermissions() {
  saveDocument(base(), file("p.json"));
  fs::permissions(file("p.json"), fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  fs::create_symlink("p.json", file("link.json"));
  saveDocument(mutate(base(), R"([{"set": "/meta/title", "to": "another"}])"), file("link.json"));
  QVERIFY(fs::is_symlink(file("link.json")));
  QCOMPARE(loadDocument(file("p.json").string())["meta"]["title"].get<std::string>(), std::string("another"));
  QVERIFY(fs::status(file("p.json")).permissions() ==
          (fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read));
}

void FilesTest::migrationRunsEveryStepOnce() {
  static constexpr std::array<MigrationStep, 2> kSteps = {
      [](Json& document) { document["loop"]["rate_hz"] = 1e3 * document["loop"]["rate_khz"].get<double>(); },
      [](Json& document) { document["loop"].erase("rate_khz"); },
  };
  Json oldest = Json::parse(R"({"version": 1, "loop": {"rate_khz": 2}})");
  migrate(oldest, kSteps);
  QVERIFY(oldest == Json::parse(R"({"version": 3, "loop": {"rate_hz": 2000.0}})"));
  Json middle = Json::parse(R"({"version": 2, "loop": {"rate_khz": 2, "rate_hz": 5}})");
  migrate(middle, kSteps);
  QVERIFY(middle == Json::parse(R"({"version": 3, "loop": {"rate_hz": 5}})"));
  Json newest = Json::parse(R"({"version": 3})");
  migrate(newest, kSteps);
  QVERIFY(newest == Json::parse(R"({"version": 3})"));
}

/// In version 1 a program that computes elsewhere was an integrator.
void FilesTest::versionOneKeepsItsExternalProgram() {
  Json document = mutate(base(), R"([{"set": "/version", "to": 1}, {"set": "/integrator", "to":
      {"scheme": "external", "site": {"listen": "tcp:8090", "ramp_ticks": 7, "length_factor": 0.001, "force_factor": 1000,
       "time_factor": 1, "stiffness_n_per_m": [1, 0, 0, 1]}}}])");
  document["integrator"]["site"]["listen"] = "tcp://127.0.0.1:8090";
  migrate(document);
  const Project project = parseProject(document);
  QVERIFY(project.coupling->site() != nullptr);
  QVERIFY(project.document.at("coupling").at("ramp_ticks") == 7);
  QCOMPARE(project.coupling->site()->force_factor, 1000.0);
  QVERIFY(!document.contains("integrator"));

  Json ordinary = mutate(base(), R"([{"set": "/version", "to": 1}])");
  migrate(ordinary);
  QVERIFY(ordinary == base());
  for (const char* odd : {R"({"version": 1, "integrator": 3})", R"({"version": 1, "integrator": {"scheme": []}})",
                          R"({"version": 1, "integrator": {"scheme": "external", "site": "here"}})"}) {
    Json broken = Json::parse(odd);
    migrate(broken);
    QVERIFY(!validate(broken).empty());
  }
}

void FilesTest::versionsThatCannotBe_data() {
  QTest::addColumn<QString>("version");
  QTest::addColumn<QString>("word");
  QTest::newRow("newer") << "3"
                         << "newer HybridBench";
  QTest::newRow("far newer") << "1e300"
                             << "newer HybridBench";
  QTest::newRow("zero") << "0"
                        << "whole number";
  QTest::newRow("negative") << "-1"
                            << "whole number";
  QTest::newRow("fraction") << "1.5"
                            << "whole number";
  QTest::newRow("text") << "\"1\""
                        << "whole number";
  QTest::newRow("null") << "null"
                        << "whole number";
  QTest::newRow("missing") << ""
                           << "is missing";
}

void FilesTest::versionsThatCannotBe() {
  QFETCH(QString, version);
  QFETCH(QString, word);
  Json document = base();
  if (version.isEmpty())
    document.erase("version");
  else
    document["version"] = Json::parse(version.toStdString());
  const auto issues = issuesOf([&] { migrate(document); });
  QVERIFY2(names(issues, "/version", word.toStdString()), qPrintable(listing(issues)));
}

void FilesTest::setValues_data() {
  QTest::addColumn<QString>("assignment");
  QTest::addColumn<QString>("pointer");
  QTest::addColumn<QString>("value");
  QTest::newRow("number") << "/loop/duration_s=25"
                          << "/loop/duration_s"
                          << "25";
  QTest::newRow("optional key") << "/loop/measured_from_s=3"
                                << "/loop/measured_from_s"
                                << "3";
  QTest::newRow("list entry") << "/structure/masses/1/mass_kg=2.5"
                              << "/structure/masses/1/mass_kg"
                              << "2.5";
  QTest::newRow("whole list") << "/compensation/gain=[1, 1.1]"
                              << "/compensation/gain"
                              << "[1, 1.1]";
  QTest::newRow("text") << "/meta/operator=A. Lee"
                        << "/meta/operator"
                        << "\"A. Lee\"";
  QTest::newRow("text in quotes") << "/meta/operator=\"A=B\""
                                  << "/meta/operator"
                                  << "\"A=B\"";
  QTest::newRow("text that looks like a number") << "/meta/operator=7"
                                                 << "/meta/operator"
                                                 << "\"7\"";
  QTest::newRow("empty text") << "/recording/folder="
                              << "/recording/folder"
                              << "\"\"";
  QTest::newRow("flag") << "/loop/lock_memory=false"
                        << "/loop/lock_memory"
                        << "false";
}

void FilesTest::setValues() {
  QFETCH(QString, assignment);
  QFETCH(QString, pointer);
  QFETCH(QString, value);
  Json document = base();
  setValue(document, assignment.toStdString());
  QVERIFY(document.at(Json::json_pointer(pointer.toStdString())) == Json::parse(value.toStdString()));
  QVERIFY2(validate(document).empty(), qPrintable(listing(validate(document))));

  Json sparse = mutate(base(), R"([{"drop": "/analysis"}])");  // a section that is not there yet is made
  setValue(sparse, "/analysis/start_s=4");
  QVERIFY(sparse["analysis"] == Json::parse(R"({"start_s": 4})"));
}

void FilesTest::setValueRefuses_data() {
  QTest::addColumn<QString>("assignment");
  QTest::addColumn<QString>("word");
  QTest::newRow("no pointer") << "loop/rate_hz=5"
                              << "/pointer=VALUE";
  QTest::newRow("no value") << "/loop/rate_hz"
                            << "/pointer=VALUE";
  QTest::newRow("empty") << ""
                         << "/pointer=VALUE";
  QTest::newRow("misspelt") << "/loop/rate=5"
                            << "Did you mean \"rate_hz\"";
  QTest::newRow("unknown section") << "/lop/rate_hz=5"
                                   << "\"loop\"";
  QTest::newRow("beyond the list") << "/structure/masses/3/mass_kg=1"
                                   << "which has 3";
  QTest::newRow("list by name") << "/structure/masses/m1/mass_kg=1"
                                << "not an entry";
  QTest::newRow("inside a number") << "/loop/rate_hz/x=1"
                                   << "no members";
  QTest::newRow("key of another variant") << "/safety/limits/0/threshold_n=1"
                                          << "threshold_m";
  QTest::newRow("bad escape") << "/loop/~2=1"
                              << "malformed";
  QTest::newRow("huge number") << "/loop/rate_hz=1e999"
                               << "out of range";
  QTest::newRow("twice") << "/analysis={\"start_s\": 1, \"start_s\": 2}"
                         << "twice";
}

void FilesTest::setValueRefuses() {
  QFETCH(QString, assignment);
  QFETCH(QString, word);
  Json document = base();
  const auto issues = issuesOf([&] { setValue(document, assignment.toStdString()); });
  QCOMPARE(issues.size(), 1);
  QVERIFY2(QString::fromStdString(issues.front().message).contains(word), qPrintable(listing(issues)));
  QVERIFY(document == base());
}

void FilesTest::anotherVariantDropsForeignKeys() {
  Json document = base();
  setValue(document, "/compensation/method=none");
  QVERIFY(document["compensation"] == Json::parse(R"({"method": "none"})"));
  setValue(document, "/rig/actuators/0/model=ideal");
  QVERIFY(!document["rig"]["actuators"][0].contains("natural_frequency_hz"));
  QVERIFY(document["rig"]["actuators"][0].contains("stroke_m"));
  QVERIFY2(validate(document).empty(), qPrintable(listing(validate(document))));
  setValue(document, "/excitation/signals/0/kind=no-such-kind");  // kept as it is; validate() names it
  QVERIFY(document["excitation"]["signals"][0].contains("amplitude_m"));
}

HYB_SUITE(project_files, FilesTest)
#include "files_test.moc"
