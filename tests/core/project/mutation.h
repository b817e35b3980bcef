#pragma once
#include <QString>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb::test {

inline Json base() { return templateDocument("three-mass"); }

/// `patch` is a JSON Patch (RFC 6902) in which {"set": pointer, "to": value} stands for add-or-replace.
inline Json mutate(Json document, const std::string& patch) {
  for (const Json& step : Json::parse(patch)) {
    if (step.contains("drop")) {
      const Json::json_pointer place(step.at("drop").get<std::string>());
      Json& owner = document.at(place.parent_pointer());
      if (owner.is_array())
        owner.erase(std::stoul(place.back()));
      else
        owner.erase(place.back());
    } else {
      document[Json::json_pointer(step.at("set").get<std::string>())] = step.at("to");
    }
  }
  return document;
}

inline QString listing(const std::vector<Issue>& issues) {
  QString text;
  for (const Issue& issue : issues)
    text += QString::fromStdString(issue.where) + ": " + QString::fromStdString(issue.message) + "\n";
  return text;
}

/// There is an issue at `where` whose sentence has `word` in it.
inline bool names(const std::vector<Issue>& issues, const std::string& where, const std::string& word) {
  for (const Issue& issue : issues)
    if (issue.where == where && issue.message.find(word) != std::string::npos) return true;
  return false;
}

inline bool hasDuplicates(const std::vector<Issue>& issues) {
  for (std::size_t i = 0; i < issues.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (issues[i].where == issues[k].where && issues[i].message == issues[k].message) return true;
  return false;
}

}  // namespace hyb::test
