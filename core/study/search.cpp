#include "core/study/search.h"

#include <algorithm>
#include <cmath>

#include "core/campaign/differential.h"
#include "core/campaign/evolution.h"
#include "core/campaign/statistics.h"
#include "core/campaign/swarm.h"
#include "core/fidelity/measure.h"
#include "core/project/schema.h"

namespace hyb {
namespace {

constexpr std::pair<const char*, double (*)(const SampleStatistics&)> kStatistics[] = {
    {"mean", [](const SampleStatistics& s) { return s.mean.value; }},
    {"median", [](const SampleStatistics& s) { return s.median.value; }},
    {"quantile-95", [](const SampleStatistics& s) { return s.high95.value; }},
    {"most", [](const SampleStatistics& s) { return s.most; }},
};

/// Settings of a method become its optimiser in the plan.
struct Method {
  std::string_view kind;
  void (*read)(const Json& method, const SearchSpace& space, SearchPlan& plan);
};

template <typename Optimiser, typename Spec>
void startWith(const Spec& spec, SearchPlan& plan) {
  plan.start = [spec] { return std::make_unique<Optimiser>(spec); };
}

constexpr Method kMethods[] = {
    {"particle-swarm",
     [](const Json& method, const SearchSpace& space, SearchPlan& plan) {
       SwarmSpec spec{space};
       read(method, "particles", spec.particles);
       read(method, "inertia", spec.inertia);
       read(method, "personal", spec.personal);
       read(method, "global", spec.global);
       plan.population = spec.particles;
       startWith<Swarm>(spec, plan);
     }},
    {"cma-es",
     [](const Json& method, const SearchSpace& space, SearchPlan& plan) {
       EvolutionSpec spec{space};
       read(method, "candidates", spec.candidates);
       read(method, "step", spec.step);
       plan.population = candidatesOf(spec);
       startWith<Evolution>(spec, plan);
     }},
    {"differential-evolution",
     [](const Json& method, const SearchSpace& space, SearchPlan& plan) {
       DifferentialSpec spec{space};
       read(method, "candidates", spec.candidates);
       read(method, "weight", spec.weight);
       read(method, "crossover", spec.crossover);
       plan.population = spec.candidates;
       startWith<DifferentialEvolution>(spec, plan);
     }},
};

}  // namespace

std::size_t goalColumn(const SearchPlan& plan, const std::vector<FigureColumn>& columns) {
  const auto found = std::ranges::find_if(columns, [&](const FigureColumn& column) {
    return plan.figure == column.kind->name && (column.interface == 0 || column.interface == plan.interface);
  });
  if (found == columns.end())
    throw InputError("/search/goal/interface",
                     "is " + std::to_string(plan.interface) + ", but the test has fewer interfaces; give one of them.");
  return static_cast<std::size_t>(found - columns.begin());
}

std::optional<SearchPlan> readSearch(const Json& document, std::vector<Variation>& variations, Checks& checks) {
  const auto given = document.find("search");
  if (given == document.end()) return std::nullopt;
  if (!variations.empty())
    checks.fault("/vary",
                 "cannot be combined with \"search\", whose candidates are the combinations; remove one of them.");
  SearchPlan plan;
  const Json& goal = given->at("goal");
  plan.figure = goal.at("figure").get<std::string>();
  if (const Measure* measure = findMeasure(plan.figure))
    plan.figure = measure->name;
  else
    checks.fault("/search/goal/figure",
                 "\"" + plan.figure + "\" is not a figure of a run; the page Measures lists them.");
  read(goal, "interface", plan.interface);
  const std::string word = goal.value("statistic", kStatistics[0].first);
  for (std::size_t s = 0; s < std::size(kStatistics); ++s)
    if (word == kStatistics[s].first) plan.statistic = s;
  const Json& settings = given->at("settings");
  const auto numbers = static_cast<Eigen::Index>(settings.size());
  SearchSpace space;
  space.least.resize(numbers);
  space.most.resize(numbers);
  for (Eigen::Index n = 0; n < numbers; ++n) {
    const std::string where = "/search/settings/" + std::to_string(n);
    const Json& entry = settings[static_cast<std::size_t>(n)];
    space.least[n] = entry.at("from").get<double>();
    space.most[n] = entry.at("to").get<double>();
    if (!(space.least[n] < space.most[n]))
      checks.fault(where + "/to", space.most[n], "", "must be greater than \"from\"");
    Variation variation;
    variation.pointers = readPointers(entry, where, checks);
    variation.name = readName(entry, variation.pointers.front(), where, checks);
    variations.push_back(std::move(variation));
  }
  const Json& method = given->at("method");
  read(method, "generations", plan.generations);
  read(method, "seed", space.seed);
  std::ranges::find(kMethods, method.at("kind").get<std::string>(), &Method::kind)->read(method, space, plan);
  if (plan.candidates() > Study::kMostRuns) {
    checks.fault("/search/method", "leads to " + std::to_string(plan.candidates()) +
                                       " candidates; a study has at most 1,000,000 runs; use fewer generations.");
    return std::nullopt;
  }
  for (Variation& variation : variations) variation.values.resize(plan.candidates());
  return plan;
}

Search::Search(Study& study) : study_(study), optimiser_(study.search->start()) { propose(); }

std::size_t Search::first() const noexcept {
  return generation_ * study_.search->population * study_.runsOfCombination();
}
std::size_t Search::last() const noexcept { return study_.search->known * study_.runsOfCombination(); }

void Search::propose() {
  const Eigen::MatrixXd& positions = optimiser_->positions();
  const std::size_t first = generation_ * study_.search->population;
  for (std::size_t v = 0; v < study_.variations.size(); ++v) {
    for (Eigen::Index p = 0; p < positions.rows(); ++p)
      study_.variations[v].values[first + static_cast<std::size_t>(p)] = positions(p, static_cast<Eigen::Index>(v));
    study_.variations[v].setLabels();
  }
  study_.search->known = first + study_.search->population;
}

double Search::valueOf(std::size_t candidate, std::span<const StudyRun> runs, std::size_t column) const {
  const std::size_t each = study_.runsOfCombination();
  std::vector<double> figures;
  for (const StudyRun& run : runs.subspan(candidate * each, each)) {
    const double figure = run.status == RunStatus::done && column < run.figures.size() ? run.figures[column] : kNoValue;
    if (!std::isfinite(figure)) return kNoValue;
    figures.push_back(figure);
  }
  return kStatistics[study_.search->statistic].second(statisticsOf(figures));
}

bool Search::advance(std::span<const StudyRun> runs, std::size_t column) {
  std::vector<double> generation;
  for (std::size_t c = values_.size(); c < study_.search->known; ++c) generation.push_back(valueOf(c, runs, column));
  values_.insert(values_.end(), generation.begin(), generation.end());
  if (++generation_ == study_.search->generations) return false;
  optimiser_->take(generation);
  propose();
  return true;
}

std::optional<std::size_t> Search::best() const {
  std::optional<std::size_t> best;
  for (std::size_t c = 0; c < values_.size(); ++c)
    if (std::isfinite(values_[c]) && (!best || values_[c] < values_[*best])) best = c;
  return best;
}

}  // namespace hyb
