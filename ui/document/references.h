#pragma once
#include <QStringList>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace hyb::ui {

class ProjectDocument;

/// Names that a reference ("x-reference") can take: from lists in the document, or nodes and degrees of freedom of the
/// structure last built.
QStringList referenceChoices(const ProjectDocument& document, const QString& reference);

/// Short meaning of a name: "2.2 kg", "4 elements of steel". Empty: unknown.
QString partNote(const Json& document, const QString& name);

/// Changes all references to the entry `old` of `list` ("masses", "nodes", ...) into `name`, also in derived names:
/// "column/3", "A.x".
void followRenaming(Json& document, const std::string& list, const std::string& old, const std::string& name);

}  // namespace hyb::ui
