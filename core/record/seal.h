#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

#include "core/base/error.h"

namespace hyb {

/// The seal of a finished HDF5 file: a SHA-256 of each block of its bytes, written behind the last byte that HDF5 knows
/// of, where every other program passes over it. It covers what no checksum of a column does (project, header values,
/// events, verdict, the structure of the file itself), and is read before HDF5 opens the file, so that a damaged
/// structure is known before anybody follows it. Root attribute `sealed` = 1 says that there must be one: a program
/// that changes the file later drops the seal, and the file is told from one that never had any.
///
/// Layout, little endian: block digests (32 bytes each), then kSealMagic (8), bytes that are sealed (8), bytes of a
/// block (8), SHA-256 of all of the seal before it (32).
inline constexpr char kSealMagic[] = "HYBSEAL1";
inline constexpr const char* kSealedAttribute = "sealed";

/// share in 0..1; false: stop.
using SealWatch = std::function<bool(double share)>;

struct SealCheck {
  enum class State { none, whole, broken, damaged } state = State::none;  // damaged: the seal itself
  struct Bytes {
    std::uint64_t first, end;
  };
  std::vector<Bytes> broken;  // parts of the file that are not what was sealed, ascending, neighbours joined
  bool cancelled = false;     // by the watch; the rest says nothing then
};

/// Reads the whole file, without HDF5. Throws DeviceError where it cannot be read.
SealCheck checkSeal(const std::filesystem::path& file, const SealWatch& watch = {});

/// The file has no seal, for one could not be written; it is whole otherwise.
class SealError : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// Writes the seal of a file that is closed, has its root attribute set and has no seal yet. Throws DeviceError and
/// leaves the file without one.
void seal(const std::filesystem::path& file);
/// Cuts a seal off before the file is changed; nothing where there is none. Throws DeviceError where the file is not
/// what was sealed: it would be sealed as damaged.
void unseal(const std::filesystem::path& file);

}  // namespace hyb
