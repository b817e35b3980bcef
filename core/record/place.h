#pragma once
#include <filesystem>
#include <string>

#include "core/tick/event.h"

namespace hyb {

/// Place of a file held open, independent of the name used to open it.
struct FilePlace {
  enum class State : std::uint8_t { here, moved, deleted } state = State::here;
  std::filesystem::path path = {};  // new name of a moved file; empty: not found
};

/// Message about a run file that was moved or deleted.
struct PlaceNotice {
  Severity severity = Severity::warning;
  std::string sentence;
};

}  // namespace hyb
