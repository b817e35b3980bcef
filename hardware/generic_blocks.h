#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hyb {

/// First message of OpenFresco's generic protocol: how many values of each quantity go in each direction.
struct GenericSizes {
  enum Quantity : std::size_t { displacement, velocity, acceleration, force, time, kQuantities };  // in this order
  std::array<std::int32_t, kQuantities> control{}, measured{};
  std::int32_t block = 0;  // doubles

  /// No size is negative, and the block is not absurd.
  bool plausible() const noexcept;
  GenericSizes swapped() const noexcept;  // read in the other byte order
  std::size_t sent() const noexcept;      // doubles of a request, with its code
  std::size_t asked() const noexcept;     // doubles of a reply
};

/// Bytes of that protocol: 11 int32 of sizes, then blocks of doubles whose first is a code, and between them lines of
/// an init file. Bytes may come in any pieces.
class GenericBlocks {
 public:
  using Quantity = GenericSizes::Quantity;
  static constexpr std::size_t kSizesBytes = 11 * sizeof(std::int32_t);
  static constexpr std::size_t kLargestBlock = 65536;  // doubles
  static constexpr std::size_t kLineBytes = 16385;

  void feed(std::span<const std::uint8_t> bytes);
  /// Ignores what has come and what will come.
  void closeEars() noexcept {
    deaf_ = true;
    received_.clear();
    read_ = 0;
  }
  bool deaf() const noexcept { return deaf_; }
  /// The sizes, once they are there.
  std::optional<GenericSizes> takeSizes();
  /// Blocks of these sizes follow.
  void agree(const GenericSizes& sizes);
  bool agreed() const noexcept { return block_ > 0; }
  /// Moves on to the next block and skips lines; false: it is not complete.
  bool next();
  double at(std::size_t index) const noexcept;  // of the present block
  std::size_t block() const noexcept { return block_; }
  std::size_t lines() const noexcept { return lines_; }
  std::size_t pending() const noexcept { return received_.size() - read_; }

  /// The reply, [block()]: all elements `value`, then vectors at their places.
  void fill(double value);
  void place(Quantity quantity, std::span<const double> values, double factor);
  std::span<double> reply() noexcept { return reply_; }
  std::span<const std::uint8_t> bytes() const noexcept;

 private:
  std::vector<std::uint8_t> received_;
  std::size_t read_ = 0;  // processed bytes of received_
  std::size_t at_ = 0;    // start of the present block
  std::array<std::size_t, GenericSizes::kQuantities> measured_{};
  std::size_t block_ = 0, lines_ = 0;
  bool deaf_ = false;
  std::vector<double> reply_;
};

}  // namespace hyb
