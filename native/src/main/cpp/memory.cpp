#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "available.h"

namespace weft {
namespace {

constexpr int64_t alignment = 64;
constexpr int64_t huge_page = int64_t{2} << 20;
/* From here on a block is mapped pages of its own, so that it can grow without a copy. */
constexpr int64_t mapped_from = int64_t{4} << 20;
constexpr int64_t most_bytes = int64_t{1} << 46;
/* From here on memory is asked for only if the machine has it: Linux would grant more, and kill the
 * process when it is used. */
constexpr int64_t asked_from = int64_t{64} << 20;
/* Arrays of one result grow by turns, for values and coordinates, on several threads: what others
 * were given and have not used yet still counts as available. */
constexpr int64_t growing_together = 3;
/* Smaller blocks cost malloc no pages. */
constexpr int64_t kept_from = int64_t{32} << 10;
/* Of the blocks from malloc that were given back. */
constexpr int64_t most_kept_of_malloc = int64_t{32} << 20;

/* Stands in the 64 bytes before a block. */
struct Header {
  int64_t bytes;        /* as asked for */
  int64_t mapped_bytes; /* length of the mapping that starts at the header; 0 for malloc */
  int64_t malloc_bytes; /* from malloc, the header included; 0 for a mapping */
};
static_assert(sizeof(Header) <= alignment, "a header keeps its block aligned");

int64_t blocks_alive = 0;
int64_t bytes_alive = 0;

void count(int64_t blocks, int64_t bytes) {
  __atomic_fetch_add(&blocks_alive, blocks, __ATOMIC_RELAXED);
  __atomic_fetch_add(&bytes_alive, bytes, __ATOMIC_RELAXED);
}

int64_t round_up(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

bool is_mapped(int64_t bytes) { return bytes >= mapped_from; }

int64_t mapping_for(int64_t bytes) { return round_up(bytes + alignment, huge_page); }

Header *header_of(void *block) {
  return reinterpret_cast<Header *>(static_cast<char *>(block) - alignment);
}

void *block_of(Header *header) { return reinterpret_cast<char *>(header) + alignment; }

/* Fresh pages that start at a huge-page boundary; null when there are none. */
char *map_aligned(int64_t bytes) {
  size_t reserved = static_cast<size_t>(bytes + huge_page);
  void *start = mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return nullptr;
  char *from = static_cast<char *>(start);
  size_t lead = (huge_page - reinterpret_cast<uintptr_t>(from) % huge_page) % huge_page;
  if (lead > 0) munmap(from, lead);
  size_t tail = static_cast<size_t>(huge_page) - lead;
  if (tail > 0) munmap(from + lead + bytes, tail);
  /* Advice only: where huge pages are off, small ones do. */
  madvise(from + lead, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  return from + lead;
}

/* A sixteenth of the machine's memory. */
int64_t most_kept_of_mappings() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) / 16 * sysconf(_SC_PAGESIZE);
}

struct Kept {
  char *start;
  int64_t bytes;
};

/* Memory that was given back, for later blocks: its pages need not be cleared again, which costs as
 * much as to fill them. */
class Shelf {
 public:
  constexpr Shelf(int64_t (*most)(), void (*dispose)(Kept)) : most_(most), dispose_(dispose) {}

  /* The smallest kept memory of at least `bytes` bytes, but not much more. */
  Kept reuse(int64_t bytes) {
    Kept found = {nullptr, 0};
    pthread_mutex_lock(&lock_);
    int best = -1;
    for (int at = 0; at < count_; at++) {
      bool fits = kept_[at].bytes >= bytes && kept_[at].bytes / 2 <= bytes;
      if (fits && (best < 0 || kept_[at].bytes < kept_[best].bytes)) best = at;
    }
    if (best >= 0) found = remove(best);
    pthread_mutex_unlock(&lock_);
    return found;
  }

  /* Keeps memory, in the place of older ones if need be. */
  void keep(Kept given) {
    int64_t most = most_();
    if (given.bytes > most) {
      dispose_(given);
      return;
    }
    pthread_mutex_lock(&lock_);
    while (count_ == most_count || bytes_ + given.bytes > most) dispose_(remove(0));
    kept_[count_++] = given;
    bytes_ += given.bytes;
    pthread_mutex_unlock(&lock_);
  }

 private:
  static constexpr int most_count = 32;

  Kept remove(int at) {
    Kept removed = kept_[at];
    count_--;
    memmove(kept_ + at, kept_ + at + 1, static_cast<size_t>(count_ - at) * sizeof(Kept));
    bytes_ -= removed.bytes;
    return removed;
  }

  int64_t (*const most_)();
  void (*const dispose_)(Kept);
  Kept kept_[most_count] = {}; /* oldest first */
  int count_ = 0;
  int64_t bytes_ = 0;
  pthread_mutex_t lock_ = PTHREAD_MUTEX_INITIALIZER;
};

/* The system may take the pages of a kept mapping back at any time (MADV_FREE). */
constinit Shelf mappings(most_kept_of_mappings,
                         [](Kept old) { munmap(old.start, static_cast<size_t>(old.bytes)); });

constinit Shelf mallocs([] { return most_kept_of_malloc; }, [](Kept old) { free(old.start); });

Header *obtain(int64_t bytes) {
  Kept found = {nullptr, 0};
  if (is_mapped(bytes)) {
    int64_t wanted = mapping_for(bytes);
    found = mappings.reuse(wanted);
    if (found.start == nullptr) found = {map_aligned(wanted), wanted};
  } else {
    int64_t wanted = round_up(bytes + alignment, alignment);
    if (wanted >= kept_from) found = mallocs.reuse(wanted);
    if (found.start == nullptr) {
      void *fresh = aligned_alloc(alignment, static_cast<size_t>(wanted));
      found = {static_cast<char *>(fresh), wanted};
    }
  }
  bool mapped = is_mapped(bytes);
  Header *header = reinterpret_cast<Header *>(found.start);
  if (header != nullptr) *header = Header{bytes, mapped ? found.bytes : 0, mapped ? 0 : found.bytes};
  return header;
}

void give_back(Header *header) {
  Kept given = {reinterpret_cast<char *>(header), header->mapped_bytes};
  if (given.bytes == 0) {
    given.bytes = header->malloc_bytes;
    if (given.bytes >= kept_from) {
      mallocs.keep(given);
    } else {
      free(header);
    }
  } else if (madvise(given.start, static_cast<size_t>(given.bytes), MADV_FREE) == 0) {
    mappings.keep(given);
  } else {
    munmap(given.start, static_cast<size_t>(given.bytes));
  }
}

/* Resizes a mapped block: in place if the pages after it are free, else by moving page tables. */
Header *remap(Header *header, int64_t new_bytes) {
  size_t old_length = static_cast<size_t>(header->mapped_bytes);
  int64_t new_length = mapping_for(new_bytes);
  if (new_bytes > header->bytes && new_length <= header->mapped_bytes) {
    header->bytes = new_bytes;
    return header;
  }
  void *moved = mremap(header, old_length, static_cast<size_t>(new_length), 0);
  if (moved == MAP_FAILED) {
    char *target = map_aligned(new_length);
    if (target == nullptr) return nullptr;
    moved = mremap(header, old_length, static_cast<size_t>(new_length),
                   MREMAP_MAYMOVE | MREMAP_FIXED, target);
    if (moved == MAP_FAILED) {
      munmap(target, static_cast<size_t>(new_length));
      return nullptr;
    }
  }
  Header *result = static_cast<Header *>(moved);
  *result = Header{new_bytes, new_length, 0};
  return result;
}

/* Moves a block that at least doubles to a mapping that was kept: to copy half of it costs less than
 * to clear the other half. Null if there is none. */
Header *move_to_kept(Header *header, int64_t new_bytes) {
  if (mapping_for(new_bytes) <= header->mapped_bytes) return nullptr;
  Kept found = mappings.reuse(mapping_for(new_bytes));
  if (found.start == nullptr) return nullptr;
  Header *moved = reinterpret_cast<Header *>(found.start);
  memcpy(block_of(moved), block_of(header), static_cast<size_t>(header->bytes));
  *moved = Header{new_bytes, found.bytes, 0};
  give_back(header);
  return moved;
}

bool is_there(int64_t bytes, int64_t times) {
  return bytes < asked_from || bytes <= available_bytes() / times;
}

}  // namespace

void *allocate(int64_t bytes) {
  if (bytes < 0 || bytes > most_bytes || !is_there(bytes, 1)) return nullptr;
  Header *header = obtain(bytes);
  if (header == nullptr) return nullptr;
  count(1, bytes);
  return block_of(header);
}

void *grow(void *block, int64_t, int64_t new_bytes) {
  if (block == nullptr) return allocate(new_bytes);
  if (new_bytes < 0 || new_bytes > most_bytes) return nullptr;
  Header *old = header_of(block);
  int64_t old_bytes = old->bytes;
  if (!is_there(new_bytes - old_bytes, growing_together)) return nullptr;
  if (old->mapped_bytes > 0 && is_mapped(new_bytes)) {
    Header *copied = new_bytes >= 2 * old_bytes ? move_to_kept(old, new_bytes) : nullptr;
    if (copied != nullptr) {
      count(0, new_bytes - old_bytes);
      return block_of(copied);
    }
    Header *moved = remap(old, new_bytes);
    if (moved == nullptr) return nullptr;
    count(0, new_bytes - old_bytes);
    return block_of(moved);
  }
  Header *fresh = obtain(new_bytes);
  if (fresh == nullptr) return nullptr;
  memcpy(block_of(fresh), block,
         static_cast<size_t>(old_bytes < new_bytes ? old_bytes : new_bytes));
  give_back(old);
  count(0, new_bytes - old_bytes);
  return block_of(fresh);
}

void release(void *block, int64_t) {
  if (block == nullptr) return;
  Header *header = header_of(block);
  count(-1, -header->bytes);
  give_back(header);
}

int64_t live_blocks() { return __atomic_load_n(&blocks_alive, __ATOMIC_RELAXED); }

int64_t live_bytes() { return __atomic_load_n(&bytes_alive, __ATOMIC_RELAXED); }

}  // namespace weft
