#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "core/rig/text_template.h"

/// Replies of text instruments; what counts as a value is a finite number.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyb;
  static const std::array<NumberPattern, 3> patterns = {NumberPattern("", ""), NumberPattern("1=([-+.0-9eE]+)", ""),
                                                        NumberPattern("-- (.*)$", "")};
  const std::string_view reply(reinterpret_cast<const char*>(data), size);
  for (const NumberPattern& pattern : patterns)
    if (const auto value = pattern.find(reply); value && std::isinf(*value)) std::abort();
  std::array<double, 3> values{};
  (void)findNumbers(reply, ",", patterns, values);
  return 0;
}
