#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hyb {

/// A fault of the user's input, with its remedy.
struct Issue {
  std::string where;    ///< JSON pointer ("/compensation/alpha"), file with line ("wall.csv:17") or option ("--rate")
  std::string message;  ///< one sentence: value, unit, rule, remedy
};

/// Invalid input (exit code 2). Contains all issues found, not only the first.
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::vector<Issue> issues) : std::runtime_error(join(issues)), issues_(std::move(issues)) {}
  InputError(std::string where, std::string message)
      : InputError(std::vector<Issue>{{std::move(where), std::move(message)}}) {}
  const std::vector<Issue>& issues() const noexcept { return issues_; }

 private:
  static std::string join(const std::vector<Issue>& issues) {
    std::string text;
    for (const Issue& issue : issues) text += (text.empty() ? "" : "\n") + issue.where + ": " + issue.message;
    return text;
  }
  std::vector<Issue> issues_;
};

/// A device or file failed (exit code 3): folder read-only, disk full, port gone, not a run file.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hyb
