/*
 * Tests of the runtime below Java. Built twice: as a library that a JUnit test calls, by the
 * bundled clang; and as a program under sanitizers (-DWEFT_TEST_MAIN), where a host compiler has
 * them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weft_runtime.h"

namespace {

int64_t failures = 0;

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);             \
    }                                                                 \
  } while (0)

constexpr int64_t mib = int64_t{1} << 20;

const weft_process *process() { return weft_process_table(); }

weft_runtime runtime_with(int64_t threads) {
  weft_runtime runtime = process()->table;
  runtime.threads = threads;
  return runtime;
}

int64_t statistic(int number) {
  int64_t out[3];
  process()->statistics(out);
  return out[number];
}

struct Random {
  uint64_t state;
  uint64_t next() {
    state += 0x9E3779B97F4A7C15u;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
};

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

struct Counted {
  const weft_runtime *runtime;
  int64_t *runs; /* one per task */
  int64_t nested;
};

/* Atomic: below a single task, which runs on its caller, the nested loop is the parallel one. */
void add(void *ctx, int64_t) {
  __atomic_fetch_add(static_cast<int64_t *>(ctx), 1, __ATOMIC_RELAXED);
}

void count_task(void *ctx, int64_t task) {
  Counted *counted = static_cast<Counted *>(ctx);
  counted->runs[task]++;
  if (task % 64 == 0) {
    int64_t nested = 0;
    counted->runtime->parallel_for(counted->runtime, 3, add, &nested);
    __atomic_fetch_add(&counted->nested, nested, __ATOMIC_RELAXED);
  }
}

/* Every task runs once, and plain writes of tasks are seen by the caller. */
void check_parallel_for(int64_t tasks, int64_t threads) {
  weft_runtime runtime = runtime_with(threads);
  int64_t *runs = static_cast<int64_t *>(calloc(static_cast<size_t>(tasks) + 1, sizeof(int64_t)));
  Counted counted{&runtime, runs, 0};
  runtime.parallel_for(&runtime, tasks, count_task, &counted);
  for (int64_t task = 0; task < tasks; task++) EXPECT(runs[task] == 1);
  EXPECT(runs[tasks] == 0);
  EXPECT(counted.nested == 3 * ((tasks + 63) / 64));
  free(runs);
}

void parallel_for_runs_every_task_once() {
  const int64_t counts[] = {0, 1, 2, 3, 4, 7, 16, 100, 5000};
  for (int64_t tasks : counts) {
    for (int64_t threads = 1; threads <= 5; threads++) check_parallel_for(tasks, threads);
  }
}

struct Concurrency {
  int64_t running;
  int64_t most;
};

void note_concurrency(void *ctx, int64_t) {
  Concurrency *seen = static_cast<Concurrency *>(ctx);
  int64_t now = __atomic_add_fetch(&seen->running, 1, __ATOMIC_SEQ_CST);
  int64_t most = __atomic_load_n(&seen->most, __ATOMIC_SEQ_CST);
  while (now > most && !__atomic_compare_exchange_n(&seen->most, &most, now, false,
                                                    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  for (int i = 0; i < 2000; i++) __asm__ volatile("pause");
  __atomic_fetch_sub(&seen->running, 1, __ATOMIC_SEQ_CST);
}

void a_call_uses_no_more_than_its_threads() {
  check_parallel_for(64, 8); /* workers for eight exist from here on */
  weft_runtime runtime = runtime_with(3);
  Concurrency seen{0, 0};
  runtime.parallel_for(&runtime, 400, note_concurrency, &seen);
  EXPECT(seen.most >= 1 && seen.most <= 3);
}

void *call_many_times(void *arg) {
  int64_t threads = *static_cast<int64_t *>(arg);
  for (int64_t round = 0; round < 200; round++) check_parallel_for(round % 37, threads);
  return nullptr;
}

void concurrent_calls_do_not_disturb_each_other() {
  pthread_t callers[6];
  int64_t threads[6] = {1, 2, 3, 4, 4, 2};
  for (int i = 0; i < 6; i++) pthread_create(&callers[i], nullptr, call_many_times, &threads[i]);
  for (pthread_t caller : callers) pthread_join(caller, nullptr);
  EXPECT(statistic(2) <= 255);
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

/* Has a kernel's form; out[0] = number of failed expectations, each printed. */
extern "C" __attribute__((visibility("default"))) void weft_runtime_test(int64_t *out) {
  allocation_is_aligned_and_counted();
  impossible_allocations_are_null();
  growth_keeps_contents();
  growing_blocks_do_not_overlap();
  sorts();
  parallel_for_runs_every_task_once();
  a_call_uses_no_more_than_its_threads();
  concurrent_calls_do_not_disturb_each_other();
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
