#pragma once
#include <string>

#include "core/project/project.h"

namespace hyb::ui {

class ProjectDocument;

/// The schema of a property at `pointer` whose members a file describes: "x-described-by" names the setting beside it
/// that holds the file. Null for other properties, and while there is no such file. Valid until the program ends.
const Json* describedSchema(const ProjectDocument& document, const Json& property, const std::string& pointer);

/// signatureOf() a section of the document with all that its files describe. A change rebuilds the form.
std::string sectionSignature(const ProjectDocument& document, const Json& node, const std::string& section);

}  // namespace hyb::ui
