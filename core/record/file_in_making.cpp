#include "core/record/file_in_making.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

namespace hyb {
namespace {

namespace fs = std::filesystem;

constexpr int kMostNames = 1000;
constexpr std::size_t kCopySlice = std::size_t{1} << 20;

[[noreturn]] void refuseCopy(const fs::path& file, const char* what) {
  const int why = errno;
  throw DeviceError(file.string() + ": " + what + ": " + std::strerror(why));
}

h5::HeldFile createBeside(const fs::path& target, const char* suffix) {
  const std::string first = target.string() + suffix;
  for (int number = 1;; ++number) {
    const fs::path name = number == 1 ? first : first + "-" + std::to_string(number);
    const int descriptor = ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (descriptor >= 0) return {descriptor, name};
    if (errno != EEXIST || number == kMostNames) refuseCopy(name, "cannot be created");
  }
}

}  // namespace

FileInMaking::FileInMaking(const fs::path& target, const char* suffix)
    : target_(target), held_(createBeside(target, suffix)) {}

FileInMaking::~FileInMaking() {
  if (!published_) held_.remove();
}

void FileInMaking::copyFrom(const h5::HeldFile& from) { copyFrom(from.descriptor()); }

void FileInMaking::copyFrom(const fs::path& from) {
  const int descriptor = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) refuseCopy(from, "cannot be read");
  try {
    copyFrom(descriptor);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
}

void FileInMaking::copyFrom(int from) {
  struct stat source {};
  if (::fstat(from, &source) != 0) refuseCopy(target_, "cannot be read");
  ::fchmod(held_.descriptor(), (source.st_mode & 0777u) | S_IRUSR | S_IWUSR);
  std::vector<char> bytes(kCopySlice);
  for (off_t at = 0;;) {
    const ssize_t got = ::pread(from, bytes.data(), bytes.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuseCopy(target_, "cannot be read");
    if (got == 0) return;
    for (ssize_t done = 0; done < got;) {
      const ssize_t written =
          ::pwrite(held_.descriptor(), bytes.data() + done, static_cast<std::size_t>(got - done), at + done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) refuseCopy(path(), "cannot be written");
      done += written;
    }
    at += got;
  }
}

void FileInMaking::publish() {
  held_.check();
  held_.sync();
  renameToNew(path(), target_);
  published_ = true;
  held_.rename(target_);
  held_.sync();
}

void FileInMaking::replace() {
  held_.check();
  held_.sync();
  if (std::rename(path().c_str(), target_.c_str()) != 0) refuseCopy(target_, "cannot be replaced");
  published_ = true;
  held_.rename(target_);
  held_.sync();
}

void FileInMaking::replace(h5::HeldFile& old) {
  if (old.place().state != FilePlace::State::here || old.path() != target_)
    throw DeviceError(target_.string() + ": was moved in the meantime");
  replace();
  std::swap(old, held_);
}

void renameToNew(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
  if (errno == EINVAL || errno == ENOSYS) {  // not supported by the file system
    if (::link(from.c_str(), to.c_str()) == 0) {
      ::unlink(from.c_str());
      return;
    }
    if (errno == EPERM || errno == ENOTSUP) {  // also not supported
      struct stat there {};
      if (::lstat(to.c_str(), &there) != 0 && std::rename(from.c_str(), to.c_str()) == 0) return;
      if (errno != ENOENT) errno = EEXIST;
    }
  }
  if (errno == EEXIST)
    throw DeviceError(to.string() + ": exists already and is not overwritten; choose another name or move the file");
  refuseCopy(to, "cannot be created");
}

}  // namespace hyb
