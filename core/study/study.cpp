#include "core/study/study.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/checks.h"
#include "core/fidelity/measure.h"
#include "core/project/reading.h"
#include "core/project/schema.h"
#include "core/study/search.h"
#include "core/study/value_labels.h"
#include "resources/resources.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTooMany = "; a study has at most 1,000,000 runs; use fewer values or samples.";

std::vector<Json> rangeValues(const Json& range, const std::string& where, Checks& checks) {
  const double from = range.at("from").get<double>(), to = range.at("to").get<double>();
  const auto count = range.at("count").get<std::size_t>();
  const bool logarithmic = range.value("spacing", "linear") == std::string("logarithmic");
  if (logarithmic && !(from > 0.0 && to > 0.0)) {
    checks.fault(
        where, "includes zero; equal ratios need both ends above 0; correct them, or choose \"spacing\": \"linear\".");
    return {};
  }
  if (count == 1 && from != to) {
    checks.fault(where + "/count", "is 1, but from and to differ; give 2 or more.");
    return {};
  }
  const bool whole = range.at("from").is_number_integer() && range.at("to").is_number_integer();
  std::vector<Json> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.0;
    double value = logarithmic ? from * std::pow(to / from, share) : from + (to - from) * share;
    if (i + 1 == count) value = to;  // exact to the last bit
    if (whole && std::trunc(value) == value)
      values.emplace_back(static_cast<std::int64_t>(value));
    else
      values.emplace_back(value);
  }
  return values;
}

Variation readVariation(const Json& entry, const std::string& where, Checks& checks) {
  Variation variation;
  variation.pointers = readPointers(entry, where, checks);
  variation.name = readName(entry, variation.pointers.front(), where, checks);
  if (entry.contains("range"))
    variation.values = rangeValues(entry.at("range"), where + "/range", checks);
  else
    variation.values = entry.at("values").get<std::vector<Json>>();
  variation.setLabels();
  return variation;
}

void readSeeds(const Json& document, Study& study, Checks& checks) {
  const Json seeds = document.value("seeds", Json(1));
  const Json::json_pointer place(kSeedPlace);
  const Json own = study.base.contains(place) ? study.base.at(place) : Json(TwinParams().seed);
  if (seeds.is_array()) {
    study.seeds = seeds.get<std::vector<std::uint64_t>>();
    if (std::set<std::uint64_t>(study.seeds.begin(), study.seeds.end()).size() < study.seeds.size())
      checks.fault("/seeds", "contains a seed twice, which repeats the same run; remove one of them.");
    return;
  }
  const std::uint64_t first = own.is_number_unsigned() ? own.get<std::uint64_t>() : TwinParams().seed;
  for (std::uint64_t s = 0; s < seeds.get<std::uint64_t>(); ++s) study.seeds.push_back(first + s);
}

void readMeasures(const Json& document, Study& study, Checks& checks) {
  std::vector<std::string> known;
  std::vector<std::string> usual;
  for (const FigureKind& kind : figureKinds()) {
    known.emplace_back(kind.name);
    if (kind.measure->always()) usual.emplace_back(kind.name);
  }
  study.measures = document.value("measures", usual);
  for (std::string& name : study.measures)
    if (const Measure* measure = findMeasure(name)) name = measure->name;  // older files use other names
  for (std::size_t m = 0; m < study.measures.size(); ++m)
    if (std::find(known.begin(), known.end(), study.measures[m]) == known.end())
      checks.fault("/measures/" + std::to_string(m), "\"" + study.measures[m] + "\" is not a figure of a run. " +
                                                         hint(study.measures[m], known) + "Known are " +
                                                         quotedList(known, "and") + ".");
}

/// Columns and places that are named twice, by variations or random settings.
void checkNames(const Study& study, Checks& checks) {
  std::set<std::string> names, places;
  const auto look = [&](const std::string& where, const std::string& name, const std::vector<std::string>& pointers) {
    if (!names.insert(name).second)
      checks.fault(where, "leads to a second column \"" + name + "\"; give each its own \"name\".");
    for (const std::string& place : pointers)
      if (!places.insert(place).second)
        checks.fault(where + "/pointer", "varies " + place + " a second time; remove one of them.");
  };
  for (std::size_t v = 0; v < study.variations.size(); ++v)
    look("/vary/" + std::to_string(v), study.variations[v].name, study.variations[v].pointers);
  for (std::size_t r = 0; r < study.random.settings.size(); ++r)
    look("/random/" + std::to_string(r), study.random.settings[r].name, study.random.settings[r].pointers);
}

void checkSize(const Study& study, Checks& checks) {
  std::size_t combinations = 1;
  for (std::size_t v = 0; v < study.variations.size(); ++v) {
    const std::size_t count = study.variations[v].values.size();
    if (!study.together) {
      combinations = std::min(combinations * count, Study::kMostRuns + 1);
    } else if (count != study.variations.front().values.size()) {
      checks.fault("/vary/" + std::to_string(v), "has " + std::to_string(count) +
                                                     " values, but the first variation has " +
                                                     std::to_string(study.variations.front().values.size()) +
                                                     "; use equal numbers of values, or choose \"combine\": \"grid\".");
    }
  }
  if (study.together && !study.variations.empty()) combinations = study.variations.front().values.size();
  const std::size_t samples = study.random.samples();
  if (combinations > Study::kMostRuns)
    checks.fault("/vary", std::string("leads to more than 1,000,000 combinations") + kTooMany);
  else if (combinations * samples > Study::kMostRuns)
    checks.fault("/samples", "leads to " + std::to_string(combinations * samples) + " runs" + kTooMany);
  else if (combinations * samples * study.seeds.size() > Study::kMostRuns)
    checks.fault("/seeds",
                 "leads to " + std::to_string(combinations * samples * study.seeds.size()) + " runs" + kTooMany);
}

void loadBase(const Json& document, const fs::path& folder, const Json* project, Study& study, Checks& checks) {
  if (project) {
    study.base = *project;
  } else {
    const auto name = document.at("project").get<std::string>();
    std::error_code ignored;
    const fs::path beside = folder / name;
    const bool file = fs::path(name).has_parent_path() || fs::path(name).extension() == ".json" ||
                      fs::is_regular_file(beside, ignored);
    study.base = loadDocument(file ? beside.string() : name, &study.folder);
  }
  if (study.folder.empty()) study.folder = folder;  // a template: files in "set" are relative to the study
  const Json set = document.value("set", Json::object());
  if (!set.is_object()) {
    checks.fault("/set", "must be an object of JSON pointers and values: {\"/loop/duration_s\": 10}.");
    return;
  }
  for (const auto& [pointer, value] : set.items()) {
    const std::string where = "/set/" + pointerToken(pointer);
    if (!goodPointer(pointer)) {
      checks.fault(where, "is not a JSON pointer; write it like /loop/duration_s.");
      continue;
    }
    try {
      setValue(study.base, pointer + "=" + value.dump());
    } catch (const InputError& error) {
      for (const Issue& issue : error.issues()) checks.fault(where, issue.where + ": " + issue.message);
    }
  }
}

}  // namespace

const Json& studySchema() {
  static const Json schema = Json::parse(resourceText("schema/study.schema.json"));
  return schema;
}

Study parseStudy(const Json& document, const fs::path& folder, const Json* project) {
  if (!document.is_object() || document.value("format", Json()) != "hybridbench-study")
    throw InputError("/format", "this is not a study; its first entry must be \"format\": \"hybridbench-study\".");
  if (std::vector<Issue> issues = checkSchema(document, studySchema()); !issues.empty())
    throw InputError(std::move(issues));
  Study study;
  study.document = document;
  Checks checks;
  loadBase(document, folder, project, study, checks);
  study.together = document.value("combine", "grid") == std::string("together");
  study.paced = document.value("pace", "free-run") == std::string("real-time");
  study.pause_s = document.value("pause_s", 0.0);
  const Json traces = document.value("traces", Json(false));
  study.traces = traces.is_array() || traces == Json(true);
  if (traces.is_array()) study.trace_channels = traces.get<std::vector<std::string>>();
  const Json vary = document.value("vary", Json::array());
  for (std::size_t v = 0; v < vary.size(); ++v)
    study.variations.push_back(readVariation(vary[v], "/vary/" + std::to_string(v), checks));
  readSeeds(document, study, checks);
  readMeasures(document, study, checks);
  study.search = readSearch(document, study.variations, checks);
  if (study.search) {
    study.together = true;
    if (std::ranges::find(study.measures, study.search->figure) == study.measures.end())
      study.measures.push_back(study.search->figure);
  }
  study.random = readRandomPlan(document, study.search ? study.search->candidates() : 0, study.notes, checks);
  checkNames(study, checks);
  checkSize(study, checks);
  checks.throwIfAny();
  return study;
}

const std::vector<ShippedStudy>& shippedStudies() {
  static const std::vector<ShippedStudy> all = [] {
    constexpr std::string_view kFolder = "studies/", kEnding = ".json";
    std::vector<ShippedStudy> list;
    for (const Resource& resource : resources()) {
      if (!resource.path.starts_with(kFolder) || !resource.path.ends_with(kEnding)) continue;
      Json document = Json::parse(resource.text);
      std::string title = document.at("title").get<std::string>();
      list.push_back(
          {std::string(resource.path.substr(kFolder.size(), resource.path.size() - kFolder.size() - kEnding.size())),
           std::move(title), std::move(document)});
    }
    return list;
  }();
  return all;
}

const ShippedStudy* shippedStudy(std::string_view name) {
  const auto found = std::ranges::find(shippedStudies(), name, &ShippedStudy::name);
  return found == shippedStudies().end() ? nullptr : &*found;
}

Study loadStudy(const fs::path& file) {
  std::error_code ignored;
  const ShippedStudy* shipped = fs::exists(file, ignored) ? nullptr : shippedStudy(file.string());
  const Json document = shipped != nullptr ? shipped->document : readJson(file.string());
  try {
    return parseStudy(document, fs::absolute(file).parent_path());
  } catch (const InputError& error) {
    std::vector<Issue> issues = error.issues();
    for (Issue& issue : issues) issue.where = file.string() + ": " + issue.where;
    throw InputError(std::move(issues));
  }
}

void requirePace(const Project& project, bool paced) {
  if (paced || project.rig.use == RigUse::twin) return;
  throw InputError(
      "/rig/use",
      "moves hardware, which a free run drives at the maximum rate of its answers; run it at the loop's rate "
      "(--real-time, or \"pace\": \"real-time\" in the study), or on the twin.");
}

void Variation::setLabels() {
  labels = valueLabels(values);
  speaks = std::ranges::any_of(values, [](const Json& value) {
    return value.is_object() || (value.is_array() && !value.empty() && value.front().is_object());
  });
}

std::size_t Study::combinations() const noexcept {
  if (together) return variations.empty() ? 1 : variations.front().values.size();
  std::size_t count = 1;
  for (const Variation& variation : variations) count *= variation.values.size();
  return count;
}

std::vector<std::size_t> Study::choice(std::size_t combination) const {
  std::vector<std::size_t> indices(variations.size(), combination);
  if (together) return indices;
  for (std::size_t v = variations.size(); v-- > 0;) {
    indices[v] = combination % variations[v].values.size();
    combination /= variations[v].values.size();
  }
  return indices;
}

std::uint64_t seedOfRun(std::uint64_t campaign, std::size_t run) noexcept {
  std::uint64_t z = campaign + (static_cast<std::uint64_t>(run) + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return (z ^ (z >> 31)) >> 11;
}

std::uint64_t Study::seed(std::size_t run) const {
  if (!run_seeds.empty()) return run_seeds[run];
  const std::uint64_t own = seeds[run % seeds.size()];
  return random.settings.empty() ? own : seedOfRun(own, drawnRow(run));
}

Json Study::nominal(std::size_t combination) const {
  Json varied = base;
  const std::vector<std::size_t> indices = choice(combination);
  for (std::size_t v = 0; v < variations.size(); ++v)
    for (const std::string& pointer : variations[v].pointers)
      setValue(varied, pointer + "=" + variations[v].values[indices[v]].dump());
  return varied;
}

Json Study::project(std::size_t run) const {
  Json varied = nominal(combinationOf(run));
  random.apply(varied, drawnRow(run));
  setValue(varied, kSeedPlace + ("=" + std::to_string(seed(run))));
  return varied;
}

std::string Study::words(std::size_t combination) const {
  const bool alone = std::ranges::count(variations, true, &Variation::speaks) == 1;
  std::string text, without;
  const std::vector<std::size_t> indices = choice(combination);
  for (std::size_t v = 0; v < variations.size(); ++v) {
    const Variation& variation = variations[v];
    const Json& value = variation.values[indices[v]];
    if (value.is_null()) continue;  // a candidate that a search has not proposed yet
    if (value == Json(false) || value == Json::array()) {
      without += (without.empty() ? "without " : ", ") + variation.name;
      continue;
    }
    if (!text.empty()) text += ", ";
    const bool own = alone && variation.speaks;
    if (!own) text += variation.name;
    if (value != Json(true)) text += (own ? "" : " ") + variation.labels[indices[v]];
  }
  return text.empty() ? without : text;
}

}  // namespace hyb
