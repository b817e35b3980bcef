#include "core/study/campaign.h"

#include <algorithm>

#include "core/study/search.h"
#include "core/study/study_file.h"

namespace hyb {
namespace {

/// Grid, list, seeds and random samples: all runs are known before the first one.
class PlannedCampaign : public Campaign {
 public:
  explicit PlannedCampaign(const Study& study) : runs_(study.runs()) {}
  std::optional<RunRange> next(std::span<const StudyRun> /*results*/) override {
    if (begun_) return std::nullopt;
    begun_ = true;
    return RunRange{0, runs_};
  }

 private:
  std::size_t runs_;
  bool begun_ = false;
};

/// Generation by generation.
class SearchCampaign : public Campaign {
 public:
  explicit SearchCampaign(Study& study) : study_(study), search_(study) {}
  void begin(const std::vector<FigureColumn>& columns) override { goal_ = goalColumn(*study_.search, columns); }
  std::optional<RunRange> next(std::span<const StudyRun> results) override {
    if (begun_ && !search_.advance(results, goal_)) return std::nullopt;
    begun_ = true;
    return RunRange{search_.first(), search_.last()};
  }
  CampaignVerdict verdict() const override {
    const std::optional<std::size_t> best = search_.best();
    return best ? CampaignVerdict{best, search_.values()[*best]} : CampaignVerdict{};
  }
  void write(std::int64_t file) const override { writeSearch(file, study_, search_); }

 private:
  Study& study_;
  Search search_;
  std::size_t goal_ = 0;
  bool begun_ = false;
};

struct CampaignKind {
  bool (*fits)(const Study& study);
  std::unique_ptr<Campaign> (*make)(Study& study);
};

/// The first that fits.
constexpr CampaignKind kCampaigns[] = {
    {[](const Study& study) { return study.search.has_value(); },
     [](Study& study) -> std::unique_ptr<Campaign> { return std::make_unique<SearchCampaign>(study); }},
    {[](const Study&) { return true; },
     [](Study& study) -> std::unique_ptr<Campaign> { return std::make_unique<PlannedCampaign>(study); }},
};

}  // namespace

std::unique_ptr<Campaign> makeCampaign(Study& study) {
  return std::ranges::find_if(kCampaigns, [&](const CampaignKind& kind) { return kind.fits(study); })->make(study);
}

}  // namespace hyb
