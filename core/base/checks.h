#pragma once
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace hyb {

/// Collects the faults of a parameter set, so that all of them are reported at once. Not real-time.
class Checks {
 public:
  void fault(std::string where, std::string message) { issues_.push_back({std::move(where), std::move(message)}); }

  /// Value, unit and rule in one sentence: "is -1 kg; must be greater than 0 kg".
  void fault(std::string where, double value, const std::string& unit, const std::string& rule) {
    fault(std::move(where), "is " + text(value, unit) + "; " + rule);
  }
  /// min <= value <= max; otherwise false and a fault. NaN always fails; infinity passes only with an infinite bound.
  bool between(const std::string& where, double value, double min, double max, const std::string& unit) {
    if (value >= min && value <= max) return true;
    fault(where, value, unit, "must lie between " + text(min, "") + " and " + text(max, unit));
    return false;
  }
  /// Finite and > 0.
  bool positive(const std::string& where, double value, const std::string& unit) {
    if (std::isfinite(value) && value > 0.0) return true;
    fault(where, value, unit, "must be finite and greater than " + text(0.0, unit));
    return false;
  }
  /// Finite and >= 0.
  bool notNegative(const std::string& where, double value, const std::string& unit) {
    if (std::isfinite(value) && value >= 0.0) return true;
    fault(where, value, unit, "must be finite and at least " + text(0.0, unit));
    return false;
  }
  bool finite(const std::string& where, double value, const std::string& unit) {
    if (std::isfinite(value)) return true;
    fault(where, value, unit, "must be finite");
    return false;
  }
  /// Finite and <= 0.
  bool notPositive(const std::string& where, double value, const std::string& unit) {
    if (std::isfinite(value) && value <= 0.0) return true;
    fault(where, value, unit, "must be finite and at most " + text(0.0, unit));
    return false;
  }
  /// Adds the faults of a part at `where`.
  void take(const Checks& part, const std::string& where) {
    for (const Issue& issue : part.issues_) issues_.push_back({where + issue.where, issue.message});
  }
  /// Adds the issues of an InputError thrown by `work`.
  template <typename Work>
  void collect(const Work& work) {
    try {
      work();
    } catch (const InputError& error) {
      issues_.insert(issues_.end(), error.issues().begin(), error.issues().end());
    }
  }
  bool ok() const noexcept { return issues_.empty(); }
  /// Throws an InputError with all collected faults, if any.
  void throwIfAny() const {
    if (!issues_.empty()) throw InputError(issues_);
  }

  static std::string text(double value, const std::string& unit) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.6g", value);
    return unit.empty() ? buffer : buffer + (" " + unit);
  }

 private:
  std::vector<Issue> issues_;
};

}  // namespace hyb
