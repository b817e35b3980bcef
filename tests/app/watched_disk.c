// Loaded before the C library. HYB_REFUSE_WRITE=n refuses the n-th write to a file below the folder HYB_WATCHED, n+ all from
// it on, with "Input/output error". HYB_CALLS names a file that gets a line for each call that changes a file below that
// folder, or writes to standard output: "write run.h5" ("stream run.h5" where its descriptor is
// one of the three of the standard streams), "refused run.h5", "sync run.h5", "rename b c", "remove b", "print".
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char* below(const char* path) {
  const char* const folder = getenv("HYB_WATCHED");
  const size_t length = folder ? strlen(folder) : 0;
  if (length == 0 || strncmp(path, folder, length) != 0) return NULL;
  return path[length] == '/' ? path + length + 1 : path[length] == '\0' ? "." : NULL;
}

static const char* file_of(int descriptor, char* room) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, room, PATH_MAX - 1);
  if (length < 0) return NULL;
  room[length] = '\0';
  return below(room);
}

static void tell(const char* call, const char* one, const char* two) {
  const char* const log = getenv("HYB_CALLS");
  if (!log) return;
  const int file = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  char line[3 * PATH_MAX];
  const int length = snprintf(line, sizeof line, "%s%s%s%s%s\n", call, *one ? " " : "", one, *two ? " " : "", two);
  if (file < 0 || syscall(SYS_write, file, line, (size_t)length) < 0) abort();
  syscall(SYS_close, file);
}

static int refused(int descriptor) {
  static int writes = 0;
  char room[PATH_MAX];
  const char* const file = file_of(descriptor, room);
  if (!file) return 0;
  tell(descriptor <= STDERR_FILENO ? "stream" : "write", file, "");
  const char* const which = getenv("HYB_REFUSE_WRITE");
  if (!which) return 0;
  char* end = NULL;
  const long n = strtol(which, &end, 10);
  const int now = __atomic_add_fetch(&writes, 1, __ATOMIC_SEQ_CST);
  if (now != n && !(now > n && *end == '+')) return 0;
  tell("refused", file, "");
  errno = EIO;
  return 1;
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off_t at) {
  return refused(file) ? -1 : syscall(SYS_pwrite64, file, bytes, count, at);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) { return pwrite64(file, bytes, count, at); }
ssize_t write(int file, const void* bytes, size_t count) {
  return refused(file) ? -1 : syscall(SYS_write, file, bytes, count);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  return refused(file) ? -1 : syscall(SYS_writev, file, parts, count);
}
int fputs(const char* text, FILE* stream) {
  int (*const system_fputs)(const char*, FILE*) = (int (*)(const char*, FILE*))dlsym(RTLD_NEXT, "fputs");
  if (stream == stdout) tell("print", "", "");
  return system_fputs(text, stream);
}
static int synced(int file, long call) {
  char room[PATH_MAX];
  const char* const name = file_of(file, room);
  const int done = (int)syscall(call, file);
  if (name) tell("sync", name, "");
  return done;
}
int fsync(int file) { return synced(file, SYS_fsync); }
int fdatasync(int file) { return synced(file, SYS_fdatasync); }

static const char* base(const char* path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }
int rename(const char* from, const char* to) {
  tell("rename", base(from), base(to));
  return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) {
  tell("rename", base(from), base(to));
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}
int unlink(const char* path) {
  tell("remove", base(path), "");
  return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
int remove(const char* path) { return unlink(path); }
