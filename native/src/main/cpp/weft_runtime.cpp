/* The runtime table: who provides what is in one place. */
#include "weft_runtime.h"

#include "memory.h"
#include "sort.h"
#include "tasks.h"

namespace {

void release_block(int64_t *block) { weft::release(block, 0); }

void statistics(int64_t *out) {
  out[0] = weft::live_blocks();
  out[1] = weft::live_bytes();
  out[2] = weft::started_workers();
}

constexpr weft_process process = {
    {weft::allocate, weft::grow, weft::release, weft::parallel_for, 1, weft::sort_i64,
     weft::sort_pairs_i64},
    release_block,
    statistics};

}  // namespace

extern "C" const weft_process *weft_process_table(void) { return &process; }
