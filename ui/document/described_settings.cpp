#include "ui/document/described_settings.h"

#include "core/rig/driver_description.h"
#include "ui/document/project_document.h"
#include "ui/document/schema_tools.h"

namespace hyb::ui {

const Json* describedSchema(const ProjectDocument& document, const Json& property, const std::string& pointer) {
  const auto by = property.find("x-described-by");
  if (by == property.end()) return nullptr;
  const Json* const file = document.at(pointer.substr(0, pointer.rfind('/') + 1) + by->get<std::string>());
  if (!file || !file->is_string() || file->get_ref<const std::string&>().empty()) return nullptr;
  const DriverDescription* const known = knownDescription(document.folder() / file->get<std::string>());
  return known ? &known->settings : nullptr;
}

std::string sectionSignature(const ProjectDocument& document, const Json& node, const std::string& section) {
  const Json* const value = document.at(section);
  std::string text = signatureOf(value ? *value : Json::object(), node);
  for (const auto& [key, property] : shapeOf(node, value).properties->items())
    if (const Json* own = describedSchema(document, resolved(property), section + "/" + key)) text += own->dump();
  return text;
}

}  // namespace hyb::ui
