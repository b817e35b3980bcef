#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json_fwd.h"

namespace hyb {

/// A family of methods or models that a project chooses from. Each member `<name>` has its branch of the schema,
/// `resources/schema/<family>/<name>.json`, and a help page: `resources/help/<family>/<name>.md`, or a named or shared
/// page.
struct FamilyMember {
  std::string_view name;
  std::string page;  // "compensation/none", "safety"
};
struct Family {
  std::string_view name;
  const char* key;                    // key that selects a member
  std::vector<FamilyMember> members;  // in display order
};
const std::vector<Family>& families();
/// Throws std::logic_error for an unknown family.
const Family& familyOf(const std::string& name);
/// Schema branch of a member, as in its file.
Json branchOf(const Family& family, std::string_view member);

/// The member selected by the settings; null if none is selected.
const FamilyMember* chosenMember(const Family& family, const Json& settings);

/// A help page in Markdown. The line "{{family}}" is replaced by a table of the members, made from their branches.
std::string helpText(std::string_view page);

/// Inserts the branches of the families into the schema nodes that name one:
///   "x-family": {"of": family, "title": title of the key that selects a member}
/// The key may be omitted if the node has an "x-default-variant". The node's own properties are shared by all members;
/// with "shared_first" they precede the members' own. With "each", a text, the node also accepts a list with one choice
/// for each interface DOF. "without" of a branch lists shared properties that it does not have. Definitions of a branch
/// become definitions of the schema. "adds" of a branch are properties
/// that it adds to definitions: {"channel": {"set": {...}}}.
void putFamiliesInto(Json& schema);

}  // namespace hyb
