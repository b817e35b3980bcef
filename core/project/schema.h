#pragma once
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/words.h"
#include "core/project/project.h"

namespace hyb {

/// Every place where the document breaks the project schema, in the order of the schema. Variants (`oneOf` with a
/// `const` key) are judged by the variant that the document chose, so that messages are about that one alone.
std::vector<Issue> checkSchema(const Json& document);
/// The same for another document and its own schema. What has neither "type" nor "oneOf" takes any value.
std::vector<Issue> checkSchema(const Json& document, const Json& schema);

/// The schema of the value that `pointer` names, in the variant that the document chose. Throws InputError when there
/// is no such place: names the closest key and the keys there are.
const Json& schemaOf(const Json& document, const std::string& pointer);

/// The variant of `schema` that `value` chose by its `const` key, or "x-default-variant" where the key is left out;
/// `schema` itself (without $ref) when it has no variants; nullptr when the choice is missing or unknown.
const Json* chosenVariant(const Json& schema, const Json& value);

/// Key that tells the variants of `schema` apart ("kind"); "" when it has none.
std::string variantKey(const Json& schema);

/// "a, b or c", each in double quotes.
std::string quotedList(const std::vector<std::string>& words, const std::string& joint = "or");

/// Shortest decimal text that reads back as the same number.
std::string numberText(double value);

/// Number of characters of UTF-8 text; -1 when it is not valid UTF-8.
long utf8Length(const std::string& text);

/// Key as a token of a JSON pointer: "~" and "/" escaped.
std::string pointerToken(const std::string& key);

}  // namespace hyb
