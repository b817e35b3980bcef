#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/rig/udp_layout.h"

using namespace hyb;

namespace {

constexpr FieldType kTypes[] = {FieldType::int8,  FieldType::uint8,  FieldType::int16,   FieldType::uint16,
                                FieldType::int32, FieldType::uint32, FieldType::float32, FieldType::float64};
constexpr double kUntouched = -123456789.0;

/// A layout with a channel of each type behind all other fields; with and without a mark and a checksum, whose absence
/// lets any bytes of the right size through.
DatagramLayout layoutOf(bool big_endian, int alignment, bool checked) {
  std::vector<DatagramField> fields{{.content = FieldContent::sequence, .type = FieldType::uint16},
                                    {.content = FieldContent::echo, .type = FieldType::float32},
                                    {.content = FieldContent::time, .type = FieldType::uint32, .scale_s = 1e-6},
                                    {.content = FieldContent::enabled, .type = FieldType::int8},
                                    {.content = FieldContent::fault, .type = FieldType::float64}};
  std::vector<std::string> channels;
  for (const FieldType type : kTypes) {
    channels.push_back("channel_" + std::to_string(channels.size() + 1));
    fields.push_back({.content = FieldContent::channel, .type = type, .channel = channels.back()});
  }
  if (checked) {
    fields.insert(fields.begin(), {.content = FieldContent::fixed, .type = FieldType::uint16, .value = 43690 / 2});
    fields.push_back({.content = FieldContent::checksum, .type = FieldType::uint8, .checksum = ChecksumKind::sum});
  }
  return DatagramLayout(fields, channels, big_endian, alignment, "");
}

}  // namespace

/// Datagrams of anybody: what is refused changes nothing, and what is taken can be sent again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const bool big_endian = data[0] & 1, checked = data[0] & 2;
  const int alignment = 1 << (data[0] >> 2 & 3);
  const DatagramLayout layout = layoutOf(big_endian, alignment, checked);
  const std::span<const std::uint8_t> bytes(data + 1, size - 1);
  DatagramLayout::Head head;
  std::vector<double> values(std::size(kTypes), kUntouched);
  const DatagramCheck check = layout.decode(bytes, head, values);
  if ((check == DatagramCheck::wrong_size) != (bytes.size() != layout.size())) std::abort();
  if (check != DatagramCheck::ok) {
    for (const double value : values)
      if (value != kUntouched) std::abort();
    return 0;
  }
  (void)layout.looksSwapped(bytes);
  std::vector<std::uint8_t> sent(layout.size());
  std::vector<double> back(values.size());
  layout.encode(head, values, sent);
  if (layout.decode(sent, head, back) != DatagramCheck::ok) std::abort();
  for (std::size_t v = 0; v < values.size(); ++v)
    if (back[v] != values[v] && !(std::isnan(back[v]) && std::isnan(values[v]))) std::abort();
  return 0;
}
