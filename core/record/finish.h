#pragma once
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/record/run_file_writer.h"
#include "core/record/verdict.h"

namespace hyb {

namespace h5 {
class HeldFile;
}

/// Final entries of a closed run file.
struct Finish {
  RunFileEnd end = {};
  std::uint64_t max_rows = std::numeric_limits<std::uint64_t>::max();  // rows known to be on the disk
  bool recovered = false;                                              // mark it as recovered, with an event
  std::vector<std::pair<std::string, std::string>> digests = {};       // dataset name, SHA-256; empty: computed
};
struct Finished {
  std::uint64_t rows = 0, dropped = 0;
};

/// Opens a run file that no process writes, trims the row datasets to one length (and events and adapted parameters
/// each to theirs), writes digests and end, and seals the file unless its verdict follows. Throws DeviceError;
/// SealError: everything succeeded except the seal.
Finished finishRunFile(const h5::HeldFile& file, const Finish& finish);
Finished finishRunFile(const std::filesystem::path& file, const Finish& finish);

/// Writes or replaces /analysis/verdict of a run file that no process writes, and seals the file. Throws DeviceError,
/// also if the file does not match its seal.
void recordVerdict(const std::filesystem::path& file, const Verdict& verdict);

/// Like recordVerdict(), for /analysis/face.
void recordFace(const std::filesystem::path& file, const FaceFinding& finding);

/// Converts `copy`, a copy of a file whose writer ended in SWMR mode, to a plain file. Throws DeviceError.
void releaseFromSwmr(const h5::HeldFile& copy);
void releaseFromSwmr(const std::filesystem::path& copy);
/// The same without the library's private property names: reads `file` as a SWMR reader and overwrites `copy`.
void copyThroughReader(const std::filesystem::path& file, const h5::HeldFile& copy);

}  // namespace hyb
