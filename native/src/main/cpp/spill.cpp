#include "spill.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace weft {
namespace {

enum Step : int64_t { MAP, UNMAP, FETCH, EVICT };

/* Reserves the disk's blocks: a write through a mapping that finds the disk full kills the process. */
int64_t map(int64_t *args) {
  const char *path = reinterpret_cast<const char *>(args[2]);
  int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return errno;
  int failed = posix_fallocate(file, 0, args[3]);
  if (failed == 0) {
    void *start = mmap(nullptr, static_cast<size_t>(args[3]), PROT_READ | PROT_WRITE, MAP_SHARED,
                       file, 0);
    if (start == MAP_FAILED) {
      failed = errno;
    } else {
      args[2] = reinterpret_cast<int64_t>(start);
      unlink(path);
    }
  }
  close(file);
  return failed;
}

}  // namespace

void spill(int64_t *args) {
  if (args[0] == MAP) {
    args[1] = map(args);
    return;
  }
  void *start = reinterpret_cast<void *>(args[2]);
  size_t bytes = static_cast<size_t>(args[3]);
  int result = args[0] == UNMAP   ? munmap(start, bytes)
               : args[0] == FETCH ? madvise(start, bytes, MADV_WILLNEED)
                                  : madvise(start, bytes, MADV_DONTNEED);
  args[1] = result == 0 ? 0 : errno;
}

}  // namespace weft
