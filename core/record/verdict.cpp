#include "core/record/verdict.h"

#include <algorithm>
#include <array>

namespace hyb {
namespace {

constexpr std::array<std::string_view, 4> kGrades = {"unknown", "good", "fair", "poor"};

}  // namespace

std::string_view name(Grade grade) noexcept { return kGrades[static_cast<std::size_t>(grade)]; }

Grade gradeNamed(std::string_view name) noexcept {
  const auto found = std::find(kGrades.begin(), kGrades.end(), name);
  return found == kGrades.end() ? Grade::unknown : static_cast<Grade>(found - kGrades.begin());
}

std::string Verdict::data() const {
  std::string text;
  for (const std::string& part : missing) text += (text.empty() ? "" : "; ") + part;
  return text.empty() ? "whole" : text;
}

}  // namespace hyb
