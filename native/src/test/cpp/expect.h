/* What the tests of the runtime share. */
#ifndef WEFT_EXPECT_H
#define WEFT_EXPECT_H

#include <stdio.h>

#include "weft_runtime.h"

extern int64_t failures;

#define EXPECT(condition)                                             \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);             \
    }                                                                 \
  } while (0)

inline const weft_process *process() { return weft_process_table(); }

inline weft_runtime runtime_with(int64_t threads) {
  weft_runtime runtime = process()->table;
  runtime.threads = threads;
  return runtime;
}

inline int64_t statistic(int number) {
  int64_t out[4];
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

#endif
