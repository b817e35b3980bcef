#include "hardware/generic_blocks.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace hyb {
namespace {

constexpr std::uint8_t kLineMark = 0x02;  // a block begins with the lowest byte of its code, which is another

std::int32_t swappedBytes(std::int32_t value) noexcept {
  return std::bit_cast<std::int32_t>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
}

std::size_t totalOf(const std::array<std::int32_t, GenericSizes::kQuantities>& sizes) noexcept {
  std::size_t total = 0;
  for (const std::int32_t size : sizes) total += static_cast<std::size_t>(size);
  return total;
}

}  // namespace

bool GenericSizes::plausible() const noexcept {
  const auto good = [](std::int32_t size) {
    return size >= 0 && static_cast<std::size_t>(size) <= GenericBlocks::kLargestBlock;
  };
  return std::ranges::all_of(control, good) && std::ranges::all_of(measured, good) && block >= 1 && good(block);
}

GenericSizes GenericSizes::swapped() const noexcept {
  GenericSizes other = *this;
  for (auto* sizes : {&other.control, &other.measured})
    for (std::int32_t& size : *sizes) size = swappedBytes(size);
  other.block = swappedBytes(block);
  return other;
}

std::size_t GenericSizes::sent() const noexcept { return 1 + totalOf(control); }
std::size_t GenericSizes::asked() const noexcept { return totalOf(measured); }

void GenericBlocks::feed(std::span<const std::uint8_t> bytes) {
  if (deaf_) return;
  received_.erase(received_.begin(), received_.begin() + static_cast<std::ptrdiff_t>(read_));
  read_ = 0;
  received_.insert(received_.end(), bytes.begin(), bytes.end());
}

std::optional<GenericSizes> GenericBlocks::takeSizes() {
  if (deaf_ || pending() < kSizesBytes) return std::nullopt;
  GenericSizes sizes;
  const std::uint8_t* from = received_.data() + read_;
  std::memcpy(sizes.control.data(), from, sizeof sizes.control);
  std::memcpy(sizes.measured.data(), from + sizeof sizes.control, sizeof sizes.measured);
  std::memcpy(&sizes.block, from + sizeof sizes.control + sizeof sizes.measured, sizeof sizes.block);
  read_ += kSizesBytes;
  return sizes;
}

void GenericBlocks::agree(const GenericSizes& sizes) {
  for (std::size_t q = 0; q < GenericSizes::kQuantities; ++q)
    measured_[q] = static_cast<std::size_t>(sizes.measured[q]);
  block_ = static_cast<std::size_t>(sizes.block);
  reply_.assign(block_, 0.0);
}

bool GenericBlocks::next() {
  while (!deaf_ && pending() > 0) {
    const bool line = received_[read_] == kLineMark;
    const std::size_t length = line ? kLineBytes : block_ * sizeof(double);
    if (pending() < length) return false;
    at_ = read_;
    read_ += length;
    if (!line) return true;
    ++lines_;
  }
  return false;
}

double GenericBlocks::at(std::size_t index) const noexcept {
  double value = 0.0;
  std::memcpy(&value, received_.data() + at_ + index * sizeof value, sizeof value);
  return value;
}

void GenericBlocks::fill(double value) { std::ranges::fill(reply_, value); }

void GenericBlocks::place(Quantity quantity, std::span<const double> values, double factor) {
  if (measured_[quantity] == 0) return;
  std::size_t first = 0;
  for (std::size_t q = 0; q < quantity; ++q) first += measured_[q];
  for (std::size_t v = 0; v < values.size(); ++v) reply_[first + v] = values[v] * factor;
}

std::span<const std::uint8_t> GenericBlocks::bytes() const noexcept {
  return {reinterpret_cast<const std::uint8_t*>(reply_.data()), reply_.size() * sizeof(double)};
}

}  // namespace hyb
