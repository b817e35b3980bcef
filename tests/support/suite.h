#pragma once
#include <QtTest>
#include <memory>
#include <vector>

#include "tests/support/thorough.h"

// Qt's own composes the description of what holds, too: of a hundred thousand values that takes seconds.
#undef QVERIFY2
#define QVERIFY2(statement, description)                                                            \
  do {                                                                                              \
    if (!static_cast<bool>(statement)) {                                                            \
      QTest::qVerify(false, #statement, static_cast<const char*>(description), __FILE__, __LINE__); \
      return;                                                                                       \
    }                                                                                               \
  } while (false)

// Qt's own looks every 50 ms whether what is waited for is there.
#undef QTRY_IMPL
#define QTRY_IMPL(expr, timeout) \
  (void)QTest::qWaitFor(         \
      [&] { return (QTest::runningTest() && QTest::currentTestFailed()) || static_cast<bool>(expr); }, timeout);

namespace hyb::test {

using SuiteObjects = std::vector<std::unique_ptr<QObject>>;

/// A suite of a test program: objects whose slots are run one after the other. Stands in the file that holds them.
struct Suite {
  Suite(const char* name, SuiteObjects (*make)());
};

/// What a suite's program does when it is started as a child by its own suite: `program --NAME more arguments`.
struct ChildJob {
  ChildJob(const char* option, int (*run)(int argc, char** argv));
};

/// Says that this machine lacks what a test needs; the suite's program ends with the exit code that means "skipped".
void noteSkip() noexcept;

template <typename... Tests>
SuiteObjects suiteOf() {
  SuiteObjects objects;
  (objects.push_back(std::make_unique<Tests>()), ...);
  return objects;
}

}  // namespace hyb::test

/// HYB_SUITE(name, Class...): the classes' tests are the suite `name`. CMake reads the name from this line.
#define HYB_SUITE(name, ...) static const hyb::test::Suite suite_##name(#name, &hyb::test::suiteOf<__VA_ARGS__>);
/// The same for objects that a function makes.
#define HYB_SUITE_MADE_BY(name, make) static const hyb::test::Suite suite_##name(#name, make);
/// HYB_THREADS(name) or HYB_THREADS(name, test, ...): more than one thread runs in that suite, in all or in these
/// tests; CMake reads that, too, on one line, for the thread sanitizer.
#define HYB_THREADS(...)
/// Leaves the test function, for a facility that this machine lacks: never silently, ctest counts the suite as skipped.
#define HYB_SKIP(why)      \
  do {                     \
    hyb::test::noteSkip(); \
    QSKIP(why);            \
  } while (false)
