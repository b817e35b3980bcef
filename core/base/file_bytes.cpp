#include "core/base/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

#include "core/base/error.h"

namespace hyb {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuseWrite(const fs::path& file, int error) {
  throw DeviceError(file.string() + ": cannot be written: " + std::strerror(error) +
                    "; free space or choose another folder. An existing file is unchanged.");
}

bool writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Writes to a device or a pipe, which cannot be replaced by a file.
void writeInto(const fs::path& file, std::string_view bytes) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const bool good = fd >= 0 && writeAll(fd, bytes);
  const int fault = errno;
  if (fd >= 0) ::close(fd);
  if (!good)
    throw DeviceError(file.string() + ": cannot be written: " + std::strerror(fault) + "; choose another file.");
}

}  // namespace

std::optional<std::string> bytesOf(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) return std::nullopt;
  std::string bytes(size, '\0');
  stream.read(bytes.data(), static_cast<std::streamsize>(size));
  if (stream.bad()) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(stream.gcount()));  // the file may have become shorter
  return bytes;
}

bool replaceFile(const fs::path& file, const std::function<bool(const fs::path&)>& write) {
  std::error_code error;
  fs::path target = fs::canonical(file, error);  // keep a symbolic link
  if (error) target = file;
  if (fs::is_directory(target, error)) throw DeviceError(file.string() + ": is a folder; give a file name.");
  if (fs::exists(target, error) && !fs::is_regular_file(target, error)) return write(target);

  const fs::path temporary =
      target.parent_path() / ("." + target.filename().string() + "." + std::to_string(::getpid()));
  struct Removed {
    const fs::path& file;
    ~Removed() { ::unlink(file.c_str()); }
  } const removed{temporary};
  ::unlink(temporary.c_str());
  if (!write(temporary)) return false;
  const int fd = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) refuseWrite(file, errno);
  struct stat old {};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  // fsync before the rename: after a power failure the file is the old or the new one, never empty.
  bool good = (!replaces || ::fchmod(fd, old.st_mode & 0777u) == 0) && ::fsync(fd) == 0;
  int fault = errno;
  if (::close(fd) != 0 && good) {
    good = false;
    fault = errno;
  }
  if (!good) refuseWrite(file, fault);
  if (::rename(temporary.c_str(), target.c_str()) != 0) refuseWrite(file, errno);
  const fs::path parent = target.parent_path().empty() ? fs::path(".") : target.parent_path();
  if (const int directory = ::open(parent.c_str(), O_RDONLY | O_DIRECTORY); directory >= 0) {
    ::fsync(directory);
    ::close(directory);
  }
  return true;
}

void writeWhole(const fs::path& file, std::string_view bytes) {
  replaceFile(file, [&](const fs::path& beside) {
    std::error_code error;
    if (fs::exists(beside, error)) {
      writeInto(beside, bytes);
      return true;
    }
    const int fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    bool good = fd >= 0 && writeAll(fd, bytes);
    int fault = errno;
    if (fd >= 0 && ::close(fd) != 0 && good) {
      good = false;
      fault = errno;
    }
    if (!good) refuseWrite(file, fault);
    return true;
  });
}

std::string wideTextFault(std::string_view bytes) {
  using namespace std::string_literals;
  using namespace std::string_view_literals;
  const auto message = [](const char* encoding) {
    return "is "s + encoding + " text, as written by Windows PowerShell; save it as UTF-8";
  };
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return message("UTF-32");
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return message("UTF-16");
  // Without a byte-order mark: two ASCII characters, each with a zero before or after it.
  const auto plain = [&](std::size_t i) { return (bytes[i] >= ' ' && bytes[i] <= '~') || bytes[i] == '\t'; };
  if (bytes.size() < 4) return {};
  if (plain(0) && bytes[1] == 0 && plain(2) && bytes[3] == 0) return message("UTF-16");
  if (bytes[0] == 0 && plain(1) && bytes[2] == 0 && plain(3)) return message("UTF-16");
  return {};
}

}  // namespace hyb
