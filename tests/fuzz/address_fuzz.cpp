#include "core/rig/address.h"

#include <cstdlib>

#include "core/base/error.h"

/// Where a device stands: what is taken reads back as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  try {
    const Address address = parseAddress(std::string(reinterpret_cast<const char*>(data), size), "/address");
    const Address again = parseAddress(address.text(), "/address");
    if (again.kind != address.kind || again.host != address.host || again.port != address.port ||
        again.path != address.path)
      std::abort();
  } catch (const InputError& error) {
    if (error.issues().empty()) std::abort();
  }
  return 0;
}
