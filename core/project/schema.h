#pragma once
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/project/project.h"

namespace hyb {

/// All violations of the project schema in the document, in the order of the schema. A variant (`oneOf` with a `const`
/// key) is checked against the branch that the document selects, so that messages refer to that branch only.
std::vector<Issue> checkSchema(const Json& document);
/// The same for another document and its own schema. A node without "type" and "oneOf" accepts any value.
std::vector<Issue> checkSchema(const Json& document, const Json& schema);

/// The schema of the value at `pointer`, in the variant that the document selects. Throws InputError for an unknown
/// place, with the closest key and the existing keys.
const Json& schemaOf(const Json& document, const std::string& pointer);

/// The variant of `schema` that `value` selects by its `const` key, or "x-default-variant" if the key is missing.
/// `schema` itself (without $ref) if it has no variants; nullptr if the choice is missing or unknown.
const Json* chosenVariant(const Json& schema, const Json& value);

/// `value` with the default of every field that it leaves out, in the variants that it selects. Sections and objects
/// that are left out as a whole stay out, as do fields of which only one may be given. `schema` describes `value`.
Json withDefaults(Json value, const Json& schema);
/// The same for a section of a project, for example "rig".
Json sectionWithDefaults(const Json& document, const std::string& section);

/// Key that distinguishes the variants of `schema` ("kind"); "" if there is none.
std::string variantKey(const Json& schema);

/// "a, b or c", each in double quotes.
std::string quotedList(const std::vector<std::string>& words, const std::string& joint = "or");

/// Shortest decimal text that reads back as the same number.
std::string numberText(double value);

/// Number of characters of UTF-8 text; -1 if it is not valid UTF-8.
long utf8Length(const std::string& text);

/// Key as a token of a JSON pointer: "~" and "/" escaped.
std::string pointerToken(const std::string& key);

}  // namespace hyb
