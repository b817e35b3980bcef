#include "core/study/random_settings.h"

#include <algorithm>
#include <bit>

#include "core/base/words.h"
#include "core/campaign/design.h"
#include "core/campaign/statistics.h"
#include "core/project/schema.h"
#include "core/study/study.h"

namespace hyb {
namespace {

using Eigen::Index;

std::string columnName(std::string pointer) {
  if (!pointer.empty()) pointer.erase(0, 1);
  for (char& c : pointer) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain && c != '-') c = '.';
  }
  return pointer;
}

bool goodName(const std::string& name) { return columnName("/" + name) == name && name.front() != '.'; }

Distribution readDistribution(const Json& given) {
  const auto number = [&](const char* key) { return given.at(key).get<double>(); };
  const std::string& kind = given.at("kind").get_ref<const std::string&>();
  if (kind == "uniform") return UniformNumber{number("from"), number("to")};
  if (kind == "lognormal") return LognormalNumber{number("median"), number("dispersion")};
  if (kind == "triangular") return TriangularNumber{number("from"), number("peak"), number("to")};
  if (kind == "discrete")
    return DiscreteNumber{given.value("weights", std::vector<double>(given.at("values").size(), 1.0))};
  NormalNumber normal{number("mean"), number("deviation")};
  normal.least = given.value("least", normal.least);
  normal.most = given.value("most", normal.most);
  return normal;
}

RandomSetting readSetting(const Json& entry, const std::string& where, Checks& checks) {
  RandomSetting setting;
  setting.pointers = readPointers(entry, where, checks);
  setting.name = readName(entry, setting.pointers.front(), where, checks);
  for (const std::string& place : setting.pointers)
    if (std::string("/rig/use").starts_with(place))  // questions and pace of a study look at its variations
      checks.fault(where + "/pointer", "may select hardware by chance; choose it in the project or with \"vary\".");
  setting.factor = entry.value("factor", false);
  const Json& distribution = entry.at("distribution");
  setting.distribution = readDistribution(distribution);
  check(setting.distribution, where + "/distribution", checks);
  if (!distribution.contains("values")) return setting;
  setting.values = distribution.at("values").get<std::vector<Json>>();
  if (const auto& weights = std::get<DiscreteNumber>(setting.distribution).weights;
      weights.size() != setting.values.size())
    checks.fault(where + "/distribution/weights", "has " + std::to_string(weights.size()) + " numbers for " +
                                                      std::to_string(setting.values.size()) +
                                                      " values; give one weight for each value.");
  if (setting.factor && !std::ranges::all_of(setting.values, [](const Json& value) { return value.is_number(); }))
    checks.fault(where + "/distribution/values", "contains a value that is no number; a factor must be one.");
  return setting;
}

Eigen::MatrixXd readCorrelations(const Json& list, const std::vector<RandomSetting>& settings, Checks& checks) {
  const auto count = static_cast<Index>(settings.size());
  Eigen::MatrixXd correlation = Eigen::MatrixXd::Identity(count, count);
  std::vector<std::string> names;
  for (const RandomSetting& setting : settings) names.push_back(setting.name);
  for (std::size_t c = 0; c < list.size(); ++c) {
    const std::string where = "/correlations/" + std::to_string(c);
    const auto of = list[c].at("of").get<std::vector<std::string>>();
    Index place[2];
    for (std::size_t e = 0; e < 2; ++e) {
      const auto found = std::ranges::find(names, of[e]);
      place[e] = found - names.begin();
      if (found == names.end())
        checks.fault(where + "/of/" + std::to_string(e),
                     "\"" + of[e] + "\" is not a random setting. " + hint(of[e], names) +
                         (names.empty() ? "There are none." : "Known are " + quotedList(names, "and") + "."));
    }
    if (place[0] == count || place[1] == count) continue;
    if (place[0] == place[1] || correlation(place[0], place[1]) != 0.0) {
      checks.fault(where + "/of", place[0] == place[1] ? "names the same setting twice; name two settings."
                                                       : "is given a second time; remove one of them.");
      continue;
    }
    correlation(place[0], place[1]) = correlation(place[1], place[0]) = list[c].at("coefficient").get<double>();
  }
  return correlation;
}

/// Multiplies a number, or all numbers of a list.
bool multiply(Json& value, double factor) {
  if (value.is_number()) {
    value = value.get<double>() * factor;
    return true;
  }
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [&](Json& element) { return multiply(element, factor); });
}

}  // namespace

bool goodPointer(const std::string& pointer) {
  if (!pointer.starts_with('/') || pointer.find('=') != std::string::npos) return false;
  try {
    const Json::json_pointer parsed(pointer);
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

std::vector<std::string> readPointers(const Json& entry, const std::string& where, Checks& checks) {
  const Json& pointer = entry.at("pointer");
  auto pointers =
      pointer.is_string() ? std::vector{pointer.get<std::string>()} : pointer.get<std::vector<std::string>>();
  for (const std::string& place : pointers) {
    if (!goodPointer(place))
      checks.fault(where + "/pointer", "\"" + place + "\" is not a JSON pointer; write it like /loop/duration_s.");
    else if (place == kSeedPlace)
      checks.fault(where + "/pointer", "varies the seed; give \"seeds\" instead.");
  }
  return pointers;
}

std::string readName(const Json& entry, const std::string& pointer, const std::string& where, Checks& checks) {
  std::string name = entry.value("name", columnName(pointer));
  if (entry.contains("name") && !goodName(name))
    checks.fault(where + "/name", "names a column of the result; use only letters, digits, \"-\", \"_\" and \".\".");
  return name;
}

RandomPlan readRandomPlan(const Json& study, std::size_t candidates, std::vector<std::string>& notes, Checks& checks) {
  RandomPlan plan;
  const Json random = study.value("random", Json::array()), samples = study.value("samples", Json());
  Checks own;
  for (std::size_t r = 0; r < random.size(); ++r)
    plan.settings.push_back(readSetting(random[r], "/random/" + std::to_string(r), own));
  const Eigen::MatrixXd correlation = readCorrelations(study.value("correlations", Json::array()), plan.settings, own);
  const std::size_t inputs = plan.settings.size();
  if (inputs > 0 && samples.is_null())
    own.fault("/samples", "is missing; give the number of samples: {\"count\": 100}.");
  if (inputs == 0 && !samples.is_null())
    own.fault("/samples", "has nothing to draw; give \"random\" settings, or remove \"samples\".");
  if (!own.ok() || inputs == 0) {
    checks.take(own, "");
    return plan;
  }
  const auto count = samples.at("count").get<std::size_t>();
  const auto seed = samples.value("seed", std::uint64_t{1});
  const auto word = samples.value("design", std::string(kDesignWords[1]));
  const auto design = static_cast<Design>(std::ranges::find(kDesignWords, word) - kDesignWords.begin());
  plan.indices = samples.value("indices", false);
  plan.replicates = samples.value("replicates", std::size_t{1});
  if (candidates > 0 && samples.value("fresh", true)) plan.sets = candidates;
  const std::size_t rows = plan.indices ? indexRows(inputs) : 1, total = plan.sets * plan.replicates * count * rows;
  if (total > Study::kMostRuns) {
    checks.fault("/samples", "leads to " + std::to_string(total) + " samples; a study has at most 1,000,000 runs.");
    return plan;
  }
  if (design == Design::sobol && !std::has_single_bit(count))
    notes.push_back("The number of samples, " + std::to_string(count) +
                    ", is not a power of two; Sobol points are balanced with " + std::to_string(std::bit_floor(count)) +
                    " or " + std::to_string(std::bit_ceil(count)) + ".");
  const bool correlated = !correlation.isIdentity(0.0);
  if (plan.indices && correlated)
    checks.fault("/samples/indices", "needs independent settings; remove \"correlations\", or the indices.");
  plan.drawn.resize(static_cast<Index>(total), static_cast<Index>(inputs));
  Index at = 0;
  for (std::size_t r = 0; r < plan.sets * plan.replicates; ++r) {
    Eigen::MatrixXd points = unitPoints(design, count, plan.indices ? 2 * inputs : inputs, seedOfRun(seed, r));
    if (correlated && !correlate(points, correlation)) {
      checks.fault("/correlations",
                   "contradict one another: their matrix is not positive definite; reduce some of them.");
      return plan;
    }
    for (Index p = 0; p < points.rows(); ++p)
      for (std::size_t row = 0; row < rows; ++row, ++at)
        for (Index i = 0; i < static_cast<Index>(inputs); ++i) {
          const bool second = row == 1 || row == static_cast<std::size_t>(i) + 2;  // point B, or A with this input of B
          plan.drawn(at, i) = quantile(plan.settings[static_cast<std::size_t>(i)].distribution,
                                       points(p, second ? i + static_cast<Index>(inputs) : i));
        }
  }
  return plan;
}

void RandomPlan::apply(Json& project, std::size_t row) const {
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const RandomSetting& setting = settings[s];
    const Json value = setting.value(drawn(static_cast<Index>(row), static_cast<Index>(s)));
    for (const std::string& pointer : setting.pointers) {
      if (!setting.factor) {
        setValue(project, pointer + "=" + value.dump());
        continue;
      }
      const Json::json_pointer place(pointer);
      if (!project.contains(place) || !multiply(project[place], value.get<double>()))
        throw InputError(pointer,
                         "is no number, or is left out; a random factor multiplies what stands there. Give "
                         "the number in the project, or a distribution without \"factor\".");
    }
  }
}

}  // namespace hyb
