#include "core/compensation/plug_in_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

namespace hyb {
namespace {

constexpr const char* kSymbol = "hybridbench_compensator";
constexpr std::uint32_t kOldest = 1;  // version of the interface

/// The table in the layout of this program. One of an older version is shorter; empty except for its version if that is
/// unknown.
hyb_compensator asKnown(const hyb_compensator& table) {
  hyb_compensator known{};
  known.version = table.version;
  if (table.version < kOldest || table.version > HYBRIDBENCH_COMPENSATOR_VERSION) return known;
  std::memcpy(&known, &table, table.version == 1 ? offsetof(hyb_compensator, learnt_count) : sizeof known);
  return known;
}

bool isName(const char* text) {
  if (text == nullptr || *text == '\0') return false;
  for (const char* c = text; *c != '\0'; ++c)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_')) return false;
  return true;
}

/// The fault of the table itself; "" if there is none.
std::string faultOf(const hyb_compensator& table) {
  if (table.version < kOldest || table.version > HYBRIDBENCH_COMPENSATOR_VERSION)
    return "is built for version " + std::to_string(table.version) + " of the interface, but this program supports " +
           std::to_string(kOldest) + " to " + std::to_string(HYBRIDBENCH_COMPENSATOR_VERSION) +
           "; build it with the header of this program";
  if (!table.create || !table.destroy || !table.reset || !table.restart || !table.update)
    return "does not contain all of create, destroy, reset, restart and update";
  if (table.adapted_count > 0 && (!table.adapted || !table.read_adapted))
    return "states that it adapts, but does not contain adapted or read_adapted";
  if (!table.learnt_count != !table.read_learnt || !table.learnt_count != !table.set_learnt)
    return "contains only some of learnt_count, read_learnt and set_learnt; define all three or none";
  constexpr std::uint32_t most = 64;
  if (table.parameter_count > most || table.adapted_count > most)
    return "has more than " + std::to_string(most) + " parameters or adapted quantities";
  if (table.parameter_count > 0 && !table.parameters) return "has a number of parameters, but no list of them";
  for (std::uint32_t p = 0; p < table.parameter_count; ++p) {
    const hyb_parameter& one = table.parameters[p];
    if (!isName(one.name))
      return "names parameter " + std::to_string(p + 1) + " with characters other than A-Z a-z 0-9 _";
    if (!(one.min <= one.initial && one.initial <= one.max && std::isfinite(one.min) && std::isfinite(one.max)))
      return "gives parameter " + std::string(one.name) + " an initial value outside its bounds, or infinite bounds";
  }
  for (std::uint32_t a = 0; a < table.adapted_count; ++a)
    if (!isName(table.adapted[a].name))
      return "names adapted quantity " + std::to_string(a + 1) + " with characters other than A-Z a-z 0-9 _";
  return {};
}

/// Loads a copy, so that the rebuilt file is found the next time.
void* open(std::string_view bytes, std::string& fault) {
  const int fd = copyInMemory(bytes, "compensator");
  if (fd < 0) {
    fault = "no memory for its copy";
    return nullptr;
  }
  void* const handle = loadLibrary(fd, fault);
  ::close(fd);
  return handle;
}

}  // namespace

PlugInLibrary::~PlugInLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}

std::shared_ptr<const PlugInLibrary> PlugInLibrary::load(const PlugInBytes& read, const std::string& where,
                                                         Checks& checks) {
  requireAccepted(read.of, where);
  const std::string quoted = "\"" + read.of.file.string() + "\" ";

  // A study loads it for each of its runs; a loaded library is not loaded again.
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<const PlugInLibrary>> in_use;
  {
    const std::lock_guard lock(mutex);
    if (auto known = in_use[read.of.sha256].lock(); known && known->file_.file == read.of.file) return known;
  }

  // Without the lock: code that runs while the library is loaded may never return.
  std::shared_ptr<PlugInLibrary> library(new PlugInLibrary);
  library->file_ = read.of;
  std::string fault;
  library->handle_ = open(read.bytes, fault);
  if (library->handle_ == nullptr) {
    checks.fault(where, quoted + "cannot be loaded: " + fault);
    return nullptr;
  }
  using Table = const hyb_compensator* (*)();
  const auto table = reinterpret_cast<Table>(dlsym(library->handle_, kSymbol));
  if (table == nullptr) {
    checks.fault(where, quoted + "has no function " + kSymbol + "(); see the help on plug-ins");
    return nullptr;
  }
  const hyb_compensator* given = nullptr;
  try {
    given = table();
  } catch (...) {
    checks.fault(where, quoted + "threw a C++ exception out of " + kSymbol + "()");
    return nullptr;
  }
  if (given != nullptr) library->table_ = asKnown(*given);
  fault = given != nullptr ? faultOf(library->table_) : std::string(kSymbol) + "() returned nothing";
  if (!fault.empty()) {
    checks.fault(where, quoted + fault);
    return nullptr;
  }
  const std::lock_guard lock(mutex);
  in_use[read.of.sha256] = library;
  return library;
}

}  // namespace hyb
