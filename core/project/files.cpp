#include "core/project/files.h"

#include "core/base/error.h"
#include "core/project/schema.h"

namespace hyb {
namespace {

void addMissing(const Json& document, const Json& value, const std::string& pointer,
                const std::filesystem::path& folder, std::vector<std::string>& missing) {
  if (value.is_object())
    for (const auto& [key, child] : value.items())
      addMissing(document, child, pointer + "/" + pointerToken(key), folder, missing);
  if (value.is_array())
    for (std::size_t i = 0; i < value.size() && value[i].is_structured(); ++i)
      addMissing(document, value[i], pointer + "/" + std::to_string(i), folder, missing);
  if (!value.is_string() || schemaOf(document, pointer).value("x-file", "") != "open") return;
  const std::filesystem::path file = value.get<std::string>();
  std::error_code error;
  if (file.is_relative() && !std::filesystem::exists(folder / file, error)) missing.push_back(file.string());
}

}  // namespace

std::vector<std::string> missingFiles(const Json& document, const std::filesystem::path& folder) {
  std::vector<std::string> missing;
  try {
    addMissing(document, document, "", folder, missing);
  } catch (const InputError&) {
    // A place that is unknown to the schema; its fault is reported elsewhere.
  }
  return missing;
}

Json withoutDriver(Json document) {
  const Json::json_pointer place("/rig/connection"), channels("/rig/channels");
  if (!document.is_object() || !document.contains(place) || !document.at(place).is_object() ||
      document.at(place).value("protocol", Json()) != "driver")
    return document;
  Json other = {{"protocol", "frames"}, {"address", "tcp://recorded:1"}};
  for (const char* key : {"connect_s", "delay_s"})
    if (document.at(place).contains(key)) other[key] = document.at(place).at(key);
  document.at(place) = std::move(other);
  if (document.contains(channels) && document.at(channels).is_array())
    for (Json& channel : document.at(channels))
      if (channel.is_object()) channel.erase("driver_channel");
  return document;
}

}  // namespace hyb
