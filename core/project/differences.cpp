#include "core/project/differences.h"

#include <algorithm>

#include "core/project/schema.h"

namespace hyb {
namespace {

/// The schema of a place that one of the documents has; null if it has none.
const Json* schemaThere(const Json& document, const std::string& pointer) {
  try {
    return &schemaOf(document, pointer);
  } catch (const InputError&) {
    return nullptr;
  }
}

class Comparison {
 public:
  Comparison(const Json& a, const Json& b) : a_(a), b_(b) {}

  std::vector<ProjectDifference> all() {
    descend(a_, b_, "");
    return std::move(found_);
  }

 private:
  void descend(const Json& a, const Json& b, const std::string& pointer) {
    if (a == b) return;
    if (a.is_object() && b.is_object()) return members(a, b, pointer);
    const bool entries = a.is_array() && b.is_array() && a.size() + b.size() > 0 && a.size() * b.size() > 0 &&
                         (a.front().is_object() || a.size() == b.size());
    if (!entries) return add(pointer, a, b);
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i)
      descend(i < a.size() ? a[i] : Json(), i < b.size() ? b[i] : Json(), pointer + "/" + std::to_string(i));
  }

  void members(const Json& a, const Json& b, const std::string& pointer) {
    const auto one = [](const Json& object, const std::string& key) {
      return object.contains(key) ? object.at(key) : Json();
    };
    for (const auto& [key, value] : a.items()) descend(value, one(b, key), pointer + "/" + pointerToken(key));
    for (const auto& [key, value] : b.items())
      if (!a.contains(key)) descend(Json(), value, pointer + "/" + pointerToken(key));
  }

  void add(const std::string& pointer, const Json& a, const Json& b) {
    const Json& document = a.is_null() ? b_ : a_;
    const Json* schema = schemaThere(document, pointer);
    const Json usual = schema != nullptr ? schema->value("default", Json()) : Json();
    if (!usual.is_null() && (a.is_null() ? usual : a) == (b.is_null() ? usual : b)) return;
    found_.push_back({pointer, placeOf(document, pointer), schema != nullptr ? schema->value("x-unit", "") : "", a, b});
  }

  static std::string placeOf(const Json& document, const std::string& pointer) {
    std::string place;
    for (std::size_t end = 0; end < pointer.size();) {
      const std::size_t begin = end + 1;
      end = std::min(pointer.find('/', begin), pointer.size());
      const std::string token = Json::json_pointer(pointer.substr(begin - 1, end - begin + 1)).back();
      const Json* schema = schemaThere(document, pointer.substr(0, end));
      std::string title = schema != nullptr ? schema->value("title", "") : "";
      const Json::json_pointer above(pointer.substr(0, begin - 1));
      if (document.contains(above) && document.at(above).is_array())
        title += (title.empty() ? "" : " ") + std::to_string(std::stoul(token) + 1);
      place += (place.empty() ? "" : " > ") + (title.empty() ? token : title);
    }
    return place;
  }

  const Json &a_, &b_;
  std::vector<ProjectDifference> found_;
};

}  // namespace

std::vector<ProjectDifference> differences(const Json& a, const Json& b) { return Comparison(a, b).all(); }

}  // namespace hyb
