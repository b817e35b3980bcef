#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tick/event.h"

namespace hyb {

/// How far the motion of a test can be taken for that of the whole structure.
enum class Grade : std::uint8_t { unknown, good, fair, poor };
std::string_view name(Grade grade) noexcept;
/// By name; unknown for any other word.
Grade gradeNamed(std::string_view name) noexcept;

/// What a FACE campaign found about one of its tests: good where it accepted it, poor where it rejected it.
struct FaceFinding {
  Grade grade = Grade::unknown;  // unknown: there was no campaign
  std::string sentence;
};

/// What is said of a run: three words that have nothing to do with each other. core/run/verdict.h judges.
struct Verdict {
  EndReason ended = EndReason::unknown;  // as-planned also where the operator ended a test without a duration
  /// Of the data, a few words each: "412 missed periods"; empty: whole, which must be known before it is said.
  std::vector<std::string> missing = {"unknown"};
  Grade test = Grade::unknown;
  std::vector<std::string> reasons;  // of the grade, whole sentences, the gravest first
  bool whole() const noexcept { return missing.empty(); }
  /// "whole", or what is missing.
  std::string data() const;
};

}  // namespace hyb
