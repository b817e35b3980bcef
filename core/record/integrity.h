#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/seal.h"

namespace hyb {

/// Result of the checksums of a run or study file.
struct Integrity {
  enum class State {
    whole,       // every byte is as it was when the file was closed
    not_sealed,  // only the columns of a run have checksums, and they match
    seal_lost,   // the seal is missing or damaged; existing column checksums match
    recording,   // a living program writes it; checksums are written at its end
    unfinished,  // its program was killed; there are no checksums
    damaged,
  } state = State::whole;
  bool study = false;  // true: a study; false: a run
  bool recovered = false;
  bool older = false;       // written by a program that did not seal files
  std::size_t columns = 0;  // columns of a run with a recomputed, matching checksum
  /// Parts that do not match, in a few words: "gap_1, rows 512 to 1023", "project".
  std::vector<std::string> damage;

  bool readable = true;  // false: HDF5 cannot open it

  bool damaged() const noexcept { return state == State::damaged; }
  /// True if no check failed.
  bool sound() const noexcept { return state == State::whole || state == State::not_sealed; }
  /// State, meaning and remedy, in whole sentences.
  std::string sentence() const;
};
std::string_view name(Integrity::State state) noexcept;

enum class Columns : bool { where_needed, all };
/// Checks a whole file. `columns`: where_needed skips the columns of a sealed file, which the seal covers; all
/// recomputes them too. Throws DeviceError if it is not a HybridBench file or cannot be read at all. If the watch
/// cancels it, the state is not meaningful.
Integrity checkFile(const std::filesystem::path& file, Columns columns = Columns::where_needed,
                    const SealWatch& watch = {});

/// Throws DeviceError if a run file is damaged. Required for numbers used in another test or project.
void requireUndamaged(const std::filesystem::path& file);

}  // namespace hyb
