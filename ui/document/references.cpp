#include "ui/document/references.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/project/schema.h"
#include "ui/document/field_editors.h"
#include "ui/document/project_document.h"
#include "ui/document/schema_tools.h"

namespace hyb::ui {
namespace {

QString referenceText(const char* text) { return QCoreApplication::translate("References", text); }

const Json* section(const Json& document, const char* key) {
  const auto found = document.is_object() ? document.find(key) : document.end();
  return found != document.end() && found->is_object() ? &*found : nullptr;
}

void addNames(QStringList& names, const Json& document, const char* key, std::initializer_list<const char*> lists) {
  const Json* owner = section(document, key);
  if (!owner) return;
  for (const char* list : lists)
    if (owner->contains(list))
      for (const Json& item : (*owner)[list])
        if (const std::string name = nameOf(item); !name.empty()) names << QString::fromStdString(name);
}

QString numberOf(const Json& item, const char* key, const char* unit) {
  return item.contains(key) && item[key].is_number()
             ? QStringLiteral("%1 %2").arg(NumberEdit::format(item[key]), QString::fromUtf8(unit))
             : QString();
}

/// How names of a list appear in references: unchanged, and with suffixes.
struct Follow {
  const char* list;
  bool parts;       // elements and parts on the rig
  bool nodes;       // nodes and their degrees of freedom
  bool inner;       // nodes "<name>/3" that a mesh adds
  bool everything;  // one list of names for all
};
constexpr Follow kFollow[] = {{"nodes", false, true, false, false},   {"members", true, false, true, false},
                              {"segments", true, false, true, false}, {"springs", true, false, false, false},
                              {"masses", true, true, false, true},    {"supports", true, true, false, true},
                              {"links", true, false, false, true},    {"storeys", true, true, false, true},
                              {"dofs", false, true, false, false},    {"grounds", false, false, false, true}};

bool refersTo(const std::string& list, const std::string& reference, char next) {
  if (list == "sections" || list == "signals") return reference + "s" == list && next == 0;
  const auto found =
      std::find_if(std::begin(kFollow), std::end(kFollow), [&](const Follow& f) { return list == f.list; });
  if (found == std::end(kFollow) || reference == "section" || reference == "signal") return false;
  const bool of_node = reference == "node" || reference == "dof" || reference == "interface-dof";
  if (next == '/') return of_node ? found->inner : found->parts;
  if (of_node) return found->nodes;
  if (reference == "element") return found->parts && next == 0;
  return found->everything && next == 0;  // "mass-or-support", "link", ...
}

void follow(Json& value, const Json& unresolved, const std::string& list, const std::string& old,
            const std::string& name) {
  const Json& node = resolved(unresolved);
  if (value.is_string()) {
    const std::string reference = node.value("x-reference", std::string());
    const std::string text = value.get<std::string>();
    if (reference.empty() || !text.starts_with(old)) return;
    const char next = text.size() > old.size() ? text[old.size()] : '\0';
    if ((next == 0 || next == '/' || next == '.') && refersTo(list, reference, next))
      value = name + text.substr(old.size());
  } else if (value.is_array() && node.contains("items")) {
    for (Json& item : value) follow(item, node["items"], list, old, name);
  } else if (value.is_object()) {
    const ObjectShape shape = shapeOf(node, &value);
    for (auto& [key, item] : value.items())
      if (shape.properties->contains(key)) follow(item, (*shape.properties)[key], list, old, name);
  }
}

}  // namespace

QStringList referenceChoices(const ProjectDocument& document, const QString& reference) {
  QStringList names;
  const Json& json = document.json();
  if (reference == QLatin1String("signal")) {
    addNames(names, json, "excitation", {"signals"});
  } else if (reference == QLatin1String("section")) {
    addNames(names, json, "structure", {"sections"});
  } else if (reference == QLatin1String("element")) {
    addNames(names, json, "structure", {"masses", "links", "storeys", "segments", "members", "springs"});
  } else if (reference == QLatin1String("interface-dof")) {
    for (const std::string& name : document.interfaceDofs()) names << QString::fromStdString(name);
  } else if (reference == QLatin1String("channel")) {
    for (const Channel& channel : document.furtherChannels()) names << QString::fromStdString(channel.name);
  } else if (reference == QLatin1String("dof") && document.model()) {
    for (const Dof& dof : document.model()->dofs) names << QString::fromStdString(dof.name);
  } else if (reference == QLatin1String("node")) {
    addNames(names, json, "structure", {"nodes"});  // nodes of a frame: members may refer only to these
    if (names.isEmpty() && document.model())
      for (const ModelNode& node : document.model()->nodes) names << QString::fromStdString(node.name);
  } else {
    if (reference.contains(QLatin1String("mass"))) addNames(names, json, "structure", {"masses"});
    if (reference.contains(QLatin1String("link"))) addNames(names, json, "structure", {"links"});
    if (reference.contains(QLatin1String("support"))) {
      const Json* structure = section(json, "structure");
      const bool lumped = structure && structure->value("kind", Json()) == "lumped";
      if (!lumped && document.model())
        for (const std::string& name : document.model()->supports) names << QString::fromStdString(name);
      else
        addNames(names, json, "structure", {"supports"});
    }
    if (reference.contains(QLatin1String("ground")) && document.model())
      for (const std::string& name : document.model()->supports) names << QString::fromStdString(name);
  }
  names.removeDuplicates();
  return names;
}

QString partNote(const Json& document, const QString& name) {
  const Json* structure = section(document, "structure");
  if (!structure) return {};
  for (const char* list : {"masses", "links", "storeys", "segments", "members", "springs"}) {
    if (!structure->contains(list)) continue;
    for (const Json& item : (*structure)[list]) {
      if (QString::fromStdString(nameOf(item)) != name) continue;
      QStringList words{numberOf(item, "mass_kg", "kg"), numberOf(item, "stiffness_n_per_m", "N/m"),
                        numberOf(item, "damping_n_s_per_m", "N s/m"), numberOf(item, "length_m", "m")};
      if (item.contains("section") && item["section"].is_string())
        words << QString::fromStdString(item["section"].get<std::string>());
      words.removeAll(QString());
      return words.isEmpty() && item.contains("from") ? referenceText("spring") : words.join(QStringLiteral(", "));
    }
  }
  return {};
}

void followRenaming(Json& document, const std::string& list, const std::string& old, const std::string& name) {
  const Json& properties = projectSchema()["properties"];
  for (auto& [key, value] : document.items())
    if (properties.contains(key)) follow(value, properties[key], list, old, name);
}

}  // namespace hyb::ui
