#pragma once
#include <QString>
#include <set>
#include <string>
#include <vector>

#include "core/base/checks.h"
#include "core/base/error.h"

namespace hyb::test {

/// Faults that `f` reports; none if it succeeds.
template <typename F>
std::vector<Issue> issuesOf(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.issues();
  }
  return {};
}

/// Where the faults are that params.check() finds.
template <typename Params>
std::set<std::string> placesOfFaults(const Params& params) {
  Checks checks;
  params.check(checks);
  std::set<std::string> places;
  for (const Issue& issue : issuesOf([&] { checks.throwIfAny(); })) places.insert(issue.where);
  return places;
}

inline bool mentions(const std::vector<Issue>& issues, const std::string& where, const std::string& part) {
  for (const Issue& issue : issues)
    if (issue.where == where && issue.message.find(part) != std::string::npos) return true;
  return false;
}

inline QString shown(const std::vector<Issue>& issues) {
  QString text = issues.empty() ? "no fault" : "";
  for (const Issue& issue : issues) text += QString::fromStdString(issue.where + ": " + issue.message + "\n");
  return text;
}

}  // namespace hyb::test

/// One of the faults is at `where` and says `part`.
#define EXPECT_ISSUE(issues, where, part) \
  QVERIFY2(hyb::test::mentions(issues, where, part), qPrintable(hyb::test::shown(issues)))
