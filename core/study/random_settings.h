#pragma once
#include <Eigen/Core>
#include <string>
#include <vector>

#include "core/campaign/distribution.h"
#include "core/project/project.h"

namespace hyb {

/// Places of the project that are drawn for each sample.
struct RandomSetting {
  std::string name;                   // of its column
  std::vector<std::string> pointers;  // JSON pointers into the project
  bool factor = false;                // the number multiplies what stands there
  Distribution distribution;
  std::vector<Json> values = {};  // of a discrete one
  /// The value for a drawn number.
  Json value(double drawn) const { return values.empty() ? Json(drawn) : values[static_cast<std::size_t>(drawn)]; }
};

/// The random settings of a study and all their samples.
struct RandomPlan {
  std::vector<RandomSetting> settings;
  Eigen::MatrixXd drawn;       // [sets * samples, settings]: quantiles of the distributions
  bool indices = false;        // the samples are those of sobolIndices()
  std::size_t replicates = 1;  // of the design, one after the other
  std::size_t sets = 1;        // 1: all combinations share the samples, else one set for each
  std::size_t samples() const noexcept { return settings.empty() ? 1 : static_cast<std::size_t>(drawn.rows()) / sets; }
  /// Puts the values of a row into a project. Throws InputError: a place that does not exist, or that a factor
  /// cannot multiply.
  void apply(Json& project, std::size_t row) const;
};

/// "random", "correlations" and "samples" of a study that satisfies its schema, for this number of combinations, or for
/// candidates of a search, which draw their own; `notes`: sentences for the user.
RandomPlan readRandomPlan(const Json& study, std::size_t candidates, std::vector<std::string>& notes, Checks& checks);

/// What settings of a study have in common: JSON pointers, and the name of their column. Faults at `where`.
std::vector<std::string> readPointers(const Json& entry, const std::string& where, Checks& checks);
std::string readName(const Json& entry, const std::string& pointer, const std::string& where, Checks& checks);
/// True if the text is a JSON pointer that can be set.
bool goodPointer(const std::string& pointer);

}  // namespace hyb
