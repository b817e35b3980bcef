#pragma once
#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

/// Readers of the JSON Schema that forms are made from. Nodes are given by reference into projectSchema().

const Json& resolved(const Json& node);  // follows $ref
QString schemaText(const Json& node, const char* key);
bool hasType(const Json& node, const char* type);
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

/// Smallest sensible value of a node: default, first choice, or the least number that is allowed.
Json initialValue(const Json& node);
/// `old` in the form of another branch: what both have in common is kept.
Json inBranch(const Json& branch, const Json& old);
/// Keys, sizes and kinds, without values: a form is built anew when this changes.
std::string signatureOf(const Json& value, const Json& node);

/// "name" of an object, or empty.
std::string nameOf(const Json& item);

/// Names that a reference ("x-reference") may take in this document.
QStringList referenceChoices(const Json& document, const QString& reference);

}  // namespace hyb::ui
