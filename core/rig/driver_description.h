#pragma once
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/compensation/plug_in_file.h"

namespace hyb {

/// A value that a driver sets or reads.
struct DriverChannel {
  std::string name;
  bool output = false;
  std::string units;  // "": not stated
  double min = -std::numeric_limits<double>::infinity(),
         max = std::numeric_limits<double>::infinity();  // of the device
};

/// What a driver says of itself (HYBRIDBENCH_DRIVER_DESCRIPTION), read from its file.
struct DriverDescription {
  std::string title, description;
  Json settings;  // schema of an object, in the form of the project schema; each property has a valid default
  std::vector<DriverChannel> channels;

  const DriverChannel* channel(const std::string& name, bool output) const noexcept;
  /// The names of all outputs, or of all inputs.
  std::vector<std::string> names(bool output) const;
};

/// The description in a JSON text; null with a fault at `where`, which begins with `library`: its name in quotes.
std::shared_ptr<const DriverDescription> parseDescription(std::string_view text, const std::string& library,
                                                          const std::string& where, Checks& checks);

/// A driver as a file: read, not loaded.
struct DriverFile {
  PlugInBytesPtr read;
  std::shared_ptr<const DriverDescription> description;
};
using DriverFilePtr = std::shared_ptr<const DriverFile>;
/// Null if there are faults, at `where`: missing, of another version or computer, or not a driver. Runs no code of it.
DriverFilePtr readDriver(const std::filesystem::path& file, const std::string& where, Checks& checks);
/// The same for a window that asks often: the file is read again only after a change. Null if there is a fault. What a
/// description refers to exists until the program ends.
const DriverDescription* knownDescription(const std::filesystem::path& file);

}  // namespace hyb
