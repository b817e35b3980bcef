#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_fwd.h"

namespace hyb {

/// A family of methods or models that a project chooses from. A member <name> brings its branch of the schema,
/// resources/schema/<family>/<name>.json, and stands in a help page: resources/help/<family>/<name>.md, or one that it
/// names or shares.
struct FamilyMember {
  std::string_view name;
  std::string page;  // "compensation/none", "safety"
};
struct Family {
  std::string_view name;
  const char* key;                    // that chooses a member
  std::vector<FamilyMember> members;  // as offered
};
const std::vector<Family>& families();
/// std::logic_error where there is no such family.
const Family& familyOf(const std::string& name);
/// A member's branch of the schema as it stands in its file.
Json branchOf(const Family& family, std::string_view member);

/// Which member the settings chose; null where they chose none.
const FamilyMember* chosenMember(const Family& family, const Json& settings);

/// A help page in Markdown. A line "{{family}}" stands for a table of the family's members, from their branches.
std::string helpText(std::string_view page);

/// Puts the branches of the families into the schema's nodes that name one:
///   "x-family": {"of": family, "title": title of the key that chooses a member}
/// The key may be left out where the node has an "x-default-variant". The node's own properties are those that all
/// members share, with "shared_first" before the members' own. With "each", a text, the node also takes a list with one
/// choice for each interface DOF. Definitions of a branch become the schema's; "adds" of a branch are properties that
/// it gives to definitions: {"channel": {"set": {...}}}.
void putFamiliesInto(Json& schema);

}  // namespace hyb
