#pragma once
#include <filesystem>
#include <string>

#include "core/project/project.h"
#include "core/record/integrity.h"

namespace hyb::app {

/// First step of a command that reads figures of a finished run or study: reads the whole file, with a bar after one
/// second, and reports faults of its checksums on standard error. Throws DeviceError if it cannot be opened.
Integrity checkedFile(const std::filesystem::path& file);
/// For --json: state, damage, sentence.
Json integrityJson(const Integrity& integrity);
/// Adds it as "integrity" to a report if the file is not whole.
void addIntegrity(Json& report, const Integrity& integrity);

}  // namespace hyb::app
