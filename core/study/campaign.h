#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/study/journal_content.h"
#include "core/study/study.h"

namespace hyb {

/// Runs of a study: [first, last).
struct RunRange {
  std::size_t first = 0, last = 0;
};

/// What a campaign found.
struct CampaignVerdict {
  std::optional<std::size_t> best;  // candidate with the smallest goal so far, a combination of the study
  double best_value = 0.0;          // of its goal
};

/// Which runs of a study are made next, as results come in. The same results lead to the same runs, so that a campaign
/// that was cancelled or killed ends with the same numbers.
class Campaign {
 public:
  virtual ~Campaign() = default;
  /// Once, before the first runs. Throws InputError if results with these columns lack what it decides by.
  virtual void begin(const std::vector<FigureColumn>& columns) { static_cast<void>(columns); }
  /// The next runs; none: it is at its end. All runs of the ranges before have ended. `results`: one per run.
  virtual std::optional<RunRange> next(std::span<const StudyRun> results) = 0;
  virtual CampaignVerdict verdict() const { return {}; }
  /// Adds its groups to the open study file.
  virtual void write(std::int64_t file) const { static_cast<void>(file); }
};

/// The campaign of a study, from the table of kinds. `study` must live as long; a search adds its candidates to it.
std::unique_ptr<Campaign> makeCampaign(Study& study);

}  // namespace hyb
