#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// JSON from a file. Duplicate keys and excessive nesting are also faults. Throws InputError (line and column) or
/// DeviceError (unreadable).
Json readJson(const std::string& file);

/// A document as far as it could be parsed.
struct Reading {
  Project project;
  std::vector<Issue> issues;  // schema, then meaning; empty = the project is valid
};
Reading readProject(const Json& document, const std::filesystem::path& folder);

/// One section that satisfies the schema. Matrix files are relative to `folder`.
Structure parseStructure(const Json& section, const std::filesystem::path& folder);
PartitionSpec parsePartition(const Json& section);
RigSpec parseRig(const Json& section, const std::filesystem::path& folder);

/// Parses every section that is not in `broken` (violates the schema). checkMeaning resolves the names of loads.
void parseSections(const Json& document, const std::set<std::string>& broken, Project& project);

/// Checks that the schema cannot express: names, references, units, counts, frequencies against the rate. Only for
/// sections that are not in `broken`. Resolves the loads, expands single numbers to all interfaces and takes notes.
void checkMeaning(const std::set<std::string>& broken, Project& project, std::vector<Issue>& issues);

}  // namespace hyb
