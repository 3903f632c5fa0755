#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

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

Header *obtain(int64_t bytes) {
  Header *header;
  int64_t mapped = 0;
  if (is_mapped(bytes)) {
    mapped = mapping_for(bytes);
    header = reinterpret_cast<Header *>(map_aligned(mapped));
  } else {
    size_t whole = static_cast<size_t>(round_up(bytes + alignment, alignment));
    header = static_cast<Header *>(aligned_alloc(alignment, whole));
  }
  if (header != nullptr) *header = Header{bytes, mapped};
  return header;
}

void give_back(Header *header) {
  if (header->mapped_bytes > 0) {
    munmap(header, static_cast<size_t>(header->mapped_bytes));
  } else {
    free(header);
  }
}

/* Resizes a mapped block: in place if the pages after it are free, else by moving page tables. */
Header *remap(Header *header, int64_t new_bytes) {
  size_t old_length = static_cast<size_t>(header->mapped_bytes);
  int64_t new_length = mapping_for(new_bytes);
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
