#pragma once
#include <string>
#include <vector>

#include "core/run/metrics.h"

namespace hyb {

inline constexpr std::size_t kFewestRows = 16;  // figures of less would mean nothing
inline constexpr double kLongestDelay_s = 0.1;  // searched for

/// The rows of a run that its figures are taken from: from analysis.start_s to the start of the soft end; what was held
/// does not count as excitation, and a run that was stopped counts until then.
class AnalysedRows {
 public:
  explicit AnalysedRows(const RunRows& run);
  /// Too few rows are left to say anything.
  bool empty() const noexcept { return rows_ == 0; }
  std::uint64_t first() const noexcept { return first_; }  // row of the run
  std::uint64_t count() const noexcept { return rows_; }
  bool has(const std::string& channel) const;
  /// How many interfaces the run has.
  std::size_t interfaces() const;
  /// One value per period: rows that a late tick skipped are filled in on a straight line.
  std::vector<double> channel(const std::string& name) const;

 private:
  const RunRows& run_;
  std::uint64_t first_ = 0, rows_ = 0;
  std::vector<double> ticks_;
};

}  // namespace hyb
