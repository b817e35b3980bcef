#include "core/gait/minimise.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>

#include "core/base/error.h"

namespace hyb {
namespace {

decltype(&hyb_minimise) loadMinimiser() {
  const std::filesystem::path file = std::filesystem::read_symlink("/proc/self/exe").parent_path() / kMinimiserFile;
  void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const found = library == nullptr ? nullptr : ::dlsym(library, "hyb_minimise");
  if (found == nullptr)
    throw DeviceError(std::string("the search needs its library beside the program, ") + ::dlerror() +
                      "; build HybridBench again, or copy the library there.");
  return reinterpret_cast<decltype(&hyb_minimise)>(found);
}

}  // namespace

std::vector<double> minimise(const CostInABox& box) {
  static const auto minimiser = loadMinimiser();
  std::vector<double> best;
  minimiser(box, best);
  return best;
}

}  // namespace hyb
