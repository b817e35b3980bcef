#pragma once
#include <cstdint>
#include <string>

namespace hyb {

/// An event of a record, as in /events of a run file.
struct RecordedEvent {
  std::uint64_t tick;
  int code;
  int severity;
  std::string message;
  int index = -1;  // Event::index and value; only with RunFileInfo::event_numbers
  double value = 0.0;
};

}  // namespace hyb
