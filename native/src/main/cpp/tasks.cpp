#include "tasks.h"

#include "jobs.h"

namespace weft {
namespace {

/* Evens out tasks of unequal work: at the end of a loop a thread waits for half a task. */
constexpr int64_t tasks_per_thread = 8;
/* The same where a task has so much work that its borders cost nothing. */
constexpr int64_t tasks_of_long_loop = 32;
constexpr int64_t work_of_long_task = 131072;
/* For which tasks are counted where the threads do not count. */
constexpr int64_t reproducible_threads = 8;
/* A loop that is worth two threads has this many tasks for each of the two: half a loop is rarely
 * half of the time. */
constexpr int64_t parts_of_task_work = 4;

/* Less is not worth waking a thread for at once: 30 to 70 us. */
constexpr int64_t work_of_short_jobs = 131072;

/* Whether what this thread begins next is little work, by what it asked `tasks_for`. */
thread_local bool next_is_short = false;

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A group is pending until its owner awaits it. */
void open(weft_group *group, bool root) {
  __atomic_store_n(&group->pending, 1, __ATOMIC_RELAXED);
  group->waiting = nullptr;
  group->root = root;
}

int64_t release(weft_group *group) {
  return __atomic_sub_fetch(&group->pending, 1, __ATOMIC_SEQ_CST);
}

/* A loop that runs on the caller's stack while its tasks do. */
struct Loop {
  weft_group group;
  void (*fn)(void *, int64_t);
  void *ctx;
};

/* A task that runs a range of a loop; laid out like the frame of a coroutine. */
struct Range {
  void (*resume)(void *);
  Loop *loop;
  int64_t first;
  int64_t last;
};

/* Gives half of the range away whenever a thread could take it. */
void run_range(void *task);

/* False if there is no memory. */
bool spawn_range(Loop *loop, int64_t first, int64_t last) {
  Range *range = static_cast<Range *>(frame(sizeof(Range)));
  if (range == nullptr) return false;
  *range = Range{run_range, loop, first, last};
  spawn(&loop->group, range);
  return true;
}

void run_range(void *task) {
  Range range = *static_cast<Range *>(task);
  while (range.first < range.last) {
    if (range.last - range.first > 1 && hungry()) {
      int64_t middle = range.first + (range.last - range.first) / 2;
      if (spawn_range(range.loop, middle, range.last)) range.last = middle;
    }
    range.loop->fn(range.loop->ctx, range.first++);
  }
  finish(&range.loop->group, task, sizeof(Range));
}

}  // namespace

int64_t tasks_for(const weft_runtime *runtime, int64_t work) {
  next_is_short = false;
  if (!runtime->reproducible && runtime->threads <= 1) return 1;
  if (work < 2 * runtime->task_work) return 1;
  next_is_short = work < work_of_short_jobs;
  int64_t threads = runtime->reproducible ? reproducible_threads : runtime->threads;
  int64_t tasks = least(work / runtime->task_work * parts_of_task_work, threads * tasks_per_thread);
  int64_t long_tasks = least(work / work_of_long_task, threads * tasks_of_long_loop);
  return tasks > long_tasks ? tasks : long_tasks;
}

int64_t enter(const weft_runtime *runtime, weft_group *group) {
  if (runtime->threads <= 1 || this_seat() != nullptr) return 0;
  bool is_short = next_is_short;
  next_is_short = false;
  if (open_job(runtime->threads, is_short) == nullptr) return 0;
  open(group, true);
  return 1;
}

void close(weft_group *group) {
  release(group);
  close_job(this_seat(), group);
}

void nest(weft_group *group) { open(group, false); }

int64_t await(weft_group *group, void *task) {
  group->waiting = task;
  return release(group) == 0;
}

void *frame(int64_t bytes) {
  Seat *seat = this_seat();
  return seat->frames.allocate(&seat->job->shared, bytes);
}

void spawn(weft_group *group, void *task) {
  __atomic_fetch_add(&group->pending, 1, __ATOMIC_RELAXED);
  offer(this_seat(), task);
}

void finish(weft_group *group, void *task, int64_t bytes) {
  Seat *seat = this_seat();
  seat->frames.release(&seat->job->shared, task, bytes);
  bool root = group->root;
  /* A thread that awaits the group may end its life from the moment that this reaches 0; a task
   * that awaits it goes on only when it is offered here. */
  if (release(group) > 0) return;
  if (root) {
    wake_caller(seat->job);
  } else {
    offer(seat, group->waiting);
  }
}

int64_t hungry() { return is_hungry(this_seat()); }

void parallel_for(const weft_runtime *runtime, int64_t tasks, void (*fn)(void *ctx, int64_t task),
                  void *ctx) {
  Loop loop;
  loop.fn = fn;
  loop.ctx = ctx;
  if (tasks > 1 && enter(runtime, &loop.group)) {
    if (spawn_range(&loop, 0, tasks)) tasks = 0;
    close(&loop.group);
  }
  for (int64_t task = 0; task < tasks; task++) fn(ctx, task);
}

}  // namespace weft
