#include "core/gait/minimise.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace hyb {
namespace {

/// Beside the program in a build, in ../lib/hybridbench after installation.
decltype(&hyb_minimise) loadMinimiser() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  std::string reason;
  for (const std::filesystem::path& place : {folder, folder.parent_path() / "lib" / "hybridbench"}) {
    void* const library = ::dlopen((place / kMinimiserFile).c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const found = library == nullptr ? nullptr : ::dlsym(library, "hyb_minimise");
    if (found != nullptr) return reinterpret_cast<decltype(&hyb_minimise)>(found);
    if (reason.empty()) reason = ::dlerror();
  }
  throw DeviceError("The search needs the library " + std::string(kMinimiserFile) + ": " + reason +
                    ". Install HybridBench again, or copy the library beside the program.");
}

}  // namespace

std::vector<double> minimise(const CostInABox& box) {
  static const auto minimiser = loadMinimiser();
  std::vector<double> best;
  minimiser(box, best);
  return best;
}

}  // namespace hyb
