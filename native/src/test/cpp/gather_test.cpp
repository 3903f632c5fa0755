#include "gather_test.h"

#include <string.h>

#include "expect.h"

namespace {

/* Item i yields i % 4 numbers: i, i, ... The result is a narrow array of them, a pos array with an
 * element for every item, and an array of bytes. Items also belong to groups in groups, of all
 * lengths: if they yield anything, their numbers are there once, with where they end. */
constexpr int64_t items = 60000;
int64_t yield(int64_t item) { return item % 4; }
int64_t inner(int64_t item) { return item < 1000 ? item / 2 : item < 30000 ? 500 : item / 7; }
int64_t outer(int64_t item) { return item < 40000 ? inner(item) / 100 : 80000; }

/* Allocations that fail once the budget is spent. */
int64_t budget;

void *alloc_some(int64_t bytes) {
  return __atomic_sub_fetch(&budget, 1, __ATOMIC_RELAXED) < 0 ? nullptr
                                                               : process()->table.alloc(bytes);
}

void *grow_some(void *block, int64_t old_bytes, int64_t new_bytes) {
  return __atomic_sub_fetch(&budget, 1, __ATOMIC_RELAXED) < 0
             ? nullptr
             : process()->table.grow(block, old_bytes, new_bytes);
}

struct Call {
  weft_runtime runtime;
  void *gather;
  int64_t failed; /* atomic */
};

constexpr int64_t parts = 7;

void describe(weft_part *to) {
  to[0] = weft_part{nullptr, 0, 4, 0, -1, 0, -1};
  to[1] = weft_part{nullptr, 0, 2, 1, 0, 0, -1};
  to[2] = weft_part{nullptr, 0, 1, 0, -1, 0, -1};
  to[3] = weft_part{nullptr, 0, 4, 0, -1, 0, 0}; /* outer groups */
  to[4] = weft_part{nullptr, 0, 2, 0, -1, 0, 1}; /* inner groups */
  to[5] = weft_part{nullptr, 0, 8, 1, 4, 0, 0};  /* where the inner ones of an outer one end */
  to[6] = weft_part{nullptr, 0, 4, 1, 0, 0, 1};  /* where the numbers of an inner one end */
}

bool room(const weft_runtime &runtime, weft_part &part, int64_t elements) {
  int64_t bytes = (part.lead + elements) * part.width;
  if (bytes <= part.bytes) return true;
  void *block = runtime.grow(part.block, part.bytes, 2 * bytes);
  if (block == nullptr) return false;
  part.block = block;
  part.bytes = 2 * bytes;
  return true;
}

void put(weft_part &part, int64_t value) {
  char *to = static_cast<char *>(part.block) + (part.lead + part.count++) * part.width;
  memcpy(to, &value, static_cast<size_t>(part.width)); /* little-endian */
}

/* The groups of an item that has just yielded, in a piece or in the whole. */
struct Groups {
  int64_t outer = -1;
  int64_t inner = -1;

  void enter(weft_part *to, int64_t item) {
    bool other = ::outer(item) != outer;
    if (other || ::inner(item) != inner) put(to[4], inner = ::inner(item));
    else to[6].count--;
    if (other) put(to[3], outer = ::outer(item));
    else to[5].count--;
    put(to[5], to[4].count);
    put(to[6], to[0].count);
  }
};

bool make(const weft_runtime &runtime, const int64_t *range, weft_part *piece) {
  for (int64_t p = 0; p < parts; p++) {
    piece[p].count = 0;
    if (!room(runtime, piece[p], 1)) return false;
    memset(piece[p].block, 0, static_cast<size_t>(piece[p].lead * piece[p].width));
  }
  Groups groups;
  for (int64_t item = range[1]; item < range[2]; item++) {
    for (int64_t p = 0; p < parts; p++) {
      if (!room(runtime, piece[p], piece[p].count + 4)) return false;
    }
    for (int64_t n = 0; n < yield(item); n++) {
      put(piece[0], item);
      put(piece[2], item + n);
    }
    put(piece[1], piece[0].count);
    if (yield(item) > 0) groups.enter(piece, item);
  }
  return true;
}

/* One thread: takes pieces until there are none. */
void run(void *ctx, int64_t) {
  Call *call = static_cast<Call *>(ctx);
  weft_part piece[parts];
  describe(piece);
  int64_t range[3];
  while (call->runtime.take(call->gather, range)) {
    if (!make(call->runtime, range, piece) ||
        !call->runtime.place(call->gather, range, piece)) {
      __atomic_store_n(&call->failed, 1, __ATOMIC_RELAXED);
      break;
    }
  }
  for (int64_t p = 0; p < parts; p++) call->runtime.release(piece[p].block, piece[p].bytes);
}

void check(const weft_part *whole) {
  weft_part alone[parts];
  describe(alone);
  int64_t all[] = {0, 0, items};
  EXPECT(make(process()->table, all, alone));
  for (int64_t p = 0; p < parts; p++) {
    EXPECT(whole[p].count == alone[p].count);
    int64_t bytes = (alone[p].lead + alone[p].count) * alone[p].width;
    EXPECT(memcmp(whole[p].block, alone[p].block, static_cast<size_t>(bytes)) == 0);
    process()->table.release(alone[p].block, alone[p].bytes);
  }
  EXPECT(alone[1].count == items && alone[3].count > 10 && alone[4].count > alone[3].count);
  const uint32_t *numbers = static_cast<const uint32_t *>(whole[0].block);
  const uint16_t *ends = static_cast<const uint16_t *>(whole[1].block);
  int64_t at = 0;
  for (int64_t item = 0; item < items; item++) {
    for (int64_t n = 0; n < yield(item); n++, at++) EXPECT(numbers[at] == item);
    EXPECT(ends[item + 1] == static_cast<uint16_t>(at));
  }
}

/* The whole is the same on any number of threads; without enough memory it fails, and nothing is
 * left behind. */
void gather(int64_t threads, int64_t allocations) {
  int64_t blocks = statistic(0);
  Call call = {runtime_with(threads), nullptr, 0};
  call.runtime.alloc = alloc_some;
  call.runtime.grow = grow_some;
  budget = INT64_MAX;
  weft_part whole[parts];
  describe(whole);
  for (int64_t p = 0; p < parts; p++) {
    EXPECT(room(call.runtime, whole[p], 1));
    memset(whole[p].block, 0, static_cast<size_t>(whole[p].bytes));
  }
  budget = allocations;
  call.gather = call.runtime.gather(&call.runtime, whole, parts, items, threads);
  if (call.gather != nullptr) {
    call.runtime.parallel_for(&call.runtime, threads, run, &call);
    call.runtime.gathered(call.gather, whole);
  }
  EXPECT((call.gather != nullptr && !call.failed) == (allocations > 10000));
  if (call.gather != nullptr && !call.failed) check(whole);
  for (int64_t p = 0; p < parts; p++) call.runtime.release(whole[p].block, whole[p].bytes);
  EXPECT(statistic(0) == blocks);
}

}  // namespace

void test_gathers() {
  for (int64_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
    for (int64_t allocations = 0; allocations < 12; allocations++) gather(threads, allocations);
    for (int round = 0; round < 5; round++) gather(threads, INT64_MAX);
  }
}
