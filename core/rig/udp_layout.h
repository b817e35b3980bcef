#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/rig/rig_spec.h"
#include "core/rig/udp_protocol.h"

namespace hyb {

/// Largest payload of a UDP datagram in one Ethernet frame of 1500 bytes (reference note on links, section 2).
constexpr std::size_t kLargestDatagram = 1472;

std::size_t sizeOf(FieldType type) noexcept;
/// Largest whole number of the type, after which a sequence number continues at 0; 2^24 for float32 and 2^53 for
/// float64: beyond, not every whole number exists.
double largestWhole(FieldType type) noexcept;
/// Value of a field at `bytes`, [sizeOf(type)]. Real-time safe.
double decodeField(const std::uint8_t* bytes, FieldType type, bool big_endian) noexcept;
/// The inverse; whole numbers are rounded, and all values are limited to the range of the type; NaN becomes 0 in a
/// whole number. Real-time safe.
void encodeField(double value, FieldType type, bool big_endian, std::uint8_t* bytes) noexcept;
/// Checksum of the bytes: their sum, or CRC-32 (IEEE 802.3, as in zlib: "123456789" gives 0xCBF43926).
std::uint32_t checksumOf(std::span<const std::uint8_t> bytes, ChecksumKind kind) noexcept;

/// Result of the comparison of a received datagram with its layout.
enum class DatagramCheck : std::uint8_t {
  ok,
  wrong_size,
  wrong_byte_order,  // a fixed value is right in the other byte order only
  wrong_fixed,
  wrong_checksum,
};

/// Places of the fields of one direction. Padding: each field starts on a multiple of the alignment, counted from the
/// start of the datagram; the end is not padded. {uint8, uint32, float32, int16, float64} has the offsets 0, 1, 5, 9,
/// 11 and 19 bytes with alignment 1; 0, 4, 8, 12, 16 and 24 bytes with alignment 4.
class DatagramLayout {
 public:
  /// `channels` of this direction, in the order of the values of encode() and decode(); `where`: pointer to the list of
  /// fields. Throws InputError for fields without a channel, channels without a field, and unusable types.
  DatagramLayout(const std::vector<DatagramField>& fields, const std::vector<std::string>& channels, bool big_endian,
                 int alignment, const std::string& where);

  std::size_t size() const noexcept { return size_; }
  bool has(FieldContent content) const noexcept { return find(content) != nullptr; }
  /// Number after which the sequence continues at 0; 0 without a sequence.
  std::uint64_t largestSequence() const noexcept;
  /// After this time a send time in a whole number starts again at 0; 0: never.
  double timePeriod_s() const noexcept;
  std::size_t offset(std::size_t field) const noexcept { return places_[field].offset; }

  /// What is in a datagram besides the channels. Absent fields are left alone.
  struct Head {
    double sequence = 0.0, echo = 0.0, tick = 0.0, time_s = 0.0;
    bool enable = false, enabled = true, fault = false;
  };
  /// Writes a datagram into `bytes`, [size()]; `values`: [channels]. Real-time safe.
  void encode(const Head& head, std::span<const double> values, std::span<std::uint8_t> bytes) const noexcept;
  /// Reads a datagram; nothing is written unless the check is ok. Real-time safe.
  DatagramCheck decode(std::span<const std::uint8_t> bytes, Head& head, std::span<double> values) const noexcept;
  /// Values of the channels at rest, [channels].
  std::vector<double> restValues() const;
  /// True if the numbers make sense in the other byte order only: floats of about usual size, small sequence numbers.
  /// Zeros decide nothing. `bytes`: [size()].
  bool looksSwapped(std::span<const std::uint8_t> bytes) const noexcept;

 private:
  struct Place {
    DatagramField field;
    std::size_t offset = 0, channel = 0;
  };
  const Place* find(FieldContent content) const noexcept;
  double value(std::span<const std::uint8_t> bytes, const Place& place) const noexcept;

  std::vector<Place> places_;
  std::size_t channels_ = 0, size_ = 0;
  bool big_endian_ = false;
};

/// The layouts of both directions for these channels of the rig. Throws InputError with all faults.
struct UdpLayouts {
  DatagramLayout sends, receives;
  UdpLayouts(const UdpSpec& spec, std::span<const ChannelSpec> channels);
};

/// Sorts out a stream of numbered datagrams.
class SequenceTracker {
 public:
  enum class Verdict : std::uint8_t {
    next,       // newer than all others
    doubled,    // received before
    reordered,  // older than the newest, and the first with its number
    restarted,  // far away: the sender has started again
  };
  struct Judgement {
    Verdict verdict = Verdict::next;
    std::uint64_t skipped = 0;  // numbers between the newest one and this one: lost, or still on their way
    bool was_missing = false;   // reordered: counted as skipped before
  };
  /// `largest`: number after which the sequence continues at 0.
  explicit SequenceTracker(std::uint64_t largest = 0xFFFFFFFFu) : largest_(largest) {}
  /// Real-time safe.
  Judgement judge(std::uint64_t number) noexcept;
  void reset() noexcept { known_ = false; }

 private:
  static constexpr int kMemory = 64;  // numbers before the newest one
  std::uint64_t largest_, newest_ = 0;
  std::uint64_t seen_ = 0, missing_ = 0;  // bit k: the number newest - k was received, was counted as skipped
  bool known_ = false;
};

}  // namespace hyb
