#include "core/rig/driver_description.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <map>
#include <mutex>
#include <utility>

#include "core/base/elf.h"
#include "resources/plug-in/hybridbench_driver.h"

namespace hyb {
namespace {

constexpr std::size_t kMostSettings = 100, kMostChannels = 1000, kLongestText = 1000, kLongestName = 60;

/// A fault in the description, one sentence on the library.
struct Wrong {
  std::string sentence;
};

bool isName(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Reads one object of the description. `what` names it in sentences: "setting lag_s".
class Fields {
 public:
  Fields(const Json& object, std::string what, std::initializer_list<const char*> known)
      : object_(object), what_(std::move(what)) {
    if (!object.is_object()) wrong("is not an object in { }");
    for (const auto& [key, value] : object.items())
      if (std::ranges::find(known, key) == known.end()) {
        std::string list;
        for (const char* one : known) list += (list.empty() ? "\"" : ", \"") + std::string(one) + "\"";
        wrong("has the key \"" + key.substr(0, kLongestName) + "\", which is not known; known are " + list);
      }
  }
  bool has(const char* key) const { return object_.contains(key); }
  std::string text(const char* key, bool needed) const {
    if (!has(key) && !needed) return {};
    const Json value = object_.value(key, Json());
    if (!value.is_string()) wrong("needs \"" + std::string(key) + "\", a text in quotes");
    auto given = value.get<std::string>();
    if (given.size() > kLongestText) wrong("has a \"" + std::string(key) + "\" of more than 1000 characters");
    if (needed && given.empty()) wrong("has an empty \"" + std::string(key) + "\"");
    return given;
  }
  double number(const char* key, double otherwise) const {
    if (!has(key)) return otherwise;
    if (!object_.at(key).is_number() || !std::isfinite(object_.at(key).get<double>()))
      wrong("needs a number as \"" + std::string(key) + "\"");
    return object_.at(key).get<double>();
  }
  std::vector<std::string> texts(const char* key) const {
    const Json& list = object_.at(key);
    if (!list.is_array() || list.empty() || list.size() > kMostSettings ||
        !std::ranges::all_of(list, [](const Json& entry) { return entry.is_string(); }))
      wrong("needs a list of texts as \"" + std::string(key) + "\"");
    return list.get<std::vector<std::string>>();
  }
  [[noreturn]] void wrong(const std::string& sentence) const { throw Wrong{what_ + " " + sentence}; }

 private:
  const Json& object_;
  std::string what_;
};

/// Fault unless the node is one that forms and checks of projects understand.
void checkSetting(const std::string& key, const Json& node) {
  if (!isName(key))
    throw Wrong{"setting \"" + key.substr(0, kLongestName) + "\" has a name with characters other than A-Z a-z 0-9 _"};
  const Fields fields(node, "setting " + key,
                      {"title", "description", "type", "minimum", "exclusiveMinimum", "maximum", "default", "x-unit",
                       "enum", "x-enum-titles", "minLength", "maxLength"});
  (void)fields.text("title", true);
  (void)fields.text("description", true);
  (void)fields.text("x-unit", false);
  const std::string type = fields.text("type", true);
  const bool number = type == "number" || type == "integer", string = type == "string";
  if (!number && !string && type != "boolean")
    fields.wrong("has the type \"" + type.substr(0, kLongestName) +
                 "\"; possible are \"number\", \"integer\", \"boolean\" and \"string\"");
  for (const char* bound : {"minimum", "exclusiveMinimum", "maximum"})
    if (fields.has(bound) && !number) fields.wrong("has \"" + std::string(bound) + "\", which belongs to numbers");
  for (const char* limit : {"enum", "x-enum-titles", "minLength", "maxLength"})
    if (fields.has(limit) && !string) fields.wrong("has \"" + std::string(limit) + "\", which belongs to texts");
  if (fields.has("minLength") && fields.number("minLength", 0.0) != 0.0 && fields.number("minLength", 0.0) != 1.0)
    fields.wrong("has a \"minLength\" other than 0 and 1");
  const double longest = fields.number("maxLength", 1000.0);
  if (!(longest >= 1.0 && longest <= 1000.0 && longest == std::floor(longest)))
    fields.wrong("needs a whole number from 1 to 1000 as \"maxLength\"");
  if (!fields.has("default")) fields.wrong("needs a \"default\"");
  const Json& fallback = node.at("default");
  if (string) {
    const std::string given = fields.text("default", false);
    const std::vector<std::string> words = fields.has("enum") ? fields.texts("enum") : std::vector<std::string>{given};
    if (std::ranges::find(words, given) == words.end())
      fields.wrong("has a \"default\" that its \"enum\" does not contain");
    if (fields.has("x-enum-titles") && (!fields.has("enum") || fields.texts("x-enum-titles").size() != words.size()))
      fields.wrong("needs as many \"x-enum-titles\" as its \"enum\" has words");
    if (given.size() > static_cast<std::size_t>(longest) || (fields.number("minLength", 0.0) > 0.0 && given.empty()))
      fields.wrong("has a \"default\" outside its \"minLength\" and \"maxLength\"");
  } else if (number) {
    const double least = fields.number("minimum", -std::numeric_limits<double>::infinity()),
                 above = fields.number("exclusiveMinimum", -std::numeric_limits<double>::infinity()),
                 most = fields.number("maximum", std::numeric_limits<double>::infinity()),
                 given = fields.number("default", 0.0);
    if (!(given >= least && given <= most && given > above)) fields.wrong("has a \"default\" outside its bounds");
    if (type == "integer" && given != std::floor(given)) fields.wrong("has a \"default\" that is not a whole number");
  } else if (!fallback.is_boolean()) {
    fields.wrong("needs true or false as \"default\"");
  }
}

void addChannels(const Json& node, std::size_t number, std::vector<DriverChannel>& channels) {
  const Fields fields(node, "channel " + std::to_string(number),
                      {"name", "direction", "units", "min", "max", "count", "description"});
  DriverChannel channel;
  channel.name = fields.text("name", true);
  if (!isName(channel.name)) fields.wrong("has a name with characters other than A-Z a-z 0-9 _");
  const std::string direction = fields.text("direction", true);
  if (direction != "output" && direction != "input") fields.wrong("needs \"output\" or \"input\" as \"direction\"");
  channel.output = direction == "output";
  channel.units = fields.text("units", false);
  (void)fields.text("description", false);
  channel.min = fields.number("min", channel.min);
  channel.max = fields.number("max", channel.max);
  if (!(channel.min < channel.max)) fields.wrong("needs a \"max\" above its \"min\"");
  const double count = fields.number("count", 1.0);
  if (!(count >= 1.0 && count <= static_cast<double>(kMostChannels) && count == std::floor(count)))
    fields.wrong("needs a whole number from 1 to 1000 as \"count\"");
  const std::string stem = channel.name;
  for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
    if (fields.has("count")) channel.name = stem + std::to_string(k);
    if (std::ranges::find(channels, channel.name, &DriverChannel::name) != channels.end())
      fields.wrong("is called " + channel.name + ", as another one is");
    channels.push_back(channel);
    if (channels.size() > kMostChannels) fields.wrong("exceeds the limit of 1000 channels");
  }
}

DriverDescription described(std::string_view text) {
  Json whole;
  try {
    whole = Json::parse(text);
  } catch (const Json::exception&) {
    throw Wrong{"it is not valid JSON"};
  }
  const Fields fields(whole, "it", {"title", "description", "settings", "channels"});
  DriverDescription made;
  made.title = fields.text("title", true);
  made.description = fields.text("description", false);
  const Json settings = whole.value("settings", Json::object()), channels = whole.value("channels", Json());
  if (!settings.is_object() || settings.size() > kMostSettings)
    fields.wrong("needs an object with at most 100 entries as \"settings\"");
  for (const auto& [key, node] : settings.items()) checkSetting(key, node);
  if (!channels.is_array() || channels.empty()) fields.wrong("needs a list of \"channels\"");
  for (std::size_t c = 0; c < channels.size(); ++c) addChannels(channels[c], c + 1, made.channels);
  made.settings = {{"title", "Settings of the driver"},
                   {"description", made.title + (made.description.empty() ? "." : ". " + made.description)},
                   {"type", "object"},
                   {"additionalProperties", false},
                   {"properties", settings}};
  return made;
}

}  // namespace

const DriverChannel* DriverDescription::channel(const std::string& name, bool output) const noexcept {
  const auto found =
      std::ranges::find_if(channels, [&](const DriverChannel& c) { return c.name == name && c.output == output; });
  return found == channels.end() ? nullptr : &*found;
}

std::vector<std::string> DriverDescription::names(bool output) const {
  std::vector<std::string> list;
  for (const DriverChannel& channel : channels)
    if (channel.output == output) list.push_back(channel.name);
  return list;
}

std::shared_ptr<const DriverDescription> parseDescription(std::string_view text, const std::string& library,
                                                          const std::string& where, Checks& checks) {
  try {
    return std::make_shared<const DriverDescription>(described(text));
  } catch (const Wrong& wrong) {
    checks.fault(where, library + "has a description that cannot be used: " + wrong.sentence +
                            "; correct the source of the driver");
  }
  return nullptr;
}

DriverFilePtr readDriver(const std::filesystem::path& file, const std::string& where, Checks& checks) {
  Checks found;
  const PlugInBytesPtr read = readPlugIn(file, "", found);
  std::shared_ptr<const DriverDescription> description;
  if (read) {
    const std::string quoted = "\"" + file.string() + "\" ";
    const auto version = elfConstant(read->bytes, "hybridbench_driver_version");
    const auto text = elfConstant(read->bytes, "hybridbench_driver_description");
    std::uint32_t number = 0;
    if (version && version->size() == sizeof number) std::memcpy(&number, version->data(), sizeof number);
    if (const std::string fault = elfFault(read->bytes); !fault.empty())
      found.fault("", quoted + fault + "; build it on this computer");
    else if (!version || !text)
      found.fault("",
                  quoted + "is not a driver: it exports no HYBRIDBENCH_DRIVER_DESCRIPTION; see the help on drivers");
    else if (number != HYBRIDBENCH_DRIVER_VERSION)
      found.fault("", quoted + "is built for version " + std::to_string(number) +
                          " of the driver interface, but this program supports " +
                          std::to_string(HYBRIDBENCH_DRIVER_VERSION) + "; build it with the header of this program");
    else {
      description = parseDescription(text->substr(0, text->find('\0')), quoted, "", found);
    }
  }
  checks.take(found, where);
  return description ? std::make_shared<const DriverFile>(DriverFile{read, description}) : nullptr;
}

const DriverDescription* knownDescription(const std::filesystem::path& file) {
  struct Known {
    std::filesystem::file_time_type written;
    std::uintmax_t size = 0;
    std::shared_ptr<const DriverDescription> description;
  };
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::vector<Known>> all;
  std::error_code error;
  const auto written = std::filesystem::last_write_time(file, error);
  const std::uintmax_t size = error ? 0 : std::filesystem::file_size(file, error);
  if (error) return nullptr;
  const std::scoped_lock lock(mutex);
  std::vector<Known>& versions = all[file];
  for (const Known& known : versions)
    if (known.written == written && known.size == size) return known.description.get();
  Checks checks;
  const DriverFilePtr read = readDriver(file, "", checks);
  versions.push_back({written, size, read ? read->description : nullptr});
  return versions.back().description.get();
}

}  // namespace hyb
