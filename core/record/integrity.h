#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/record/seal.h"

namespace hyb {

/// What the checksums of a run or study file say of it.
struct Integrity {
  enum class State {
    whole,       // every byte is as it was when the file was closed
    not_sealed,  // only the columns of a run have checksums, and they match
    seal_lost,   // the seal is missing or damaged; so far as columns have checksums, they match
    recording,   // a living program writes it; checksums come with its end
    unfinished,  // its program was killed; there are no checksums
    damaged,
  } state = State::whole;
  bool study = false;  // else a run
  bool recovered = false;
  bool older = false;       // of a program that did not seal files
  std::size_t columns = 0;  // of a run that were recomputed and match
  /// What does not match, a few words each: "gap_1, rows 512 to 1023", "project".
  std::vector<std::string> damage;

  bool readable = true;  // false: HDF5 cannot open it any more

  bool damaged() const noexcept { return state == State::damaged; }
  /// Nothing that was looked at speaks against the file.
  bool sound() const noexcept { return state == State::whole || state == State::not_sealed; }
  /// State, what it means and what to do, in whole sentences.
  std::string sentence() const;
};
std::string_view name(Integrity::State state) noexcept;

enum class Columns : bool { where_needed, all };
/// Reads a whole file. `columns`: where_needed leaves the columns of a sealed file alone, which the seal covers; all
/// recomputes them too. Throws DeviceError where it is no file of ours or cannot be read at all. A watch that says so
/// ends it early, with a state that says nothing.
Integrity checkFile(const std::filesystem::path& file, Columns columns = Columns::where_needed,
                    const SealWatch& watch = {});

/// Throws DeviceError where a run file is damaged: for numbers that go into another test or project.
void requireUndamaged(const std::filesystem::path& file);

}  // namespace hyb
