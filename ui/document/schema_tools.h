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
/// A list of numbers, as many as one likes: one line of text. Rows of numbers: a text of several lines.
bool isNumberList(const Json& node);
bool isNumberTable(const Json& node);
bool isNameList(const Json& node);  // names of parts of the project
/// "Allowed: above 0, up to 1e9 kg." Empty when there is nothing to say.
QString rangeText(const Json& node);
/// Description, range, unit and key: what a tooltip says.
QString fieldHelp(const Json& node, const std::string& pointer);

/// One of the forms an object may take: kinds differ by a constant ("kind": "sine"), alternatives by which key is
/// there.
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
  std::string discriminator;  // empty: only one kind, nothing to choose
  std::vector<Kind> kinds;
  int kind = -1;
  std::vector<Alternative> alternatives;  // empty: none
  int alternative = 0;

  bool isAlternative(const std::string& key) const;
};
ObjectShape shapeOf(const Json& node, const Json* value);

/// Schema of the place in the project, with all the kinds it may take; null where the document has no such place.
const Json* schemaAt(const Json& document, const std::string& pointer);

/// An object that says nothing until someone gives it something: shown only on demand.
bool needsChoices(const Json& node);

/// Smallest sensible value of a node: default, first choice, or the least number that is allowed.
Json initialValue(const Json& node);
/// `old` in the form of another branch: what both have in common is kept.
Json inBranch(const Json& branch, const Json& old);
/// Keys, sizes and kinds, without values: a form is built anew when this changes.
std::string signatureOf(const Json& value, const Json& node);

/// "name" of an object, or empty.
std::string nameOf(const Json& item);

}  // namespace hyb::ui
