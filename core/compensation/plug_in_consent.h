#pragma once
#include <filesystem>
#include <string>

namespace hyb {

/// A library that a project names, as a file: nothing of it runs.
struct PlugInFile {
  std::filesystem::path file;
  std::string sha256;
};

/// A plug-in runs with all rights of its user, so that each one is accepted once, by the SHA-256 of its file. What was
/// accepted stands in a list of the user, one line each: SHA-256, two blanks, file.
std::filesystem::path acceptedPlugInsFile();  // empty: this user has no folder for settings

bool isAccepted(const PlugInFile& library);
/// Of this user, from now on. Throws DeviceError where the list cannot be written; accepted in this program it is then,
/// too.
void acceptPlugIn(const PlugInFile& library);
/// In this program's life the first use of a library accepts it: the one with this SHA-256, or with "" each one.
void acceptOnUse(const std::string& sha256);
/// Before a library is loaded. Throws InputError, at `where`, with path and SHA-256 and how to accept it.
void requireAccepted(const PlugInFile& library, const std::string& where);

}  // namespace hyb
