#pragma once
#include <filesystem>
#include <string>

#include "core/project/project.h"
#include "core/record/integrity.h"

namespace hyb::app {

/// `hybridbench verify FILE`: recomputes the checksums of a run, a study or the journal of one. Exit code 0: they
/// match, or there are none and nothing speaks against the file; 3: damaged, not finished, or its seal is missing.
int verifyFile(const std::string& file, bool json);

/// What a command that takes numbers from a finished run or study does first: reads it whole, with a bar where that
/// takes longer than a second, and tells on standard error what its checksums have against it. Throws DeviceError where
/// it cannot be opened any more.
Integrity checkedFile(const std::filesystem::path& file);
/// For --json: state, damage, sentence.
Json integrityJson(const Integrity& integrity);
/// The same as "integrity" of a report, where there is something to say: the file is not whole.
void addIntegrity(Json& report, const Integrity& integrity);

}  // namespace hyb::app
