#pragma once
#include <filesystem>
#include <string>

#include "core/tick/event.h"

namespace hyb {

/// Where a file is that is held open, whatever became of the name that it was opened by.
struct FilePlace {
  enum class State : std::uint8_t { here, moved, deleted } state = State::here;
  std::filesystem::path path = {};  // of a file that was moved: its new name; empty: it cannot be found
};

/// What people are told of a run file that did not stay where it was.
struct PlaceNotice {
  Severity severity = Severity::warning;
  std::string sentence;
};

}  // namespace hyb
