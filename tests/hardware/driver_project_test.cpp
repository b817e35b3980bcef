/// Drivers as plug-ins in a project: what `check` says of the library, its settings and its channels, none of whose
/// code runs; the block of the help page; and a recorded test whose library is gone.
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "core/base/elf.h"
#include "core/project/files.h"
#include "core/project/project.h"
#include "core/project/schema.h"
#include "core/rig/driver_protocol.h"
#include "resources/resources.h"
#include "tests/support/driver_rig.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;

namespace {

QString builtDriver(const char* name) { return QLatin1String(kPlugIns) + QLatin1Char('/') + QLatin1String(name); }

/// Three-mass with the block of the help page, whose library is the worked example.
Json driverProject() {
  const std::string page(resourceText("help/connection/driver.md"));
  const std::size_t start = page.find("\"use\": \"rig\""), end = page.find("\n```", start);
  Json document = templateDocument("three-mass");
  document["rig"].update(Json::parse("{" + page.substr(start, end - start) + "}"));
  document["rig"]["connection"]["library"] = builtDriver("actuator.so").toStdString();
  return document;
}

std::string issuesOf(const Json& document, const std::filesystem::path& folder = {}) {
  std::string text;
  for (const Issue& issue : validate(document, folder)) text += issue.where + ": " + issue.message + "\n";
  return text;
}

}  // namespace

class DriverProjectTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void theBlockOfTheHelpPageIsSound() {
    QCOMPARE(issuesOf(driverProject()), std::string());
    const Project project = parseProject(driverProject());
    const auto& spec = settingsOf<DriverSpec>(project.rig.connection.protocol.get());
    QVERIFY(spec.own_process && spec.driver);
    QCOMPARE(spec.driver->description->title, std::string("First-order actuator"));
    QCOMPARE(spec.channels[0], std::string("command0"));
    QCOMPARE(completeSettings(spec).dump(), std::string(R"({"lag_s":0.005,"stiffness_n_per_m":1000})"));
    QCOMPARE(project.rig.connection.address, "driver " + builtDriver("actuator.so").toStdString());
    QCOMPARE(project.rig.connection.protocol->libraries().size(), std::size_t{1});
    QVERIFY(project.rig.connection.protocol->missingStop().empty());
  }

  void relativePathsStartAtTheProject() {
    const QTemporaryDir folder;
    QVERIFY(QFile::copy(builtDriver("actuator.so"), folder.filePath(QStringLiteral("mine.so"))));
    Json document = driverProject();
    document["rig"]["connection"]["library"] = "mine.so";
    QCOMPARE(issuesOf(document, folder.path().toStdString()), std::string());
    QVERIFY(tells(issuesOf(document, "/nowhere"), "/rig/connection/library: \"/nowhere/mine.so\" cannot be read"));
    QVERIFY(missingFiles(document, "/nowhere") == std::vector<std::string>{"mine.so"});
    document["rig"]["use"] = "twin";  // runs on any computer
    QCOMPARE(issuesOf(document, "/nowhere"), std::string());
  }

  void everyFaultHasARemedy_data() {
    QTest::addColumn<QString>("place");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QString>("said");
    const auto row = [](const char* place, const QByteArray& value, const char* said) {
      QTest::newRow(said) << place << value << said;
    };
    const auto library = [&](const char* name, const char* said) {
      row("/connection/library", '"' + builtDriver(name).toUtf8() + '"', said);
    };
    library("no.so", "no.so\" cannot be read; give the path of the library");
    library("lead.so", "is not a driver: it exports no HYBRIDBENCH_DRIVER_DESCRIPTION; see the help on drivers");
    library("newer_driver.so",
            "is built for version 99 of the driver interface, but this program supports 1; build it with the header");
    row("/connection/settings/lag_s", "2",
        "/rig/connection/settings/lag_s: is 2 s, which is too large; give a number of at least 0 and at most 1 s");
    row("/connection/settings/lag_s", "\"slow\"",
        "/rig/connection/settings/lag_s: is the text \"slow\"; give a number");
    row("/connection/settings/lagg_s", "0.1",
        "/rig/connection/settings/lagg_s: \"lagg_s\" is not known here. Did you mean \"lag_s\"? Known are \"lag_s\" "
        "and");
    row("/channels/0/driver_channel", "\"command7\"",
        "/rig/channels/0/driver_channel: the driver \"First-order actuator\" has no output \"command7\"; give one of "
        "its "
        "outputs: \"command0\" and \"command1\".");
    row("/channels/0/driver_channel", "\"force1\"",
        "\"force1\" is an input of the driver, but this channel is an output; give one of its outputs: \"command0\"");
    row("/channels/1/driver_channel", "\"command0\"",
        "output \"command0\" of the driver belongs to \"u1\" already; give each output its own.");
    row("/channels/0/units", "\"V\"",
        "/rig/channels/0/units: is \"V\", but the driver gives \"command0\" in m; enter that");
    row("/channels/0/raw_min", "0.05",
        "/rig/channels/0/raw_min: is 0.05 m; the driver limits this output to 0.05 m; enter a lower one.");
    row("/channels", "[]", "/rig/channels: is missing; this protocol needs a list of the values to set and to query.");
    row("/connection/address", "\"tcp://10.0.0.5:1\"", "/rig/connection/address: \"address\" is not known here.");
  }
  void everyFaultHasARemedy() {
    QFETCH(QString, place);
    QFETCH(QByteArray, value);
    QFETCH(QString, said);
    Json document = driverProject();
    document[Json::json_pointer("/rig" + place.toStdString())] = Json::parse(value.toStdString());
    const std::string issues = issuesOf(document);
    QVERIFY2(tells(issues, said.toStdString()), issues.c_str());
  }

  /// The bytes of the header of the file name the computer.
  void aLibraryOfAnotherComputerIsNamed() {
    QFile file(builtDriver("actuator.so"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray own = file.readAll();
    const auto saying = [](QByteArray bytes, qsizetype at, char value) {
      bytes[at] = value;
      return elfFault({bytes.constData(), static_cast<std::size_t>(bytes.size())});
    };
    constexpr qsizetype kClass = 4, kOrder = 5, kType = 16, kMachine = 18;
    QCOMPARE(elfFault({own.constData(), static_cast<std::size_t>(own.size())}), std::string());
    const bool arm = own[kMachine] == char(183);
    QVERIFY(tells(saying(own, kMachine, arm ? 62 : char(183)),
                  arm ? "is built for x86-64, but" : "is built for AArch64, but"));
    QCOMPARE(saying(own, kClass, 1), std::string("is built for 32 bits, but this program has 64"));
    QCOMPARE(saying(own, kOrder, 2), std::string("is built for a computer with another byte order"));
    QCOMPARE(saying(own, kType, 2), std::string("is not a shared library"));
    QCOMPARE(elfFault("\x7f"
                      "ELF"),
             std::string("is not a shared library"));
  }

  /// A file that is cut off, or has bytes turned, gives no description or that of the whole file.
  void damagedFilesAreRead() {
    QFile file(builtDriver("actuator.so"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const std::string own = file.readAll().toStdString();
    const auto whole = elfConstant(own, "hybridbench_driver_description");
    QVERIFY(whole && tells(std::string(*whole), "First-order actuator"));
    QVERIFY(!elfConstant(own, "hybridbench_driver_descriptio"));
    for (std::size_t size = 0; size < own.size(); size += 97)
      if (const auto part = elfConstant(std::string_view(own).substr(0, size), "hybridbench_driver_description"))
        QVERIFY(*part == *whole);
    std::uint32_t seed = 1;
    const auto any = [&seed] { return (seed = 1664525 * seed + 1013904223) >> 8; };
    for (int k = 0; k < 2000; ++k) {
      std::string bytes = own;
      for (int b = 0; b < 4; ++b) {
        const bool headers = any() % 2 == 0;
        const std::size_t at = headers ? any() % 1000 : bytes.size() - 1 - any() % 2000;
        bytes[at] = static_cast<char>(any());
      }
      const auto part = elfConstant(bytes, "hybridbench_driver_description");
      QVERIFY(!part || (part->data() >= bytes.data() && part->data() + part->size() <= bytes.data() + bytes.size()));
    }
  }

  void descriptionsAreChecked_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("said");
    const auto row = [](const QByteArray& text, const char* said) { QTest::newRow(said) << text << said; };
    const auto setting = [&](const QByteArray& fields, const char* said) {
      row(R"({"title": "T", "settings": {"a": {"title": "A", "description": "D", )" + fields +
              R"(}}, "channels": [{"name": "x", "direction": "input"}]})",
          said);
    };
    const auto channel = [&](const QByteArray& fields, const char* said) {
      row(R"({"title": "T", "channels": [)" + fields + "]}", said);
    };
    row("{", "it is not valid JSON");
    row("[]", "it is not an object in { }");
    row(R"({"channels": []})", "it needs \"title\", a text in quotes");
    row(R"({"title": "T"})", "it needs a list of \"channels\"");
    row(R"({"title": "T", "colour": 1, "channels": []})", "it has the key \"colour\", which is not known; known are");
    setting(R"("type": "object", "default": {})", "setting a has the type \"object\"; possible are \"number\"");
    setting(R"("type": "number")", "setting a needs a \"default\"");
    setting(R"("type": "number", "default": 3, "maximum": 2)", "setting a has a \"default\" outside its bounds");
    setting(R"("type": "integer", "default": 1.5)", "setting a has a \"default\" that is not a whole number");
    setting(R"("type": "number", "default": "1")", "setting a needs a number as \"default\"");
    setting(R"("type": "number", "default": 1, "enum": ["b"])", "setting a has \"enum\", which belongs to texts");
    setting(R"("type": "string", "default": "c", "enum": ["b"])", "\"default\" that its \"enum\" does not contain");
    setting(R"("type": "string", "default": "b", "enum": ["b"], "x-enum-titles": [])",
            "a list of texts as \"x-enum-titles\"");
    setting(R"("type": "boolean", "default": 1)", "setting a needs true or false as \"default\"");
    setting(R"("type": "boolean", "default": true, "minimum": 0)",
            "setting a has \"minimum\", which belongs to numbers");
    channel(R"({"name": "x y", "direction": "input"})", "channel 1 has a name with characters other than");
    channel(R"({"name": "x", "direction": "both"})", "channel 1 needs \"output\" or \"input\" as \"direction\"");
    channel(R"({"name": "x", "direction": "input", "min": 1, "max": 1})",
            "channel 1 needs a \"max\" above its \"min\"");
    channel(R"({"name": "x", "direction": "input", "count": 0})", "channel 1 needs a whole number from 1 to 1000");
    channel(R"({"name": "x", "direction": "input", "count": 2}, {"name": "x1", "direction": "output"})",
            "channel 2 is called x1, as another one is");
  }
  void descriptionsAreChecked() {
    QFETCH(QByteArray, text);
    QFETCH(QString, said);
    Checks checks;
    QVERIFY(!parseDescription(text.toStdString(), "\"card.so\" ", "/here", checks));
    try {
      checks.throwIfAny();
      QFAIL("no fault");
    } catch (const InputError& error) {
      QCOMPARE(error.issues().front().where, std::string("/here"));
      const std::string& message = error.issues().front().message;
      QVERIFY2(tells(message, "\"card.so\" has a description that cannot be used: "), message.c_str());
      QVERIFY2(tells(message, said.toStdString()), message.c_str());
    }
  }

  /// `--set` and studies reach what the driver describes.
  void settingsCanBeSet() {
    Json document = driverProject();
    setValue(document, "/rig/connection/settings/lag_s=0.25");
    QCOMPARE(document["rig"]["connection"]["settings"]["lag_s"], Json(0.25));
    QCOMPARE(issuesOf(document), std::string());
    document["rig"]["connection"].erase("settings");
    QCOMPARE(issuesOf(document), std::string());
  }

  void aRecordedTestNeedsNoDriver() {
    Json document = driverProject();
    document["rig"]["connection"]["library"] = "/nowhere/gone.so";
    document["rig"]["connection"]["delay_s"] = 0.003;
    QVERIFY(!validate(document).empty());
    const Project project = parseRecorded(document);
    QCOMPARE(project.rig.connection.delay_s, 0.003);
    QVERIFY(project.rig.use == RigUse::rig && project.document == document);
    QVERIFY(withoutDriver(templateDocument("three-mass")) == templateDocument("three-mass"));
  }

  /// The window asks often.
  void aRebuiltFileIsReadAgain() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("card.so"));
    const auto title = [&] {
      const DriverDescription* known = knownDescription(file.toStdString());
      return known ? known->title : std::string();
    };
    QCOMPARE(title(), std::string());
    QVERIFY(QFile::copy(builtDriver("actuator.so"), file));
    QCOMPARE(title(), std::string("First-order actuator"));
    QVERIFY(knownDescription(file.toStdString()) == knownDescription(file.toStdString()));
    QVERIFY(QFile::remove(file) && QFile::copy(builtDriver("faulty.so"), file));
    QCOMPARE(title(), std::string("Faulty"));
  }
};

HYB_SUITE(driver_project, DriverProjectTest)
#include "driver_project_test.moc"
