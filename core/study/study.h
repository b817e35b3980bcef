#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/study/figures.h"

namespace hyb {

/// Places of the project that take the same value, one value after the other.
struct Variation {
  std::string name;                   // of its column: letters, digits, "-", "_", "."
  std::vector<std::string> pointers;  // JSON pointers into the project
  std::vector<Json> values;
  std::vector<std::string> labels = {};  // of the values
  bool speaks = false;                   // some are objects or lists of them, whose labels stand for themselves
  void setLabels();
};

/// Many runs of one project. Run r of runs(): the seed changes fastest, then the last variation.
struct Study {
  static constexpr std::size_t kMostRuns = 1'000'000;
  Json document;                 // the study as given
  Json base;                     // its project, with "set" applied
  std::filesystem::path folder;  // of the project's relative paths; for a template the study's
  std::vector<Variation> variations;
  bool together = false;  // values side by side instead of each with each
  std::vector<std::uint64_t> seeds;
  std::vector<std::uint64_t> run_seeds;  // one per run; empty: the seeds above, in turn
  std::vector<std::string> measures;     // names of figureKinds()
  bool paced = false;
  double pause_s = 0.0;                     // between paced runs
  bool traces = false;                      // rows of every run are kept
  std::vector<std::string> trace_channels;  // which; empty: every channel

  std::size_t combinations() const noexcept;
  std::size_t runs() const noexcept { return combinations() * seeds.size(); }
  std::uint64_t seed(std::size_t run) const { return run_seeds.empty() ? seeds[run % seeds.size()] : run_seeds[run]; }
  /// Index into the values of each variation.
  std::vector<std::size_t> choice(std::size_t combination) const;
  /// The project of one run. Throws InputError where a place does not exist in it.
  Json project(std::size_t run) const;
  /// "alpha 0.2, delay 0.001": what sets a combination apart. What is on or off is its name alone, or nothing, and the
  /// label of an object stands for itself where no other variation has such.
  std::string words(std::size_t combination) const;
  /// Same text = same runs with the same numbers: study, project, the files they name and version of this program.
  std::string identity() const;
};

/// Seed of its own for run `run` (from 0) of a campaign with one seed: output run + 1 of SplitMix64 (Steele, Lea, Flood
/// 2014) started from the campaign's seed, its upper 53 bits, which JSON keeps. Different runs have different noise.
std::uint64_t seedOfRun(std::uint64_t campaign, std::size_t run) noexcept;

/// Study from a file; its project is looked for beside it, then among the templates. Throws InputError or DeviceError.
/// Does not look into the projects of the runs: checkStudy().
Study loadStudy(const std::filesystem::path& file);
/// `project`: taken in place of the one that the document names; `folder` is then its folder.
Study parseStudy(const Json& document, const std::filesystem::path& folder = {}, const Json* project = nullptr);
/// Hardware is moved at the loop's rate: throws InputError where a project that uses a rig would be run freely.
void requirePace(const Project& project, bool paced);
/// resources/schema/study.schema.json
const Json& studySchema();

}  // namespace hyb
