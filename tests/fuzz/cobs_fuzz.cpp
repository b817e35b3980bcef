#include <cstdlib>
#include <vector>

#include "hardware/cobs.h"

/// Decoding what somebody sent; and everything that is coded comes back.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  std::vector<std::uint8_t> out(size);
  (void)hyb::cobsDecode(bytes, out);
  std::vector<std::uint8_t> coded(hyb::cobsBound(size));
  const std::size_t length = hyb::cobsEncode(bytes, coded.data());
  const auto back = hyb::cobsDecode(std::span(coded).first(length), out);
  if (!back || *back != size || !std::equal(bytes.begin(), bytes.end(), out.begin())) std::abort();
  return 0;
}
