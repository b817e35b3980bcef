#include "core/compensation/plug_in_consent.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>

#include "core/base/error.h"
#include "core/base/file_bytes.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDigits = 64;  // of a SHA-256

/// Libraries accepted since the program started.
struct Session {
  std::mutex mutex;
  std::set<std::string> accepted, on_use;  // on_use: "" means each library
};
Session& session() {
  static Session now;
  return now;
}

bool isListed(const std::string& sha256) {
  const fs::path list = acceptedPlugInsFile();
  struct stat status {};
  // A list that other users can write is not proof of acceptance by this user.
  if (list.empty() || ::stat(list.c_str(), &status) != 0 || status.st_uid != ::geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return false;
  const std::string text = bytesOf(list).value_or("");
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.substr(0, kDigits) == sha256 && (line.size() == kDigits || line[kDigits] == ' ')) return true;
    at = end + 1;
  }
  return false;
}

/// A single line.
std::string lineOf(const PlugInFile& library) {
  std::string line = library.sha256 + "  " + library.file.string();
  for (char& c : line)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  return line + "\n";
}

}  // namespace

fs::path acceptedPlugInsFile() {
  const auto folder = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
  };
  fs::path settings = folder("XDG_CONFIG_HOME");
  if (settings.empty() && !folder("HOME").empty()) settings = folder("HOME") / ".config";
  return settings.empty() ? settings : settings / "hybridbench" / "accepted-plug-ins";
}

bool isAccepted(const PlugInFile& library) {
  {
    const std::scoped_lock lock(session().mutex);
    if (session().accepted.contains(library.sha256)) return true;
  }
  return isListed(library.sha256);
}

void acceptPlugIn(const PlugInFile& library) {
  {
    const std::scoped_lock lock(session().mutex);
    session().accepted.insert(library.sha256);
  }
  if (isListed(library.sha256)) return;
  const fs::path list = acceptedPlugInsFile();
  const auto refuse = [&](const std::string& why) {
    throw DeviceError((list.empty() ? "the list of accepted libraries" : list.string()) +
                      ": cannot be written: " + why + "; the library is accepted only until this program ends.");
  };
  if (list.empty()) refuse("this user has no home folder");
  std::error_code error;
  fs::create_directories(list.parent_path(), error);
  const int fd = ::open(list.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) refuse(std::strerror(errno));
  const std::string line = lineOf(library);
  const bool written = ::write(fd, line.data(), line.size()) == static_cast<ssize_t>(line.size());
  const int fault = errno;
  if (::close(fd) != 0 || !written) refuse(std::strerror(fault));
}

void acceptOnUse(const std::string& sha256) {
  const std::scoped_lock lock(session().mutex);
  session().on_use.insert(sha256);
}

void requireAccepted(const PlugInFile& library, const std::string& where) {
  if (isAccepted(library)) return;
  const bool now = [&] {
    const std::scoped_lock lock(session().mutex);
    return session().on_use.contains("") || session().on_use.contains(library.sha256);
  }();
  if (!now)
    throw InputError(where, "\"" + library.file.string() + "\" is a program that you have not accepted yet (SHA-256 " +
                                library.sha256 +
                                "). If you trust its source, accept it: in the window with Arm on the page "
                                "Run, on the command line with --accept-plug-in=" +
                                library.sha256 + ".");
  try {
    acceptPlugIn(library);
  } catch (const DeviceError&) {  // it is accepted for this call, as requested
  }
}

}  // namespace hyb
