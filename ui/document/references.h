#pragma once
#include <QStringList>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

class ProjectDocument;

/// Names that a reference ("x-reference") may take now: of lists in the document, or of nodes and degrees of freedom of
/// the structure as it was last built.
QStringList referenceChoices(const ProjectDocument& document, const QString& reference);

/// What a name stands for, in a few words: "2.2 kg", "4 elements of steel". Empty where there is nothing to say.
QString partNote(const Json& document, const QString& name);

/// Everything that refers to the entry `old` of `list` ("masses", "nodes", ...) refers to `name` from now on, also
/// where a name is built upon it: "column/3", "A.x".
void followRenaming(Json& document, const std::string& list, const std::string& old, const std::string& name);

}  // namespace hyb::ui
