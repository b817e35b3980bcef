#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/project/project.h"
#include "core/project/schema.h"
#include "resources/resources.h"

namespace hyb {
namespace {

struct Entry {
  std::string name;
  Json document;
};

/// File name of a path "folder/NAME.json"; empty for others.
std::optional<std::string> nameIn(std::string_view folder, std::string_view path) {
  constexpr std::string_view kEnding = ".json";
  if (!path.starts_with(folder) || !path.ends_with(kEnding)) return std::nullopt;
  return std::string(path.substr(folder.size(), path.size() - folder.size() - kEnding.size()));
}

/// The projects, each followed by its variants: separate projects that differ by a merge patch (RFC 7396), such as
/// cases of a benchmark.
std::vector<Entry> readAll() {
  std::vector<Entry> list;
  for (const Resource& resource : resources())
    if (const auto name = nameIn("projects/", resource.path)) list.push_back({*name, Json::parse(resource.text)});
  for (const Resource& resource : resources()) {
    const auto base = nameIn("variants/", resource.path);
    if (!base) continue;
    auto place = std::ranges::find(list, *base, &Entry::name);
    if (place == list.end()) throw std::logic_error("variants of " + *base + ", which is no project");
    const Json project = place->document, variants = Json::parse(resource.text);
    for (const auto& [name, patch] : variants.items()) {
      Entry variant{name, project};
      variant.document.merge_patch(patch);
      place = list.insert(place + 1, std::move(variant));
    }
  }
  return list;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = readAll();
  return all;
}

}  // namespace

std::vector<Template> templates() {
  std::vector<Template> list;
  for (const Entry& entry : entries()) {
    const Json& meta = entry.document.at("meta");
    list.push_back({entry.name, meta.value("title", ""), meta.value("description", "")});
  }
  return list;
}

const Json& templateDocument(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : entries()) {
    if (entry.name == name) return entry.document;
    names.push_back(entry.name);
  }
  const std::string asked(name);
  throw InputError(asked, "is neither a file nor a template. " + hint(asked, names) +
                              "Templates: " + quotedList(names, "and") + ".");
}

}  // namespace hyb
