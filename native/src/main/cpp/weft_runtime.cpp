/* The runtime table: who provides what is in one place. */
#include "weft_runtime.h"

#include "blocks.h"
#include "decode.h"
#include "entries.h"
#include "gather.h"
#include "jobs.h"
#include "memory.h"
#include "packing.h"
#include "sort.h"
#include "spill.h"
#include "tasks.h"
#include "text.h"

namespace {

void release_block(int64_t *block) { weft::release(block, 0); }

void statistics(int64_t *out) {
  out[0] = weft::live_blocks();
  out[1] = weft::live_bytes();
  out[2] = weft::started_workers();
  out[3] = weft::system_frames();
}

void set_threads(int64_t *in) { weft::set_thread_limit(in[0]); }

constexpr weft_process process = {
    {
        .alloc = weft::allocate,
        .grow = weft::grow,
        .release = weft::release,
        .parallel_for = weft::parallel_for,
        .threads = 1,
        .sort_i64 = weft::sort_i64,
        .tasks = weft::tasks_for,
        .enter = weft::enter,
        .close = weft::close,
        .nest = weft::nest,
        .await = weft::await,
        .frame = weft::frame,
        .spawn = weft::spawn,
        .finish = weft::finish,
        .hungry = weft::hungry,
        .reproducible = 0,
        .sort_pairs_i64 = weft::sort_pairs_i64,
        .task_work = weft::least_task_work,
        .gather = weft::open_gather,
        .take = weft::take_items,
        .place = weft::place_piece,
        .gathered = weft::close_gather,
        .sort_marked = weft::sort_marked,
        .rank = weft::rank_keys,
    },
    release_block,
    statistics,
    set_threads,
    weft::sort_entries,
    weft::parse_lines,
    weft::check_block,
    weft::pack,
    weft::spill,
    weft::decode_block};

}  // namespace

extern "C" const weft_process *weft_process_table(void) { return &process; }
