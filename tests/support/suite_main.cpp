// The program of suites: `test_run device_rig [options of Qt Test]`; without a name it lists them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "core/base/kept_memory.h"
#include "tests/support/skipped.h"
#include "tests/support/suite.h"

#ifdef HYB_SUITES_GUI
#include <QApplication>
using Application = QApplication;
#else
#include <QCoreApplication>
using Application = QCoreApplication;
#endif

// HDF5 itself forgets some memory when it refuses a damaged file.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

#ifdef HYB_SANITIZED
constinit const bool hyb::test::kThorough = false;
#else
constinit const bool hyb::test::kThorough = true;
#endif

namespace {

bool skipped = false;
const char* under_way = "none";  // class of the test

struct NamedSuite {
  const char* name;
  hyb::test::SuiteObjects (*make)();
};
struct NamedJob {
  const char* option;
  int (*run)(int, char**);
};

std::vector<NamedSuite>& suites() {
  static std::vector<NamedSuite> list;
  return list;
}
std::vector<NamedJob>& jobs() {
  static std::vector<NamedJob> list;
  return list;
}

/// Qt Test would go on with a broken object, or for ever: an exception out of a test ends the program with one
/// sentence. Out of a test's own function Qt Test has forgotten which one it was.
[[noreturn]] void endAtOnce() {
  const char* function = QTest::currentTestFunction();
  const std::string test = function == nullptr ? under_way : std::string(under_way) + "::" + function;
  const char* what = "of an unknown kind";
  try {
    if (std::exception_ptr left = std::current_exception()) std::rethrow_exception(left);
  } catch (const std::exception& error) {
    what = error.what();
    std::fprintf(stderr, "\nAn exception left the test %s: %s\n", test.c_str(), what);
    std::_Exit(3);
  } catch (...) {
  }
  std::fprintf(stderr, "\nThe program ended in the test %s: exception %s\n", test.c_str(), what);
  std::_Exit(3);
}

int run(const NamedSuite& suite, int argc, char** argv) {
  int failed = 0;
  for (const std::unique_ptr<QObject>& object : suite.make()) {
    under_way = object->metaObject()->className();
    failed += QTest::qExec(object.get(), argc, argv);
  }
  if (failed == 0 && skipped && std::getenv("HYB_NO_SKIPS") != nullptr) {
    std::fprintf(stderr, "A test was skipped where HYB_NO_SKIPS asks for all of them.\n");
    return 1;
  }
  return failed > 0 ? 1 : skipped ? hyb::test::kSkipped : 0;
}

}  // namespace

namespace hyb::test {
Suite::Suite(const char* name, SuiteObjects (*make)()) { suites().push_back({name, make}); }
ChildJob::ChildJob(const char* option, int (*run)(int, char**)) { jobs().push_back({option, run}); }
void noteSkip() noexcept { skipped = true; }
}  // namespace hyb::test

int main(int argc, char** argv) {
  hyb::keepFreedMemory();  // as the program does
  std::set_terminate(endAtOnce);
  for (const NamedJob& job : jobs())
    if (argc > 1 && std::strcmp(argv[1], job.option) == 0) return job.run(argc, argv);
  for (const NamedSuite& suite : suites()) {
    if (argc < 2 || std::strcmp(argv[1], suite.name) != 0) continue;
    argv[1] = argv[0];
    int count = argc - 1;
    Application application(count, argv + 1);
    return run(suite, count, argv + 1);
  }
  for (const NamedSuite& suite : suites()) std::printf("%s\n", suite.name);
  if (argc < 2) return 0;
  std::fprintf(stderr, "%s: no suite of this program; they are listed above\n", argv[1]);
  return 2;
}
