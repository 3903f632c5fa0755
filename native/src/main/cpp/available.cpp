#include "available.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace weft {
namespace {

/* The number behind the first `key` in a file of the kernel; -1 if there is none. */
int64_t number_in(const char *path, const char *key) {
  char text[4096];
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length < 0) return -1;
  text[length] = 0;
  const char *at = strstr(text, key);
  if (at == nullptr) return -1;
  at += strlen(key);
  char *end = nullptr;
  int64_t number = strtoll(at, &end, 10);
  return end == at ? -1 : number;
}

int64_t left_of(int64_t limit, int64_t used) {
  if (limit < 0 || used < 0) return INT64_MAX;
  return limit > used ? limit - used : 0;
}

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

}  // namespace

int64_t available_bytes() {
  int64_t kibibytes = number_in("/proc/meminfo", "MemAvailable:");
  int64_t machine = kibibytes < 0 ? INT64_MAX : kibibytes * 1024;
  /* A container's limit, less what it cannot give back, by control groups of version 2 and 1. */
  int64_t second = left_of(number_in("/sys/fs/cgroup/memory.max", ""),
                           number_in("/sys/fs/cgroup/memory.stat", "anon "));
  int64_t first = left_of(number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", ""),
                          number_in("/sys/fs/cgroup/memory/memory.stat", "total_rss "));
  return least(machine, least(second, first));
}

}  // namespace weft
