#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/tick/event.h"

namespace hyb {

/// How well the motion of a test represents that of the whole structure.
enum class Grade : std::uint8_t { unknown, good, fair, poor };
std::string_view name(Grade grade) noexcept;
/// Grade by name; unknown for any other word.
Grade gradeNamed(std::string_view name) noexcept;

/// Result of a FACE campaign for one of its tests: good if accepted, poor if rejected.
struct FaceFinding {
  Grade grade = Grade::unknown;  // unknown: there was no campaign
  std::string sentence;
};

/// Verdict of a run: three independent parts. core/run/verdict.h determines them.
struct Verdict {
  EndReason ended = EndReason::unknown;  // as-planned also if the operator ended a test without a duration
  /// Defects of the data, a few words each: "412 missed periods"; empty: complete, which must be verified first.
  std::vector<std::string> missing = {"unknown"};
  Grade test = Grade::unknown;
  std::vector<std::string> reasons;  // of the grade, whole sentences, most severe first
  bool whole() const noexcept { return missing.empty(); }
  /// "whole", or the defects.
  std::string data() const;
};

}  // namespace hyb
