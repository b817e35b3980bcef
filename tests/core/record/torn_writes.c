// Loaded before the C library: once HYB_TEAR_WRITES is set, the first write of less than a page of memory that lies across
// two pages stops between them, where the system looks whether the process was killed, and the process is.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { kPage = 4096 };

static ssize_t written(int file, const void* bytes, size_t count, off_t at) {
  ssize_t (*const system_write)(int, const void*, size_t, off_t) =
      (ssize_t(*)(int, const void*, size_t, off_t))dlsym(RTLD_NEXT, "pwrite64");
  const size_t room = kPage - (size_t)(at % kPage);
  if (count < kPage && count > room && getenv("HYB_TEAR_WRITES")) {
    system_write(file, bytes, room, at);
    kill(getpid(), SIGKILL);
  }
  return system_write(file, bytes, count, at);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) { return written(file, bytes, count, at); }
ssize_t pwrite64(int file, const void* bytes, size_t count, off_t at) { return written(file, bytes, count, at); }
