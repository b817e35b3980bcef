#include "core/compensation/plug_in.h"

#include <filesystem>
#include <fstream>

#include "core/allocation_guard.h"
#include "core/json.h"
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
  CompensationMethodPtr method = parsePlugIn(settings, {{1}, kPlugInTick_s, folder}, checks);
  checks.throwIfAny();
  return method;
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
    EXPECT_ISSUE(faultsOf({{"library", "CMakeLists.txt"}}, fs::path(kSourceDir)), "/library", "is no shared library");
    EXPECT_ISSUE(faultsOf({{"library", "newer.so"}}), "/library", "version 3 of the interface");
    EXPECT_ISSUE(faultsOf({{"library", "half_learnt.so"}}), "/library", "leaves out one of learnt_count");
    EXPECT_ISSUE(faultsOf({{"library", "learns_too_much.so"}}), "/library", "learns 4294967295 numbers");
    EXPECT_ISSUE(faultsOf({{"library", "incomplete.so"}}), "/library", "leaves out one of");
    EXPECT_ISSUE(faultsOf({{"library", "nameless.so"}}), "/library", "parameter 1");
    EXPECT_ISSUE(faultsOf({{"library", "refuses.so"}}), "/library", "it wants a tick of 2 ms");
    EXPECT_ISSUE(faultsOf({{"library", "lead.so"}, {"parameters", {0.5}}}), "/parameters/0", "between 0 and 0.1 s");
    EXPECT_ISSUE(faultsOf({{"library", "lead.so"}, {"parameters", {0.01, 0.0, 1.0}}}), "/parameters", "takes 2");
    QTemporaryDir folder;
    const fs::path huge = folder.filePath("huge.so").toStdString();
    std::ofstream(huge) << "\x7f"
                           "ELF";
    fs::resize_file(huge, std::uintmax_t{1} << 36U);  // holes: none of it is read
    EXPECT_ISSUE(faultsOf({{"library", "huge.so"}}, huge.parent_path()), "/library", "is no shared library");
    const fs::path half = fs::path(folder.path().toStdString()) / "half.so";
    fs::copy_file(fs::path(kPlugIns) / "lead.so", half);
    fs::resize_file(half, 100);
    EXPECT_ISSUE(faultsOf({{"library", "half.so"}}, half.parent_path()), "/library", "cannot be loaded");
  }

  void trialRefusesWhatMustNotComeIntoTheTick() {
    EXPECT_ISSUE(trialOf("slow.so"), "/compensation/library", "may take 100 µs");
    EXPECT_ISSUE(trialOf("no_number.so"), "/compensation/library", "returns what is not a number");
    EXPECT_ISSUE(trialOf("keeps_no_number.so"), "/compensation/library", "once a reading is none");
    EXPECT_ISSUE(trialOf("forgets.so"), "/compensation/library", "in another way once what it has learnt");
    if (!AllocationGuard::active()) HYB_SKIP("a sanitizer owns the allocator");
    EXPECT_ISSUE(trialOf("allocates.so"), "/compensation/library", "allocates memory inside the tick");
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
