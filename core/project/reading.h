#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb {

/// JSON from a file; keys given twice and nesting without end are faults too. Throws InputError (line and column) or
/// DeviceError (unreadable).
Json readJson(const std::string& file);

/// A document as far as it could be understood.
struct Reading {
  Project project;
  std::vector<Issue> issues;  // schema, then meaning; empty = the project is valid
};
Reading readProject(const Json& document, const std::filesystem::path& folder);

/// One section whose schema is kept. Files of matrices are relative to `folder`.
Structure parseStructure(const Json& section, const std::filesystem::path& folder);
PartitionSpec parsePartition(const Json& section);
RigSpec parseRig(const Json& section, const std::filesystem::path& folder);

/// Fills every section that is not in `broken` (whose schema is kept). Names of loads are left to checkMeaning.
void parseSections(const Json& document, const std::set<std::string>& broken, Project& project);

/// What the schema cannot say: names, references, units, counts, frequencies against the rate. Only sections that are
/// not in `broken` are judged. Resolves the loads, spreads single numbers over all interfaces and takes notes.
void checkMeaning(const std::set<std::string>& broken, Project& project, std::vector<Issue>& issues);

}  // namespace hyb
