#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/campaign/optimiser.h"
#include "core/project/project.h"
#include "core/study/figures.h"
#include "core/study/random_settings.h"

namespace hyb {

/// Places of the project that all take the same value, for a list of values.
struct Variation {
  std::string name;                   // of its column: letters, digits, "-", "_", "."
  std::vector<std::string> pointers;  // JSON pointers into the project
  std::vector<Json> values;
  std::vector<std::string> labels = {};  // of the values
  bool speaks = false;                   // some values are objects or lists of objects, whose labels need no name
  void setLabels();
};

inline constexpr const char* kSeedPlace = "/rig/seed";

/// A search for the candidate with the smallest goal: the combinations of the study are its candidates, generation
/// after generation.
struct SearchPlan {
  std::function<std::unique_ptr<Optimiser>()> start;  // makes the first generation
  std::size_t population = 0;                         // candidates of each generation
  std::size_t generations = 30;
  std::string figure;         // of the goal
  int interface = 1;          // that it belongs to
  std::size_t statistic = 0;  // over the runs of a candidate
  std::size_t known = 0;      // candidates proposed so far: their values are known
  std::size_t candidates() const noexcept { return generations * population; }
};

/// Many runs of one project. Order of runs(): the seed changes fastest, then the sample, then the last variation.
struct Study {
  static constexpr std::size_t kMostRuns = 1'000'000;
  Json document;                 // the study as given
  Json base;                     // its project, with "set" applied
  std::filesystem::path folder;  // base of the project's relative paths; for a template that of the study
  std::vector<Variation> variations;
  bool together = false;  // values side by side instead of all combinations
  RandomPlan random;
  std::optional<SearchPlan> search;  // its settings are variations side by side, null where not proposed yet
  std::vector<std::uint64_t> seeds;
  std::vector<std::uint64_t> run_seeds;  // one per run; empty: the seeds above, in turn
  std::vector<std::string> measures;     // names of figureKinds()
  bool paced = false;
  double pause_s = 0.0;                     // between paced runs
  bool traces = false;                      // rows of every run are stored
  std::vector<std::string> trace_channels;  // channels to store; empty: every channel
  std::vector<std::string> notes;           // on the plan, sentences

  std::size_t combinations() const noexcept;
  std::size_t runsOfCombination() const noexcept { return random.samples() * seeds.size(); }
  std::size_t runs() const noexcept { return combinations() * runsOfCombination(); }
  std::size_t combinationOf(std::size_t run) const noexcept { return run / runsOfCombination(); }
  std::size_t sampleOf(std::size_t run) const noexcept { return run / seeds.size() % random.samples(); }
  /// Row of its sample in random.drawn.
  std::size_t drawnRow(std::size_t run) const noexcept { return random.sets > 1 ? run / seeds.size() : sampleOf(run); }
  /// Combinations whose values are known: all, except in a search.
  std::size_t known() const noexcept { return search ? search->known : combinations(); }
  /// Of its noise. Each sample has its own, the same in every combination that shares the samples.
  std::uint64_t seed(std::size_t run) const;
  /// Index into the values of each variation.
  std::vector<std::size_t> choice(std::size_t combination) const;
  /// The project of one run, or of a combination without random settings and seed. Throws InputError if it does not
  /// contain one of the places.
  Json project(std::size_t run) const;
  Json nominal(std::size_t combination) const;
  /// "alpha 0.2, delay 0.001": differences of a combination from the others. A true value is represented by its name
  /// only, a false one by nothing, and the label of an object needs no name unless another variation also has such
  /// labels.
  std::string words(std::size_t combination) const;
  /// The same text means the same runs with the same numbers: study, project, their files and version of this program.
  std::string identity() const;
};

/// Individual seed of run `run` (from 0) of a campaign with one seed: output run + 1 of SplitMix64 (Steele, Lea, Flood
/// 2014) started from the campaign's seed, its upper 53 bits, which JSON represents exactly. Different runs have
/// different noise.
std::uint64_t seedOfRun(std::uint64_t campaign, std::size_t run) noexcept;

/// A study that is part of the program.
struct ShippedStudy {
  std::string name, title;
  Json document;
};
/// All of them, by name.
const std::vector<ShippedStudy>& shippedStudies();
/// Null: none of this name.
const ShippedStudy* shippedStudy(std::string_view name);

/// Study from a file, or a shipped one where there is no such file; its project is searched in the same folder, then
/// among the templates. Throws InputError or DeviceError. Does not check the projects of the runs: checkStudy().
Study loadStudy(const std::filesystem::path& file);
/// `project`: used instead of the one named by the document; `folder` is then its folder.
Study parseStudy(const Json& document, const std::filesystem::path& folder = {}, const Json* project = nullptr);
/// Hardware needs the loop's rate: throws InputError if a project with a rig would run free.
void requirePace(const Project& project, bool paced);
/// resources/schema/study.schema.json
const Json& studySchema();

}  // namespace hyb
