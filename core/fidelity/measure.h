#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hyb {

class InterfaceReading;
struct TestReading;

/// Where a measure is listed.
enum class Listing {
  always,      // among the figures of every run
  in_tables,   // slower: tables and reports read it on request
  on_request,  // only in the list of all measures
};

/// A figure of a test: name, display, meaning and reading. The single catalogue for figures of runs, studies, live
/// views, reports, tables and help pages.
struct Measure {
  const char* name;    // stable key of files and options
  const char* title;   // short, for tables and axes
  const char* unit;    // SI, or ms, % and deg as in its name; "" for none
  const char* says;    // one sentence
  const char* sign;    // meaning of positive; "" without a sign
  const char* cannot;  // limit of the figure, one sentence
  Listing listing;
  /// One figure per interface, or one for the whole test: exactly one of both exists. None if the measure does not
  /// apply, NaN if the record does not determine it.
  std::optional<double> (*of_interface)(InterfaceReading&);
  std::optional<double> (*of_test)(const TestReading&);
  bool ofTest() const noexcept { return of_test != nullptr; }
  bool always() const noexcept { return listing == Listing::always; }
  bool listed() const noexcept { return listing != Listing::on_request; }
  /// Meaning and sign.
  std::string description() const;
};

/// All of them, in the order in which a report lists them.
std::span<const Measure> measures() noexcept;
/// By name, including names of older files ("j2" for "tracking_nrmse_percent"); null if there is none.
const Measure* findMeasure(std::string_view name) noexcept;

}  // namespace hyb
