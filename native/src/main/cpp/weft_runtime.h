/*
 * The call interface between Weft and a compiled kernel: the whole of it.
 *
 * A kernel is `void kernel(int64_t *args)`. The argument block `args` belongs to the caller, is
 * valid for the call only, and holds one 64-bit slot per fact; the kernel's signature (the Java
 * record org.weft.runtime.KernelSignature) says what each slot is:
 *
 *   slot 0  RUNTIME        const weft_runtime *, valid for the call
 *   slot 1  STATUS         0 on entry; on return a weft_status number
 *   slot 2  STATUS_DETAIL  0 on entry; with WEFT_WIDTH_OVERFLOW and WEFT_MISFIT: tensor << 32 | level
 *   MODE_SIZE(t, m)        size of mode m of tensor t, in coordinates
 *   POSITIONS(t, l)        number of positions of level l of tensor t
 *   POS, CRD(t, l)         address of the pos or crd array of level l of tensor t
 *   VALS(t)                address of the values of tensor t
 *   SCALAR(t)              the value of tensor t of order 0, its bits in the low bytes
 *
 * Ownership. Inputs are borrowed: the kernel reads them during the call and keeps nothing. Dense
 * outputs are the caller's too, zeroed or to be added to. The arrays of a sparse output are made by
 * the kernel: their slots are 0 on entry; the kernel allocates with `alloc` and `grow`, and on
 * return the POS, CRD and VALS slots hold the blocks and POSITIONS the counts. Those blocks are
 * owned by the caller from then on, whatever the status. So at every return a slot holds 0 or a
 * live block: after a failed `grow` the old block is still live. The arrays of a level without
 * positions may be left null. A workspace that the kernel does not hand back it releases.
 *
 * A kernel does not throw, does not unwind, does not call Java and does not block. Two calls may
 * run at the same time on different argument blocks.
 */
#ifndef WEFT_RUNTIME_H
#define WEFT_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a kernel reports in its STATUS slot. Numbers are stable. */
typedef enum weft_status {
  WEFT_OK = 0,
  WEFT_OUT_OF_MEMORY = 1,
  WEFT_WIDTH_OVERFLOW = 2, /* a coordinate or position does not fit the width of its level */
  WEFT_BOUNDS = 3,         /* an input array contradicts its sizes */
  WEFT_MISFIT = 4          /* the format of a result cannot hold its entries */
} weft_status;

/*
 * Tasks that are awaited together. The memory is its owner's, who need not initialise it, and must
 * live until `close` has returned or the awaiting task goes on. Nobody else looks inside.
 */
typedef struct weft_group {
  int64_t pending; /* unfinished tasks, and 1 until the group is closed or awaited */
  void *waiting;   /* task that goes on when all have finished */
  int64_t root;    /* whether a thread, not a task, waits */
} weft_group;

/*
 * One array of a result that is put together from pieces, or of a piece of it. A piece has the
 * parts of its whole, in the same order.
 */
typedef struct weft_part {
  void *block;   /* from `alloc` or `grow` */
  int64_t bytes; /* its length */
  int64_t width; /* bytes of an element: 1, 2, 4 or 8 */
  int64_t lead;  /* elements at the start that are there once: the 0 of a pos array */
  int64_t shift; /* number of the part whose count in the pieces before is added to every element,
                    as positions in a pos array need it; -1 for none */
  int64_t count; /* elements behind the lead */
  int64_t joint; /* number of the group of arrays, outermost first, whose last position in a piece may
                    go on as the first one of the next; -1 if it never does. Elements are coordinates
                    if `shift` is -1, else ends of segments */
} weft_part;

/*
 * What a kernel may ask of its process. A kernel reaches these functions only through slot 0.
 * Every function may be called from any task of the call, at the same time.
 *
 * Tasks. A task is a block from `frame` that starts with the address of its resume function,
 * void resume(void *task): the layout of an LLVM coroutine frame. A kernel calls `enter` with a
 * group, `spawn`s tasks into it and calls `close`, which runs tasks on the calling thread until all
 * have finished; up to threads - 1 workers of the process help. A running task may spawn more into
 * its group. The last act of every task is `finish`; it touches nothing after that. A task that
 * opens a group of its own with `nest` spawns into it, and must `await` it: it then returns from
 * its resume function, and is resumed when the last task of the group has finished, perhaps on
 * another thread. So no thread ever waits while there is work.
 *
 * Gathers. A loop whose results are appended is a row of items. Threads `take` pieces of it, make
 * the arrays of a piece, and `place` them behind those of the pieces before: in the order of the
 * items, whoever made them and when, so that the whole is the same for any number of threads. A
 * piece is small enough to be copied from the cache of its thread; one that comes early is kept.
 * A piece goes on with the last position of a group with a `joint` if it begins with its coordinates,
 * and all groups outside do so too: the position is there once, and ends where the piece says.
 */
typedef struct weft_runtime {
  /* A block of at least `bytes` >= 0 bytes, 64-byte aligned, contents unspecified; null when there
   * is no memory. Blocks of 4 MiB and more ask the system for huge pages. */
  void *(*alloc)(int64_t bytes);
  /* The block made `new_bytes` long, perhaps at another address; the first min(old, new) bytes are
   * kept. Null when there is no memory: then the old block is untouched and still live.
   * grow(NULL, 0, n) is alloc(n). Large blocks move by page table, not by copy. */
  void *(*grow)(void *block, int64_t old_bytes, int64_t new_bytes);
  /* Gives a block back. Large ones are kept for later blocks, while the system does not need their
   * pages: up to a sixteenth of the machine's memory. So are smaller ones from 32 KiB on, 32 MiB of
   * them. `bytes` may be 0 when the caller does not know it; null is ignored. */
  void (*release)(void *block, int64_t bytes);
  /* Runs fn(ctx, task) once for every task in [0, tasks), on the calling thread and at most
   * threads - 1 workers, and returns when all have returned; what they wrote is then visible to the
   * caller. Which thread runs a task is unspecified, so results must depend on the task number
   * alone. Called from inside a task, the tasks run one after another on that thread. */
  void (*parallel_for)(const struct weft_runtime *runtime, int64_t tasks,
                       void (*fn)(void *ctx, int64_t task), void *ctx);
  int64_t threads; /* threads that this call may use, the calling one included; at least 1 */
  /* Sorts ascending, in place. Cost O(n) passes over the bytes in which the values differ. */
  void (*sort_i64)(int64_t *values, int64_t n);
  /* Into how many tasks to divide `work`, in multiply-adds of about a nanosecond: 1 where tasks
   * would cost more than they save. Depends on `work` and the numbers of this table alone. */
  int64_t (*tasks)(const struct weft_runtime *runtime, int64_t work);
  /* Opens a group for tasks of a call. 0: there can be none (inside a task, one thread, or no
   * memory); the group is not open, and the kernel does the work itself. */
  int64_t (*enter)(const struct weft_runtime *runtime, weft_group *group);
  /* Runs tasks until those of the group have finished; what they wrote is then visible. */
  void (*close)(weft_group *group);
  /* Opens a group inside a task. */
  void (*nest)(weft_group *group);
  /* 1: all have finished, the task goes on at once. 0: it returns, and is resumed later; by then
   * its frame must be ready for that, so it is suspended before this call. */
  int64_t (*await)(weft_group *group, void *task);
  /* Memory of a task from a pool; null when there is none. */
  void *(*frame)(int64_t bytes);
  /* Makes a task runnable by any thread of the call. */
  void (*spawn)(weft_group *group, void *task);
  /* Ends a task: frees its frame of `bytes` bytes, and resumes who awaits the group if it was the
   * last. */
  void (*finish)(weft_group *group, void *task, int64_t bytes);
  /* 1 if another thread of the call could take a task now, and finds none: time to split. */
  int64_t (*hungry)(void);
  int64_t reproducible; /* 1: `tasks` does not depend on `threads` */
  /* Sorts keys ascending, in place and stably, and moves values along. Linear, like sort_i64.
   * Returns 0, with nothing moved, when there is no memory for a scratch copy; else 1. */
  int64_t (*sort_pairs_i64)(int64_t *keys, int64_t *values, int64_t n);
  int64_t task_work;    /* work that is worth a thread, if there is as much for another */
  /* Opens a gather of `items` items by `threads` threads. Its wholes have the count 0; their blocks
   * are the gather's until it is closed. Null when there is no memory. */
  void *(*gather)(const struct weft_runtime *runtime, const weft_part *wholes, int64_t parts,
                  int64_t items, int64_t threads);
  /* The next piece: range[0] is its number, [range[1], range[2]) are its items. 0: all are taken.
   * One thread gets all items as one piece, which becomes the whole without a copy. */
  int64_t (*take)(void *gather, int64_t *range);
  /* Puts a piece in its place. Its blocks stay the caller's, or are exchanged for others, null
   * among them, whose contents are unspecified. 0 when there is no memory. */
  int64_t (*place)(void *gather, const int64_t *range, weft_part *parts);
  /* Ends a gather, whether or not all pieces came: its wholes are the caller's again. */
  void (*gathered)(void *gather, weft_part *wholes);
  /* Sorts the positions of all nonzero bytes among marks[0 .. length), of which there are n. */
  void (*sort_marked)(int64_t *positions, int64_t n, const uint8_t *marks, int64_t length);
  /* ranks[i]: how many of keys[0 .. n) are less than keys[i], for keys below 2^31 and n up to 64.
   * Both arrays have room for 64, and what is behind n in them is unspecified afterwards. Returns 1
   * if no two keys are equal, else 0. */
  int64_t (*rank)(uint32_t *keys, int64_t n, uint32_t *ranks);
} weft_runtime;

/* What the process's runtime offers to the Java side. */
typedef struct weft_process {
  weft_runtime table; /* threads = 1; copied, and given its own `threads`, for each call */
  /* The rest has a kernel's form, so that Java needs one way to call. */
  void (*release_block)(int64_t *block); /* releases a block that came from alloc or grow */
  void (*statistics)(int64_t *out); /* live blocks; their bytes as asked for; workers started;
                                       task frames taken from the system */
  /* in[0]: most threads that kernels of the process use together, workers and callers. At first,
   * the number of processors. A calling thread always runs, so callers alone may exceed it. */
  void (*set_threads)(int64_t *in);
  void (*sort_entries)(int64_t *args); /* sorts the entries of a tensor; see entries.h */
  void (*parse_lines)(int64_t *args);  /* text to columns; see text.h */
  void (*check_block)(int64_t *args);  /* check sum and bounds of a block; see blocks.h */
  void (*pack)(int64_t *args);         /* a step of packing entries into forms; see packing.h */
  void (*spill)(int64_t *args);        /* memory that a file backs; see spill.h */
  void (*decode_block)(int64_t *args); /* elements of an encoded block; see decode.h */
} weft_process;

const weft_process *weft_process_table(void);

#ifdef __cplusplus
}
#endif

#endif
