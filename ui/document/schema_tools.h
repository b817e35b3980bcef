#pragma once
#include <QString>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

/// Readers of the JSON Schema that forms are made from. Nodes are given by reference into projectSchema().

const Json& resolved(const Json& node);  // follows $ref
QString schemaText(const Json& node, const char* key);
bool hasType(const Json& node, const char* type);
/// A list of numbers of any length: one line of text. Rows of numbers: text of several lines.
bool isNumberList(const Json& node);
bool isNumberTable(const Json& node);
bool isNameList(const Json& node);  // names of parts of the project
/// "Allowed: above 0, up to 1e9 kg." Empty without bounds.
QString rangeText(const Json& node);
/// Text of a tooltip: description, range, unit and key.
QString fieldHelp(const Json& node, const std::string& pointer);

/// One of the forms of an object: kinds differ by a constant ("kind": "sine"), alternatives by the key present.
struct ObjectShape {
  struct Kind {
    QString title;
    Json value;
    const Json* branch;
  };
  struct Alternative {
    QString title;
    std::string key;
  };
  const Json* properties = nullptr;
  std::string discriminator;  // empty: only one kind
  std::vector<Kind> kinds;
  int kind = -1;
  std::vector<Alternative> alternatives;  // empty: none
  int alternative = 0;

  bool isAlternative(const std::string& key) const;
};
ObjectShape shapeOf(const Json& node, const Json* value);

/// Schema of a place in the project, with all its kinds; null if the document has no such place.
const Json* schemaAt(const Json& document, const std::string& pointer);

/// An optional object without required content: shown only on demand.
bool needsChoices(const Json& node);

/// Initial value of a node: default, first choice, or smallest allowed number.
Json initialValue(const Json& node);
/// Converts `old` to another branch and keeps common keys.
Json inBranch(const Json& branch, const Json& old);
/// A property with "x-with" has no meaning in this object: the text of a key named there does not begin as asked.
bool isIdle(const Json& property, const Json& object);
/// Keys, sizes and kinds, without values. A change rebuilds the form.
std::string signatureOf(const Json& value, const Json& node);

/// "name" of an object, or empty.
std::string nameOf(const Json& item);

}  // namespace hyb::ui
