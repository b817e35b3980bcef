#pragma once
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/campaign/optimiser.h"
#include "core/study/journal.h"
#include "core/study/study.h"

namespace hyb {

/// Reads "search" of a study that satisfies its schema: its settings become variations side by side, one value for each
/// candidate, unknown until the search proposes it. None: the study has no search.
std::optional<SearchPlan> readSearch(const Json& document, std::vector<Variation>& variations, Checks& checks);

/// Column of the goal. Throws InputError if the test has too few interfaces.
std::size_t goalColumn(const SearchPlan& plan, const std::vector<FigureColumn>& columns);

/// The search of a study while it runs: candidates generation by generation, from the runs of those before. The same
/// results lead to the same candidates, so that an interrupted search ends with the same numbers.
class Search {
 public:
  /// Proposes the first generation into the values of `study`, which must live as long and have a search.
  explicit Search(Study& study);
  /// The runs of the present generation: [first, last).
  std::size_t first() const noexcept;
  std::size_t last() const noexcept;
  /// All runs of this generation have ended: values its candidates by the figure in `column` and proposes the next one.
  /// False: it was the last.
  bool advance(std::span<const StudyRun> runs, std::size_t column);
  /// Statistic of the goal for each candidate so far; NaN: one of its runs did not come to its end, or lacks the
  /// figure.
  const std::vector<double>& values() const noexcept { return values_; }
  /// The candidate with the smallest value; none: there is none with a value yet.
  std::optional<std::size_t> best() const;

 private:
  void propose();
  double valueOf(std::size_t candidate, std::span<const StudyRun> runs, std::size_t column) const;
  Study& study_;
  std::unique_ptr<Optimiser> optimiser_;
  std::size_t generation_ = 0;
  std::vector<double> values_;
};

}  // namespace hyb
