#pragma once
#include <map>
#include <string>
#include <utility>

#include "core/base/checks.h"

namespace hyb {

/// JSON pointer of entry i of a list of /structure.
inline std::string entryOf(const char* list, std::size_t i) {
  return std::string("/structure/") + list + "/" + std::to_string(i);
}

/// Names that share one list because others refer to them only by name. `what`: "masses, supports and links".
class NameCheck {
 public:
  NameCheck(Checks& checks, std::string what) : checks_(checks), what_(std::move(what)) {}

  /// Registers the name of the entry at `pointer`. Names whose pieces are called "<name>/3" must not contain "/".
  void add(const std::string& name, const std::string& pointer, bool has_pieces = false) {
    if (name.empty()) return checks_.fault(pointer + "/name", "is empty; give a name");
    if (has_pieces && name.find('/') != std::string::npos)
      checks_.fault(pointer + "/name", "\"" + name +
                                           "\" contains \"/\", which separates a name from the number of its "
                                           "piece; remove it");
    if (const auto [first, is_new] = seen_.emplace(name, pointer); !is_new)
      checks_.fault(pointer + "/name", "\"" + name + "\" is already the name of " + first->second + "; names of " +
                                           what_ + " must all differ");
  }

 private:
  Checks& checks_;
  std::string what_;
  std::map<std::string, std::string> seen_;
};

}  // namespace hyb
