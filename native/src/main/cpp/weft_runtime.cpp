/* The runtime table: who provides what is in one place. */
#include "weft_runtime.h"

#include "memory.h"
#include "sort.h"
#include "tasks.h"

#define WEFT_EXPORT extern "C" __attribute__((visibility("default")))

static const weft_runtime table = {weft::allocate,     weft::grow, weft::release,
                                   weft::parallel_for, 1,          weft::sort_i64};

WEFT_EXPORT const weft_runtime *weft_runtime_table(void) { return &table; }

WEFT_EXPORT void weft_release_block(int64_t *block) { weft::release(block, 0); }

WEFT_EXPORT void weft_statistics(int64_t *out) {
  out[0] = weft::live_blocks();
  out[1] = weft::live_bytes();
  out[2] = weft::started_workers();
}
