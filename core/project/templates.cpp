#include "core/project/project.h"
#include "core/project/schema.h"
#include "resources/resources.h"

namespace hyb {
namespace {

struct Entry {
  std::string name;
  Json document;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = [] {
    constexpr std::string_view kFolder = "projects/", kEnding = ".json";
    std::vector<Entry> list;
    for (const Resource& resource : resources()) {
      if (!resource.path.starts_with(kFolder) || !resource.path.ends_with(kEnding)) continue;
      const auto length = resource.path.size() - kFolder.size() - kEnding.size();
      list.push_back({std::string(resource.path.substr(kFolder.size(), length)), Json::parse(resource.text)});
    }
    return list;
  }();
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
