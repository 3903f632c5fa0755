/*
 * Tests of the runtime below Java. Built twice: as a library that a JUnit test calls, by the
 * bundled clang; and as a program under sanitizers (-DWEFT_TEST_MAIN), where a host compiler has
 * them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks_test.h"
#include "decode_test.h"
#include "expect.h"
#include "gather_test.h"
#include "packing_test.h"
#include "tasks_test.h"
#include "weft_runtime.h"

namespace {

constexpr int64_t mib = int64_t{1} << 20;

void allocation_is_aligned_and_counted() {
  const weft_runtime &runtime = process()->table;
  int64_t blocks = statistic(0);
  int64_t bytes = statistic(1);
  const int64_t sizes[] = {0, 1, 63, 64, 65, 4096, mib, 4 * mib - 1, 4 * mib, 33 * mib + 5};
  for (int64_t size : sizes) {
    char *block = static_cast<char *>(runtime.alloc(size));
    EXPECT(block != nullptr);
    EXPECT(reinterpret_cast<uintptr_t>(block) % 64 == 0);
    if (size > 0) {
      block[0] = 1;
      block[size - 1] = 2;
    }
    EXPECT(statistic(0) == blocks + 1);
    EXPECT(statistic(1) == bytes + size);
    runtime.release(block, size);
  }
  runtime.release(nullptr, 0);
  EXPECT(statistic(0) == blocks);
  EXPECT(statistic(1) == bytes);
}

void impossible_allocations_are_null() {
  const weft_runtime &runtime = process()->table;
  EXPECT(runtime.alloc(-1) == nullptr);
  EXPECT(runtime.alloc(INT64_MAX) == nullptr);
  EXPECT(runtime.alloc(INT64_MAX - 64) == nullptr);
  char *block = static_cast<char *>(runtime.alloc(100));
  memset(block, 7, 100);
  EXPECT(runtime.grow(block, 100, INT64_MAX) == nullptr);
  EXPECT(block[99] == 7);
  runtime.release(block, 100);
}

/* Every byte at a multiple of the stride survives every growth and shrinkage. */
void growth_keeps_contents() {
  const weft_runtime &runtime = process()->table;
  constexpr int64_t stride = 1021;
  const int64_t sizes[] = {10,       5000,      mib,      3 * mib, 5 * mib, 9 * mib,
                           40 * mib, 200 * mib, 20 * mib, 5 * mib, mib,     100};
  int64_t bytes = statistic(1);
  int64_t size = 0;
  int64_t written = 0;
  unsigned char *block = nullptr;
  for (int64_t next : sizes) {
    block = static_cast<unsigned char *>(runtime.grow(block, size, next));
    EXPECT(block != nullptr && reinterpret_cast<uintptr_t>(block) % 64 == 0);
    int64_t kept = written < next ? written : next;
    for (int64_t i = 0; i < kept; i += stride) EXPECT(block[i] == (i / stride) % 251);
    for (int64_t i = 0; i < next; i += stride) block[i] = (i / stride) % 251;
    size = next;
    written = next;
    EXPECT(statistic(1) == bytes + size);
  }
  runtime.release(block, size);
  EXPECT(statistic(1) == bytes);
}

/* Two large blocks side by side: growth of one must not reach into the other. */
void growing_blocks_do_not_overlap() {
  const weft_runtime &runtime = process()->table;
  char *a = static_cast<char *>(runtime.alloc(4 * mib));
  char *b = static_cast<char *>(runtime.alloc(4 * mib));
  memset(a, 1, 4 * mib);
  memset(b, 2, 4 * mib);
  int64_t size = 4 * mib;
  for (int round = 0; round < 4; round++, size *= 2) {
    a = static_cast<char *>(runtime.grow(a, size, 2 * size));
    memset(a + size, 1, size);
    b = static_cast<char *>(runtime.grow(b, size, 2 * size));
    memset(b + size, 2, size);
  }
  for (int64_t i = 0; i < size; i += 4096) EXPECT(a[i] == 1 && b[i] == 2);
  runtime.release(a, size);
  runtime.release(b, size);
}

/* A block that was given back is there for the next of its size, but not for a much smaller one. */
void released_blocks_are_kept() {
  const weft_runtime &runtime = process()->table;
  const int64_t sizes[] = {40001, 1234567, 3 * mib + 1001};
  for (int64_t size : sizes) {
    void *block = runtime.alloc(size);
    memset(block, 1, static_cast<size_t>(size));
    runtime.release(block, size);
    void *small = runtime.alloc(size / 3);
    EXPECT(small != block);
    void *again = runtime.alloc(size);
    EXPECT(again == block);
    runtime.release(small, size / 3);
    runtime.release(again, size);
  }
}

int ascending(const void *a, const void *b) {
  int64_t x = *static_cast<const int64_t *>(a);
  int64_t y = *static_cast<const int64_t *>(b);
  return (x > y) - (x < y);
}

void check_sort(int64_t n, int kind, Random &random) {
  size_t bytes = static_cast<size_t>(n) * sizeof(int64_t);
  int64_t *values = static_cast<int64_t *>(malloc(bytes + 8));
  int64_t *expected = static_cast<int64_t *>(malloc(bytes + 8));
  for (int64_t i = 0; i < n; i++) {
    uint64_t r = random.next();
    const int64_t by_kind[] = {static_cast<int64_t>(r),
                               static_cast<int64_t>(r % 100000),
                               static_cast<int64_t>(r % 3),
                               i,
                               n - i,
                               static_cast<int64_t>(r % 1000) - 500,
                               i % 2 ? INT64_MAX : INT64_MIN,
                               i < n / 2 ? i : n - i,
                               static_cast<int64_t>(r >> 20) + (int64_t{1} << 45)};
    values[i] = by_kind[kind];
  }
  if (n > 0) memcpy(expected, values, bytes);
  qsort(expected, static_cast<size_t>(n), sizeof(int64_t), ascending);
  values[n] = -42;
  process()->table.sort_i64(values, n);
  EXPECT(memcmp(expected, values, bytes) == 0);
  EXPECT(values[n] == -42);
  free(values);
  free(expected);
}

/* Pairs follow the same order as keys alone, stably. */
void check_sort_pairs(int64_t n, int kind, Random &random) {
  size_t bytes = static_cast<size_t>(n) * sizeof(int64_t);
  int64_t *before = static_cast<int64_t *>(malloc(bytes + 8));
  int64_t *keys = static_cast<int64_t *>(malloc(bytes + 8));
  int64_t *values = static_cast<int64_t *>(malloc(bytes + 8));
  for (int64_t i = 0; i < n; i++) {
    uint64_t r = random.next();
    const int64_t by_kind[] = {static_cast<int64_t>(r), static_cast<int64_t>(r % 100000),
                               static_cast<int64_t>(r % 3), i, n - i,
                               i % 2 ? INT64_MAX : INT64_MIN};
    before[i] = keys[i] = by_kind[kind];
    values[i] = i;
  }
  EXPECT(process()->table.sort_pairs_i64(keys, values, n) == 1);
  for (int64_t i = 0; i < n; i++) {
    EXPECT(values[i] >= 0 && values[i] < n && before[values[i]] == keys[i]);
    EXPECT(i == 0 || keys[i - 1] < keys[i] ||
           (keys[i - 1] == keys[i] && values[i - 1] < values[i]));
  }
  free(before);
  free(keys);
  free(values);
}

void sorts() {
  Random random{20240717};
  const int64_t lengths[] = {0, 1, 2, 3, 24, 25, 26, 100, 511, 512, 513, 5000, 100000};
  for (int64_t n : lengths) {
    for (int kind = 0; kind < 9; kind++) check_sort(n, kind, random);
    for (int kind = 0; kind < 6; kind++) check_sort_pairs(n, kind, random);
  }
}

/* Marks of every density against their positions in disorder. */
void marked_positions_sort() {
  constexpr int64_t length = 1000;
  static uint8_t marks[length];
  static int64_t positions[length];
  Random random{5};
  for (int64_t of = 1; of < 400; of = of * 3 / 2 + 1) {
    int64_t n = 0;
    for (int64_t p = 0; p < length; p++) {
      int64_t at = (p * 7 + 3) % length;
      marks[at] = static_cast<uint8_t>(random.next() % static_cast<uint64_t>(of) == 0 ? 1 + at % 255 : 0);
      if (marks[at]) positions[n++] = at;
    }
    process()->table.sort_marked(positions, n, marks, length);
    int64_t at = 0;
    for (int64_t p = 0; p < length; p++) {
      if (marks[p]) EXPECT(positions[at++] == p);
    }
    EXPECT(at == n);
  }
}

/* Few marks that are far apart, for every number of them: the order is random. The longest lists
 * reach over more marks than a set of bits on the stack has. */
void scattered_positions_sort() {
  constexpr int64_t most = 600;
  static uint8_t marks[most * 5000];
  Random random{6};
  constexpr int64_t distances[] = {100, 500, 5000};
  for (int64_t apart : distances) {
    for (int64_t n = 0; n <= most; n += n < 140 ? 1 : 57) {
      int64_t positions[most + 1];
      memset(marks, 0, sizeof(marks));
      for (int64_t i = 0; i < n; i++) {
        int64_t place = static_cast<int64_t>(random.next() % static_cast<uint64_t>(i + 1));
        positions[i] = positions[place];
        positions[place] =
            i * apart + static_cast<int64_t>(random.next() % static_cast<uint64_t>(apart));
        marks[positions[place]] = 1;
      }
      positions[n] = -42;
      process()->table.sort_marked(positions, n, marks, most * apart);
      for (int64_t i = 0; i < n; i++) {
        EXPECT(positions[i] / apart == i && marks[positions[i]] == 1);
      }
      EXPECT(positions[n] == -42);
    }
  }
}

/* Keys with repetitions, in every number. */
void keys_are_ranked() {
  Random random{7};
  constexpr int64_t most = 64;
  constexpr uint64_t ranges[] = {3, 50, uint64_t{1} << 31};
  for (int64_t n = 0; n <= most; n++) {
    for (uint64_t range : ranges) {
      uint32_t keys[most];
      uint32_t ranks[most];
      for (int64_t i = 0; i < n; i++) keys[i] = static_cast<uint32_t>(random.next() % range);
      int64_t found = process()->table.rank(keys, n, ranks);
      int64_t different = 1;
      for (int64_t i = 0; i < n; i++) {
        uint32_t smaller = 0;
        for (int64_t j = 0; j < n; j++) {
          smaller += keys[j] < keys[i] ? 1 : 0;
          if (j != i && keys[j] == keys[i]) different = 0;
        }
        EXPECT(ranks[i] == smaller);
      }
      EXPECT(found == different);
    }
  }
}

/* Entries of three columns of different widths: all are there, in order, equal keys as before. */
void check_entries(int64_t n, int64_t keys, int bits, Random &random) {
  size_t count = static_cast<size_t>(n) + 1;
  uint8_t *a = static_cast<uint8_t *>(malloc(count));
  uint32_t *b = static_cast<uint32_t *>(malloc(count * sizeof(uint32_t)));
  uint64_t *c = static_cast<uint64_t *>(malloc(count * sizeof(uint64_t)));
  float *values = static_cast<float *>(malloc(count * sizeof(float)));
  struct Row {
    uint64_t column[3];
    int times;
  };
  Row *rows = static_cast<Row *>(malloc(count * sizeof(Row)));
  for (int64_t i = 0; i < n; i++) {
    a[i] = static_cast<uint8_t>(random.next() % 5);
    b[i] = static_cast<uint32_t>(random.next() % 100000);
    c[i] = random.next() >> (64 - bits);
    values[i] = static_cast<float>(i);
    rows[i] = {{a[i], b[i], c[i]}, 0};
  }
  int64_t args[15] = {-1, n, 3, keys, reinterpret_cast<int64_t>(values), 4,
                      reinterpret_cast<int64_t>(a), 1, 3, reinterpret_cast<int64_t>(b), 4, 17,
                      reinterpret_cast<int64_t>(c), 8, bits};
  process()->sort_entries(args);
  EXPECT(args[0] == WEFT_OK);
  for (int64_t i = 0; i < n; i++) {
    Row &row = rows[static_cast<int64_t>(values[i])];
    EXPECT(a[i] == row.column[0] && b[i] == row.column[1] && c[i] == row.column[2]);
    EXPECT(row.times++ == 0);
    const Row &before = rows[static_cast<int64_t>(values[i > 0 ? i - 1 : i])];
    int order = 0;
    for (int64_t k = 0; k < keys && order == 0; k++) {
      order = (before.column[k] > row.column[k]) - (before.column[k] < row.column[k]);
    }
    EXPECT(order < 0 || (order == 0 && (i == 0 || values[i - 1] < values[i])));
  }
  free(a);
  free(b);
  free(c);
  free(values);
  free(rows);
}

void entries_sort() {
  Random random{20261121};
  const int64_t lengths[] = {0, 1, 2, 17, 600, 3000, 50000};
  for (int64_t n : lengths) {
    for (int64_t keys = 0; keys <= 3; keys++) {
      check_entries(n, keys, 20, random);
      check_entries(n, keys, 44, random);
      check_entries(n, keys, 63, random);
    }
  }
}

void allocate_in_task(void *ctx, int64_t task) {
  const weft_runtime *runtime = static_cast<const weft_runtime *>(ctx);
  char *block = static_cast<char *>(runtime->alloc(task * 977));
  block = static_cast<char *>(runtime->grow(block, task * 977, task * 2000 + 1));
  block[task * 2000] = 1;
  runtime->release(block, task * 2000 + 1);
}

void tasks_may_allocate() {
  int64_t blocks = statistic(0);
  weft_runtime runtime = runtime_with(4);
  runtime.parallel_for(&runtime, 300, allocate_in_task, &runtime);
  EXPECT(statistic(0) == blocks);
}

}  // namespace

int64_t failures = 0;

/* Has a kernel's form; out[0] = number of failed expectations, each printed. */
extern "C" __attribute__((visibility("default"))) void weft_runtime_test(int64_t *out) {
  int64_t threads = 8; /* also on a machine with fewer processors */
  process()->set_threads(&threads);
  allocation_is_aligned_and_counted();
  impossible_allocations_are_null();
  growth_keeps_contents();
  growing_blocks_do_not_overlap();
  released_blocks_are_kept();
  sorts();
  marked_positions_sort();
  scattered_positions_sort();
  keys_are_ranked();
  entries_sort();
  test_tasks();
  test_gathers();
  test_blocks();
  test_decoding();
  test_packing();
  tasks_may_allocate();
  out[0] = failures;
}

#ifdef WEFT_TEST_MAIN
int main() {
  int64_t failed;
  weft_runtime_test(&failed);
  printf("%lld failed expectations\n", static_cast<long long>(failed));
  return failed == 0 ? 0 : 1;
}
#endif
