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
  in_tables,   // takes longer: tables and reports read it on request
  on_request,  // only in the list of all measures
};

/// A figure of a test: how it is called and shown, what a reader may conclude from it, and how it is read. The one
/// catalogue that figures of runs, studies, live views, reports, tables and help pages are made of.
struct Measure {
  const char* name;    // stable key of files and options
  const char* title;   // short, for tables and axes
  const char* unit;    // SI, or ms, % and deg where its name says so; "" for none
  const char* says;    // one sentence
  const char* sign;    // what positive means; "" where it has no sign
  const char* cannot;  // one sentence
  Listing listing;
  /// One figure for each interface, or for the whole test: exactly one of both is there. None where the measure does
  /// not apply, NaN where the record does not determine it.
  std::optional<double> (*of_interface)(InterfaceReading&);
  std::optional<double> (*of_test)(const TestReading&);
  bool ofTest() const noexcept { return of_test != nullptr; }
  bool always() const noexcept { return listing == Listing::always; }
  bool listed() const noexcept { return listing != Listing::on_request; }
  /// What it tells and what its sign means.
  std::string description() const;
};

/// All of them, in the order in which a report lists them.
std::span<const Measure> measures() noexcept;
/// By name, also by one of older files ("j2" for "tracking_nrmse_percent"); null if there is none.
const Measure* findMeasure(std::string_view name) noexcept;

}  // namespace hyb
