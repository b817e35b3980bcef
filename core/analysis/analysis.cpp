#include "core/analysis/analysis.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/figure_text.h"
#include "core/base/number_text.h"
#include "core/base/words.h"

namespace hyb {
namespace {

std::string listOf(std::span<const std::string_view> words) {
  std::string all;
  for (const std::string_view word : words) all += (all.empty() ? "" : ", ") + std::string(word);
  return all;
}

std::string withUnit(double value, const AnalysisOption& option) {
  return figureText(value, 6) + (option.unit.empty() ? "" : " ") + std::string(option.unit);
}

void checkOption(const AnalysisOption& option, const std::string& text) {
  const std::string name(option.name), title(option.title);
  if (!option.words.empty()) {
    if (std::ranges::find(option.words, text) != option.words.end()) return;
    throw InputError(name, "is " + text + "; choose one of: " + listOf(option.words) + ".");
  }
  const std::optional<double> value = numberIn(text);
  if (!value) throw InputError(name, "is " + quoted(text) + ", which is not a number; enter a number.");
  const bool whole = !option.whole || std::floor(*value) == *value;
  const bool low = option.above ? *value > option.least : *value >= option.least;
  if (whole && low && *value <= option.most) return;
  throw InputError(name, "is " + withUnit(*value, option) + "; enter a " + (option.whole ? "whole " : "") + "number " +
                             (option.above ? "above " : "from ") + withUnit(option.least, option) + " to " +
                             withUnit(option.most, option) + ".");
}

void checkChannels(const Table& table, const Analysis& analysis, const std::vector<std::string>& channels) {
  const std::string title(analysis.title), where(analysis.name);
  if (channels.empty()) throw InputError(where, title + " needs a channel; name one.");
  if (analysis.inputs == AnalysisInputs::one && channels.size() > 1)
    throw InputError(
        where, title + " takes one channel, and " + std::to_string(channels.size()) + " are named; name one of them.");
  if (analysis.inputs == AnalysisInputs::pair && channels.size() < 2)
    throw InputError(where, title + " needs two channels, the input and then the output; name a second one.");
  std::set<std::string> seen;
  for (const std::string& name : channels) {
    placeOf(table, name);
    if (!seen.insert(name).second) throw InputError(name, "is named twice; name each channel once.");
  }
}

}  // namespace

AnalysisSettings::AnalysisSettings(std::string_view analysis, std::span<const AnalysisOption* const> options,
                                   const std::map<std::string, std::string>& given) {
  std::vector<std::string> known;
  for (const AnalysisOption* option : options) {
    known.emplace_back(option->name);
    const auto text = given.find(known.back());
    const bool has = text != given.end() && !text->second.empty();
    if (!has && option->required)
      throw InputError(known.back(), "is missing; enter it in " + std::string(option->unit) + ".");
    if (has) checkOption(*option, text->second);
    if (has || !option->usual.empty()) texts_[known.back()] = has ? text->second : std::string(option->usual);
  }
  for (const auto& [name, text] : given) {
    if (text.empty() || std::ranges::find(known, name) != known.end()) continue;
    std::string all;
    for (const std::string& one : known) all += (all.empty() ? "" : ", ") + one;
    throw InputError(name, "is not an option of " + std::string(analysis) + ". " + hint(name, known) +
                               (all.empty() ? "It has no options." : "Options: " + all + "."));
  }
}

std::optional<double> AnalysisSettings::number(const AnalysisOption& option) const {
  const auto text = texts_.find(option.name);
  return text == texts_.end() ? std::nullopt : numberIn(text->second);
}

std::size_t AnalysisSettings::word(const AnalysisOption& option) const {
  const auto text = texts_.find(option.name);
  const auto found = text == texts_.end() ? option.words.begin() : std::ranges::find(option.words, text->second);
  return static_cast<std::size_t>(found - option.words.begin());
}

AnalysisResult analyse(const Table& table, const Analysis& analysis, const std::vector<std::string>& channels,
                       const std::map<std::string, std::string>& settings) {
  checkChannels(table, analysis, channels);
  const AnalysisSettings checked(analysis.name, analysis.options, settings);
  if (analysis.timed && !(table.rate_hz > 0.0))
    throw InputError("", "This record has no rate, and " + std::string(analysis.title) +
                             " needs evenly spaced rows; choose a record with a rate.");
  if (table.rows == 0) throw InputError("", "This record has no rows; choose another record or a longer stretch.");
  AnalysisResult result = analysis.compute(table, channels, checked);
  result.analysis = analysis.name;
  std::string names;
  for (const std::string& name : channels) names += (names.empty() ? "" : ", ") + name;
  result.title = std::string(analysis.title) + " of " + names;
  return result;
}

}  // namespace hyb
