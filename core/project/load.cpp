#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>

#include "core/base/file_bytes.h"
#include "core/project/project.h"
#include "core/project/reading.h"
#include "core/project/schema.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = 16u << 20;  // a project has a few kB
constexpr std::size_t kDeepest = 32;                // nesting levels; a project needs eight
constexpr std::size_t kMostKeys = 200;              // of an object; keys are searched one after the other

/// Detects duplicate keys and excessive keys or nesting, which JSON allows. The parser could check this while it builds
/// the document, but its time would grow with the square of a list of objects.
class Watch final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return enter(); }
  bool boolean(bool) override { return enter(); }
  bool number_integer(Json::number_integer_t) override { return enter(); }
  bool number_unsigned(Json::number_unsigned_t) override { return enter(); }
  bool number_float(Json::number_float_t, const std::string&) override { return enter(); }
  bool string(std::string&) override { return enter(); }
  bool binary(Json::binary_t&) override { return enter(); }
  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    Frame& frame = frames_.back();
    frame.token = name;
    if (!frame.keys.insert(name).second) issues.push_back({where(), "is given twice; keep one of them."});
    if (frame.keys.size() > kMostKeys)
      throw InputError(where(), "exceeds the limit: an object of a project has at most 200 keys.");
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

  std::vector<Issue> issues;

 private:
  struct Frame {
    bool list;
    std::size_t next;
    std::string token;
    std::set<std::string> keys;
  };
  bool enter() {
    if (frames_.size() > kDeepest) throw InputError(where(), "is nested too deeply to be a project.");
    if (!frames_.empty() && frames_.back().list) frames_.back().token = std::to_string(frames_.back().next++);
    return true;
  }
  bool open(bool list) {
    enter();
    frames_.push_back({list, 0, {}, {}});
    return true;
  }
  bool close() {
    frames_.pop_back();
    return true;
  }
  std::string where() const {
    std::string pointer;
    for (const Frame& frame : frames_) pointer += "/" + pointerToken(frame.token);
    return pointer;
  }
  std::vector<Frame> frames_;
};

/// Throws Json::parse_error on a syntax error, InputError on all other faults.
Json parse(const std::string& text) {
  Watch watch;
  (void)Json::sax_parse(text, &watch);
  Json document = Json::parse(text);
  if (!watch.issues.empty()) throw InputError(std::move(watch.issues));
  return document;
}

std::string readWhole(const fs::path& file) {
  std::error_code error;
  const auto size = fs::file_size(file, error);
  if (error) throw DeviceError(file.string() + ": cannot be read: " + error.message() + ".");
  if (size > kLargestFile)
    throw InputError(file.string(), "is larger than 16 MB and cannot be a project; choose another file.");
  std::optional<std::string> text = bytesOf(file);
  if (!text)
    throw DeviceError(file.string() + ": cannot be read: " + std::strerror(errno) + "; check its permissions.");
  return std::move(*text);
}

[[noreturn]] void refuseSyntax(const std::string& file, const std::string& text, const Json::parse_error& error) {
  const std::size_t end = std::min(error.byte == 0 ? 0 : error.byte - 1, text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  const std::size_t start = end == 0 ? std::string::npos : text.rfind('\n', end - 1);
  const std::size_t column = start == std::string::npos ? end + 1 : end - start;
  std::string what = error.what();
  if (const auto detail = what.find(" - "); detail != std::string::npos) what = what.substr(detail + 3);
  if (const auto read = what.find("; last read: "); read != std::string::npos) {
    const auto expected = what.find("; expected", read);
    what = what.substr(0, read) + (expected == std::string::npos ? "" : what.substr(expected));
  }
  const bool encoding = what.find("UTF-8") != std::string::npos;
  throw InputError(file + ":" + std::to_string(line) + ":" + std::to_string(column),
                   encoding ? "is not valid UTF-8 here; save the file as UTF-8."
                            : "is not valid JSON: " + what + "; correct this place or the comma or bracket before it.");
}

/// Conditions before the schema check.
void requireProject(const Json& document, const std::string& file) {
  const auto format = document.find("format");  // end() for anything but an object
  if (!document.is_object() || format == document.end() || *format != "hybridbench-project")
    throw InputError(file,
                     "is JSON but no HybridBench project; its first entry has to be \"format\": "
                     "\"hybridbench-project\".");
}

/// One line if it fits, so that a saved project looks like a hand-written one.
void write(const Json& value, std::size_t indent, std::size_t used, std::string& out) {
  constexpr std::size_t kLine = 120;
  const auto flat = [](const auto& self, const Json& v) -> std::string {
    if (!v.is_structured()) return v.dump();
    std::string text(v.is_object() ? "{" : "[");
    for (auto it = v.begin(); it != v.end(); ++it) {
      if (it != v.begin()) text += ", ";
      if (v.is_object()) text += Json(it.key()).dump() + ": ";
      text += self(self, *it);
    }
    return text + (v.is_object() ? "}" : "]");
  };
  const std::string line = flat(flat, value);
  if (!value.is_structured() || value.empty() || (indent > 0 && indent + used + line.size() < kLine)) {
    out += line;
    return;
  }
  out += value.is_object() ? "{" : "[";
  for (auto it = value.begin(); it != value.end(); ++it) {
    out += (it == value.begin() ? "\n" : ",\n") + std::string(indent + 2, ' ');
    const std::string key = value.is_object() ? Json(it.key()).dump() + ": " : "";
    out += key;
    write(*it, indent + 2, key.size(), out);
  }
  out += "\n" + std::string(indent, ' ') + (value.is_object() ? "}" : "]");
}

}  // namespace

Json readJson(const std::string& file) {
  const std::string text = readWhole(file);
  if (const std::string wide = wideTextFault(text); !wide.empty()) throw InputError(file, wide + ".");
  try {
    return parse(text);
  } catch (const Json::parse_error& fault) {
    refuseSyntax(file, text, fault);
  } catch (const Json::out_of_range& fault) {
    throw InputError(file, "has a number that is out of range (" + std::string(fault.what()) + "); correct it.");
  }
}

Json loadDocument(const std::string& name, fs::path* folder) {
  std::error_code error;
  Json document;
  if (fs::exists(name, error) && !fs::is_directory(name, error)) {
    if (!fs::is_regular_file(name, error)) throw DeviceError(name + ": is not a regular file; give a project file.");
    document = readJson(name);
    requireProject(document, name);
    migrate(document);
    if (folder != nullptr) *folder = fs::absolute(name).parent_path();
  } else {
    if (fs::path(name).has_parent_path() || fs::path(name).extension() == ".json")
      throw DeviceError(name + ": there is no such file; check the path.");
    document = templateDocument(name);
    if (folder != nullptr) folder->clear();
  }
  return document;
}

Project loadProject(const std::string& name) {
  fs::path folder;
  const Json document = loadDocument(name, &folder);
  return parseProject(document, folder);
}

void saveDocument(const Json& document, const fs::path& file) {
  std::string text;
  try {
    write(document, 0, 0, text);
    text += "\n";
  } catch (const Json::exception&) {
    throw InputError(file.string(), "was not written: a text in the project is not valid UTF-8; enter the text again.");
  }
  writeWhole(file, text);
}

void setValue(Json& document, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || !assignment.starts_with('/'))
    throw InputError("--set " + assignment, "is not of the form /pointer=VALUE, for example /loop/duration_s=10.");
  const std::string pointer = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  try {
    const Json& schema = schemaOf(document, pointer);
    Json value;
    try {
      value = parse(text);
    } catch (const Json::parse_error&) {
      value = text;
    } catch (const Json::out_of_range&) {
      throw InputError(pointer, "has a number that is out of range; give a smaller number.");
    }
    if (!value.is_string() && schema.value("type", Json()) == "string")
      value = text;  // for example an operator named 7
    const Json::json_pointer place(pointer);
    for (Json::json_pointer above = place;
         !above.empty();) {  // values of objects that were set earlier to something without members
      above = above.parent_pointer();
      if (document.contains(above) && !document[above].is_structured())
        throw InputError(above.to_string(),
                         "is " + document[above].dump() + ", which has no " + pointer + "; set that alone.");
    }
    document[place] = std::move(value);

    // Another variant was selected: remove the keys that belong only to the old one.
    Json& owner = document[place.parent_pointer()];
    const Json& owner_schema = schemaOf(document, place.parent_pointer().to_string());
    if (variantKey(owner_schema) != place.back()) return;
    const Json* chosen = chosenVariant(owner_schema, owner);
    if (chosen == nullptr) return;
    Json kept = Json::object();
    for (const auto& [key, child] : owner.items())
      if (chosen->at("properties").contains(key)) kept[key] = child;
    owner = std::move(kept);
  } catch (const Json::exception&) {
    throw InputError("--set " + assignment.substr(0, 80), "has a malformed pointer; \"~\" is written ~0 and \"/\" ~1.");
  }
}

}  // namespace hyb
