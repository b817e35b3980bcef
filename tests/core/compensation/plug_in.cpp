#include "core/compensation/plug_in.h"

#include <filesystem>
#include <fstream>

#include "core/base/allocation_guard.h"
#include "core/base/json.h"
#include "core/base/numbers.h"
#include "tests/support/accepted_plug_ins.h"
#include "tests/support/issues.h"
#include "tests/support/paths.h"
#include "tests/support/suite.h"

using namespace hyb;
using namespace hyb::test;
namespace fs = std::filesystem;

namespace {

constexpr double kPlugInTick_s = 1e-3;

CompensationMethodPtr loaded(const Json& settings, const fs::path& folder = kPlugIns) {
  Checks checks;
  const CompensationMethodPtr method = parsePlugIn(settings, {{1}, kPlugInTick_s, folder}, checks);
  checks.throwIfAny();
  return loadedMethod(method);
}
std::vector<Issue> faultsOf(const Json& settings, const fs::path& folder = kPlugIns) {
  return issuesOf([&] { loaded(settings, folder); });
}
std::vector<Issue> trialOf(const char* library) {
  const CompensationMethodPtr method = loaded({{"library", library}});
  return issuesOf([&] { method->tryOut(); });
}

}  // namespace

class PlugInTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void exampleDoesWhatItSays() {
    const CompensationMethodPtr method = loaded({{"library", "lead.so"}, {"parameters", {0.02}}});
    method->tryOut();
    QCOMPARE(method->lead_s(0), 0.02);
    QCOMPARE(method->taps(0), (std::vector<double>{21.0, -20.0}));
    const auto compensator = method->make();
    QCOMPARE(compensator->tunables().at(0).name, std::string("lead"));
    QCOMPARE(compensator->tunables().at(0).value, 0.02);
    QCOMPARE(compensator->tunables().at(1).value, 1.0);  // left out: the library's own
    QCOMPARE(compensator->adapted().at(0).name, std::string("lead_1"));
    // The specimen is behind by 30 ms: that is what it learns.
    InterfaceState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    double lead_s = 0.0;
    for (int k = 0; k < 20000; ++k) {
      const double t_s = k * kPlugInTick_s;
      state.target[0] = 0.1 * std::sin(t_s);
      state.measured[0] = 0.1 * std::sin(t_s - 0.03 + lead_s);
      compensator->update(state, command);
      compensator->readAdapted({&lead_s, 1});
    }
    QVERIFY2(std::abs(lead_s - 0.03) < 1e-3, qPrintable(QString::number(lead_s)));
  }

  void oneThatIsNoneIsASentence() {
    EXPECT_ISSUE(faultsOf({{"library", "nowhere.so"}}), "/library", "cannot be read");
    EXPECT_ISSUE(faultsOf({{"library", "."}}), "/library", "cannot be read");
    EXPECT_ISSUE(faultsOf({{"library", "CMakeLists.txt"}}, fs::path(kSourceDir)), "/library",
                 "is not a shared library");
    EXPECT_ISSUE(faultsOf({{"library", "newer.so"}}), "/compensation/library", "version 3 of the interface");
    EXPECT_ISSUE(faultsOf({{"library", "half_learnt.so"}}), "/compensation/library",
                 "contains only some of learnt_count");
    EXPECT_ISSUE(faultsOf({{"library", "learns_too_much.so"}}), "/compensation/library", "learns 4294967295 numbers");
    EXPECT_ISSUE(faultsOf({{"library", "incomplete.so"}}), "/compensation/library", "does not contain all of");
    EXPECT_ISSUE(faultsOf({{"library", "nameless.so"}}), "/compensation/library", "parameter 1");
    EXPECT_ISSUE(faultsOf({{"library", "refuses.so"}}), "/compensation/library", "it wants a tick of 2 ms");
    EXPECT_ISSUE(faultsOf({{"library", "lead.so"}, {"parameters", {0.5}}}), "/compensation/parameters/0",
                 "between 0 and 0.1 s");
    EXPECT_ISSUE(faultsOf({{"library", "lead.so"}, {"parameters", {0.01, 0.0, 1.0}}}), "/compensation/parameters",
                 "takes 2");
    QTemporaryDir folder;
    const fs::path huge = folder.filePath("huge.so").toStdString();
    std::ofstream(huge) << "\x7f"
                           "ELF";
    fs::resize_file(huge, std::uintmax_t{1} << 36U);  // holes: none of it is read
    EXPECT_ISSUE(faultsOf({{"library", "huge.so"}}, huge.parent_path()), "/library", "is not a shared library");
    const fs::path half = fs::path(folder.path().toStdString()) / "half.so";
    fs::copy_file(fs::path(kPlugIns) / "lead.so", half);
    fs::resize_file(half, 100);
    EXPECT_ISSUE(faultsOf({{"library", "half.so"}}, half.parent_path()), "/compensation/library", "cannot be loaded");
  }

  void trialRefusesWhatMustNotComeIntoTheTick() {
    EXPECT_ISSUE(trialOf("slow.so"), "/compensation/library", "the limit is 100 µs");
    EXPECT_ISSUE(trialOf("no_number.so"), "/compensation/library", "returns a value that is not a number");
    EXPECT_ISSUE(trialOf("keeps_no_number.so"), "/compensation/library", "does not recover");
    EXPECT_ISSUE(trialOf("forgets.so"), "/compensation/library", "differently after its learnt values");
    if (!AllocationGuard::active()) HYB_SKIP("a sanitizer owns the allocator");
    EXPECT_ISSUE(trialOf("allocates.so"), "/compensation/library", "allocates memory inside the tick");
  }

  /// The parse names the file and its SHA-256; nothing of the library runs, and what it would say is left out.
  void parsedItIsNamedAndNotRun() {
    const QTemporaryDir marked;
    const QByteArray mark = marked.filePath("mark").toUtf8();
    qputenv("HYB_TEST_MARK", mark);
    Checks checks;
    const CompensationMethodPtr method = parsePlugIn({{"library", "marks.so"}}, {{1}, kPlugInTick_s, kPlugIns}, checks);
    checks.throwIfAny();
    const std::vector<PlugInFile> named = method->notLoaded();
    QCOMPARE(named.size(), std::size_t{1});
    QCOMPARE(named[0].sha256.size(), std::size_t{64});
    QVERIFY(method->taps(0).empty() && method->lead_s(0) == 0.0 && method->acts());
    QVERIFY(leftOutWords(*method).find("\"marks.so\" is not loaded here") != std::string::npos);
    QVERIFY(method->remarks().at(0).find("marks.so, SHA-256 " + named[0].sha256.substr(0, 16)) != std::string::npos);
    EXPECT_ISSUE(issuesOf([&] { method->make(); }), "/compensation/library", "is not loaded here");
    QVERIFY(!QFile::exists(mark));
    const CompensationMethodPtr loaded = loadedMethod(method);
    QVERIFY(QFile::exists(mark));
    QVERIFY(loaded->notLoaded().empty() && leftOutWords(*loaded).empty());
    QVERIFY(loaded->make());
    qunsetenv("HYB_TEST_MARK");
  }

  void acceptedOnceItIsKeptByItsSha256() {
    const QTemporaryDir settings;
    const QByteArray before = qgetenv("XDG_CONFIG_HOME");
    qputenv("XDG_CONFIG_HOME", settings.path().toUtf8());
    const PlugInFile one{"/somewhere/one\n.so", std::string(64, 'a')}, other{"/somewhere/one.so", std::string(64, 'b')};
    QVERIFY(!isAccepted(one));
    acceptPlugIn(one);
    acceptPlugIn(one);
    QVERIFY(isAccepted(one) && !isAccepted(other));
    QFile list(QString::fromStdString(acceptedPlugInsFile().string()));
    QVERIFY(list.open(QIODevice::ReadOnly));
    QCOMPARE(list.readAll(), QByteArray(64, 'a') + "  /somewhere/one?.so\n");
    // What others may write is no word of this user.
    QFile::copy(list.fileName(), settings.filePath("copy"));
    QFile written(list.fileName());
    QVERIFY(written.open(QIODevice::Append));
    written.write(QByteArray(64, 'b') + "  x\n");
    written.close();
    QVERIFY(isAccepted(other));
    written.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::WriteOther);
    QVERIFY(!isAccepted(other));
    qputenv("XDG_CONFIG_HOME", before);
  }

  /// Each is named as what it is, by the library's name, and never shows as a command that is no number.
  void whatItDoesWrongIsNamed_data() {
    QTest::addColumn<QString>("library");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("command") << "late_no_number.so"
                             << "returned a command that is not a number (interface 1)";
    QTest::newRow("rate") << "late_no_number_rate.so"
                          << "returned a command rate that is not a number (interface 1)";
    QTest::newRow("exception") << "throws.so"
                               << "threw a C++ exception out of update()";
    QTest::newRow("30 ms") << "late_slow.so"
                           << "is too slow";
  }
  void whatItDoesWrongIsNamed() {
    QFETCH(QString, library);
    QFETCH(QString, sentence);
    acceptPlugIns();
    Checks checks;
    const auto watch = std::make_shared<PlugInWatch>();
    const auto compensator = parsePlugIn({{"library", library.toStdString()}}, {{1}, kPlugInTick_s, kPlugIns}, checks)
                                 ->loaded(watch)
                                 ->make();
    InterfaceState state{Eigen::VectorXd::Ones(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    for (int k = 0; k < 5000 && !watch->failed(); ++k) {
      compensator->update(state, command);
      QVERIFY(command.position[0] == 1.0 && std::isfinite(command.rate[0]));
    }
    const std::string said = watch->sentence();
    QVERIFY2(said.find(library.toStdString() + "\" " + sentence.toStdString()) != std::string::npos, said.c_str());
  }

  void aReadingThatIsNoNumberIsNotItsFault() {
    acceptPlugIns();
    Checks checks;
    const auto watch = std::make_shared<PlugInWatch>();
    const auto compensator =
        parsePlugIn({{"library", "keeps_no_number.so"}}, {{1}, kPlugInTick_s, kPlugIns}, checks)->loaded(watch)->make();
    InterfaceState state{Eigen::VectorXd::Ones(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, kNoValue)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    compensator->update(state, command);
    QVERIFY(std::isnan(command.position[0]) && !watch->failed());
  }

  void learntIsPutBackIntoAnother() {
    const CompensationMethodPtr method = loaded({{"library", "lead.so"}});
    const auto taught = method->make(), fresh = method->make();
    QCOMPARE(taught->learnt(), std::size_t{1});
    InterfaceState state{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)}, other = command;
    double lead_s = 0.0, learnt = 0.0, before = 0.0;
    taught->readLearnt({&before, 1});
    QCOMPARE(before, 0.01);  // the parameter to start from
    for (int k = 0; k < 1000; ++k) {
      state.target[0] = 0.1 * std::sin(k * kPlugInTick_s);
      state.measured[0] = 0.1 * std::sin(k * kPlugInTick_s - 0.03);
      taught->update(state, command);
    }
    taught->readAdapted({&lead_s, 1});
    taught->readLearnt({&learnt, 1});
    QVERIFY(learnt == lead_s && learnt > 0.011);
    fresh->setLearnt({&learnt, 1});
    taught->restart();
    for (int k = 0; k < 100; ++k) {
      state.target[0] = 0.1 * std::sin(k * kPlugInTick_s);
      state.measured[0] = 0.9 * state.target[0];
      taught->update(state, command);
      fresh->update(state, other);
      QVERIFY(command.position[0] == other.position[0]);
    }
    fresh->reset();
    fresh->readLearnt({&learnt, 1});
    QCOMPARE(learnt, 0.01);
  }

  void oneOfTheFirstVersionHasNothingToPutBack() {
    const CompensationMethodPtr method = loaded({{"library", "first.so"}});
    method->tryOut();
    QCOMPARE(method->make()->learnt(), std::size_t{0});
  }

  void builtAnewWhileItRunsItIsAnother() {
    QTemporaryDir folder;
    const fs::path file = fs::path(folder.path().toStdString()) / "mine.so";
    fs::copy_file(fs::path(kPlugIns) / "lead.so", file);
    const CompensationMethodPtr before = loaded({{"library", "mine.so"}}, file.parent_path());
    const auto running = before->make();
    std::ofstream(file, std::ios::trunc) << "half written";  // in place, as linkers do
    InterfaceState state{Eigen::VectorXd::Ones(1), Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    Command command{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
    running->update(state, command);
    QCOMPARE(command.position[0], 1.0);
    fs::remove(file);
    fs::copy_file(fs::path(kPlugIns) / "slow.so", file);
    const CompensationMethodPtr after = loaded({{"library", "mine.so"}}, file.parent_path());
    QCOMPARE(before->provenance().at(0), after->provenance().at(0));
    QVERIFY(before->provenance().at(1) != after->provenance().at(1));
    QCOMPARE(after->provenance().at(1).first, std::string("compensation_library_sha256"));
    QCOMPARE(after->provenance().at(1).second.size(), std::size_t{64});
  }
};

HYB_SUITE(plug_in, PlugInTest)
#include "plug_in.moc"
