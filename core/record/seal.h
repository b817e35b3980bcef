#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/base/error.h"

namespace hyb {

/// The seal of a finished HDF5 file: a SHA-256 of each block of its bytes, written after the last byte of HDF5, where
/// other programs ignore it. It covers the parts without column checksums (project, header values, events, verdict, the
/// structure of the file itself), and is read before HDF5 opens the file, so that a damaged structure is detected
/// first. Root attribute `sealed` = 1 means that a seal must exist: a program that changes the file later drops the
/// seal, and the file differs from one that never had any.
///
/// Layout, little endian: block digests (32 bytes each), then kSealMagic (8), number of sealed bytes (8), bytes of a
/// block (8), SHA-256 of all of the seal before it (32).
inline constexpr char kSealMagic[] = "HYBSEAL1";
inline constexpr const char* kSealedAttribute = "sealed";

/// share in 0..1; return false to stop.
using SealWatch = std::function<bool(double share)>;

struct SealCheck {
  enum class State { none, whole, broken, damaged } state = State::none;  // damaged: the seal itself
  struct Bytes {
    std::uint64_t first, end;
  };
  std::vector<Bytes> broken;  // changed parts of the file, ascending, neighbours joined
  bool cancelled = false;     // by the watch; the other values are then not meaningful
};

/// Reads the whole file, without HDF5. Throws DeviceError if it cannot be read.
SealCheck checkSeal(const std::filesystem::path& file, const SealWatch& watch = {});

/// The seal could not be written; the file is complete otherwise.
class SealError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Writes the seal of a closed file that has its root attribute set and no seal yet. Throws DeviceError and leaves the
/// file without a seal.
void seal(const std::filesystem::path& file);
/// Removes a seal before the file is changed; no effect without one. Throws DeviceError if the file does not match its
/// seal, because it would be sealed as damaged.
void unseal(const std::filesystem::path& file);

}  // namespace hyb
