#pragma once
#include <span>
#include <string_view>

namespace hyb {

/// How a measure of this folder is shown, and what a reader may conclude from it.
struct Measure {
  const char* name;      // stable key of files and options
  const char* title;     // short, for tables and axes
  const char* unit;      // "" for none
  const char* says;      // one sentence
  const char* cannot;    // one sentence
  bool of_test = false;  // one figure for the whole test, not for each interface
};

/// All of them, in the order in which a report lists them.
std::span<const Measure> measures() noexcept;
/// By name; null if there is none.
const Measure* findMeasure(std::string_view name) noexcept;

}  // namespace hyb
