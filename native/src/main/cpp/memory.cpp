#include "memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

namespace weft {
namespace {

constexpr int64_t alignment = 64;
constexpr int64_t huge_page = int64_t{2} << 20;
/* From here on a block is mapped pages of its own, so that it can grow without a copy. */
constexpr int64_t mapped_from = int64_t{4} << 20;
constexpr int64_t most_bytes = int64_t{1} << 46;

/* Stands in the 64 bytes before a block. */
struct Header {
  int64_t bytes;        /* as asked for */
  int64_t mapped_bytes; /* length of the mapping that starts at the header; 0 for malloc */
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

/* Mappings that were given back. Their pages need not be cleared for the next block, which costs as
 * much as to fill it; the system may take them back at any time (MADV_FREE). */
struct Kept {
  char *start;
  int64_t bytes;
};

constexpr int most_kept = 16;
Kept kept[most_kept]; /* oldest first; under the lock */
int kept_count = 0;
int64_t kept_bytes = 0;
pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

/* A sixteenth of the machine's memory. */
int64_t most_kept_bytes() {
  return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) / 16 * sysconf(_SC_PAGESIZE);
}

Kept remove_kept(int at) {
  Kept removed = kept[at];
  kept_count--;
  memmove(kept + at, kept + at + 1, static_cast<size_t>(kept_count - at) * sizeof(Kept));
  kept_bytes -= removed.bytes;
  return removed;
}

/* The smallest kept mapping of at least `bytes` bytes, but not a much larger one. */
Kept reuse(int64_t bytes) {
  Kept found = {nullptr, 0};
  pthread_mutex_lock(&kept_lock);
  int best = -1;
  for (int at = 0; at < kept_count; at++) {
    bool fits = kept[at].bytes >= bytes && kept[at].bytes / 2 <= bytes;
    if (fits && (best < 0 || kept[at].bytes < kept[best].bytes)) best = at;
  }
  if (best >= 0) found = remove_kept(best);
  pthread_mutex_unlock(&kept_lock);
  return found;
}

/* Keeps a mapping, in the place of older ones if need be. */
void keep(char *start, int64_t bytes) {
  if (bytes > most_kept_bytes() || madvise(start, static_cast<size_t>(bytes), MADV_FREE) != 0) {
    munmap(start, static_cast<size_t>(bytes));
    return;
  }
  pthread_mutex_lock(&kept_lock);
  while (kept_count == most_kept || kept_bytes + bytes > most_kept_bytes()) {
    Kept oldest = remove_kept(0);
    munmap(oldest.start, static_cast<size_t>(oldest.bytes));
  }
  kept[kept_count++] = {start, bytes};
  kept_bytes += bytes;
  pthread_mutex_unlock(&kept_lock);
}

Header *obtain(int64_t bytes) {
  Header *header;
  int64_t mapped = 0;
  if (is_mapped(bytes)) {
    mapped = mapping_for(bytes);
    Kept again = reuse(mapped);
    header = reinterpret_cast<Header *>(again.start != nullptr ? again.start : map_aligned(mapped));
    if (again.start != nullptr) mapped = again.bytes;
  } else {
    size_t whole = static_cast<size_t>(round_up(bytes + alignment, alignment));
    header = static_cast<Header *>(aligned_alloc(alignment, whole));
  }
  if (header != nullptr) *header = Header{bytes, mapped};
  return header;
}

void give_back(Header *header) {
  if (header->mapped_bytes > 0) {
    keep(reinterpret_cast<char *>(header), header->mapped_bytes);
  } else {
    free(header);
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
  *result = Header{new_bytes, new_length};
  return result;
}

/* Moves a block that at least doubles to a mapping that was kept: to copy half of it costs less than
 * to clear the other half. Null if there is none. */
Header *move_to_kept(Header *header, int64_t new_bytes) {
  if (mapping_for(new_bytes) <= header->mapped_bytes) return nullptr;
  Kept found = reuse(mapping_for(new_bytes));
  if (found.start == nullptr) return nullptr;
  Header *moved = reinterpret_cast<Header *>(found.start);
  memcpy(block_of(moved), block_of(header), static_cast<size_t>(header->bytes));
  *moved = Header{new_bytes, found.bytes};
  give_back(header);
  return moved;
}

}  // namespace

void *allocate(int64_t bytes) {
  if (bytes < 0 || bytes > most_bytes) return nullptr;
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
