#pragma once
#include <filesystem>
#include <string>

namespace hyb {

/// The file of a library that a project names; none of its code runs.
struct PlugInFile {
  std::filesystem::path file;
  std::string sha256;
};

/// A plug-in runs with all rights of its user, so each one must be accepted once, by the SHA-256 of its file. The list
/// of the user contains the accepted ones, one line each: SHA-256, two blanks, file.
std::filesystem::path acceptedPlugInsFile();  // empty: this user has no folder for settings

bool isAccepted(const PlugInFile& library);
/// Accepts it for this user from now on. Throws DeviceError if the list cannot be written; even then it is accepted in
/// this program.
void acceptPlugIn(const PlugInFile& library);
/// During this program the first use of a library accepts it: the one with this SHA-256, or with "" each one.
void acceptOnUse(const std::string& sha256);
/// Before a library is loaded. Throws InputError, at `where`, with path, SHA-256 and the way to accept it.
void requireAccepted(const PlugInFile& library, const std::string& where);

}  // namespace hyb
