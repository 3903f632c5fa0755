/* Tests of groups, tasks and loops: tasks are written as the state machines that LLVM makes of
 * coroutines. */
#include "tasks_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "deque.h"
#include "expect.h"
#include "placement.h"

namespace {

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

struct Places {
  pthread_t caller;
  int cpu;        /* of the caller, which stays there */
  int64_t beside; /* tasks that other threads ran, */
  int64_t there;  /* and those of them on the caller's CPU */
};

void note_place(void *ctx, int64_t) {
  Places *places = static_cast<Places *>(ctx);
  timespec from, now;
  clock_gettime(CLOCK_MONOTONIC, &from);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < 100000);
  if (pthread_equal(pthread_self(), places->caller)) return;
  __atomic_fetch_add(&places->beside, 1, __ATOMIC_RELAXED);
  if (weft::this_cpu() == places->cpu) __atomic_fetch_add(&places->there, 1, __ATOMIC_RELAXED);
}

/* Wherever the caller is, and whether workers sleep or look for work when it comes there. */
void *call_from_every_cpu(void *) {
  weft_runtime runtime = runtime_with(2);
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    puts("skipped: workers_run_where_their_caller_does_not: affinity is not known");
    return nullptr;
  }
  int64_t beside = 0;
  for (int round = 0; round < 6; round++) {
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
      if (!CPU_ISSET(cpu, &allowed)) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      EXPECT(sched_setaffinity(0, sizeof one, &one) == 0);
      if (round % 2 == 0) usleep(2000);
      Places places{pthread_self(), cpu, 0, 0};
      runtime.parallel_for(&runtime, 32, note_place, &places);
      EXPECT(places.there == 0);
      beside += places.beside;
    }
  }
  EXPECT(beside > 0);
  return nullptr;
}

void workers_run_where_their_caller_does_not() {
  if (weft::cpus_of_process() < 2) {
    puts("skipped: workers_run_where_their_caller_does_not: one CPU");
    return;
  }
  int64_t limit = weft::cpus_of_process();
  process()->set_threads(&limit);
  pthread_t thread;
  EXPECT(pthread_create(&thread, nullptr, call_from_every_cpu, nullptr) == 0);
  pthread_join(thread, nullptr);
  limit = 8;
  process()->set_threads(&limit);
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
  EXPECT(statistic(2) <= 7);
}


/* Counts the nodes of a tree: every node is a task that spawns its children into a group of its
 * own, awaits them, and adds up what they found. */
struct Call {
  weft_runtime runtime;
  weft_group group;
  int64_t cancelled; /* atomic: as the STATUS of a kernel */
  int64_t cancel_at; /* leaves before a task fails; atomic */
};

struct Node {
  void (*resume)(void *);
  Call *call;
  weft_group *group; /* that this task belongs to */
  int64_t *result;
  int64_t depth;
  uint64_t seed;
  weft_group children;
  int64_t results[4];
};

void count_tree(void *task);

/* False if there is no memory. */
bool spawn_node(Call *call, weft_group *group, int64_t *result, int64_t depth, uint64_t seed) {
  Node *node = static_cast<Node *>(call->runtime.frame(sizeof(Node)));
  if (node == nullptr) return false;
  node->resume = count_tree;
  node->call = call;
  node->group = group;
  node->result = result;
  node->depth = depth;
  node->seed = seed;
  call->runtime.spawn(group, node);
  return true;
}

void add_up(void *task) {
  Node *node = static_cast<Node *>(task);
  int64_t sum = 1;
  for (int64_t result : node->results) sum += result;
  *node->result = sum;
  node->call->runtime.finish(node->group, node, sizeof(Node));
}

void count_tree(void *task) {
  Node *node = static_cast<Node *>(task);
  Call *call = node->call;
  bool cancelled = __atomic_load_n(&call->cancelled, __ATOMIC_RELAXED);
  if (node->depth == 0 || cancelled) {
    if (__atomic_sub_fetch(&call->cancel_at, 1, __ATOMIC_RELAXED) == 0) {
      __atomic_store_n(&call->cancelled, 1, __ATOMIC_RELAXED);
    }
    *node->result = 1;
    call->runtime.finish(node->group, node, sizeof(Node));
    return;
  }
  call->runtime.nest(&node->children);
  Random random{node->seed};
  for (int64_t &result : node->results) {
    result = 0;
    /* Uneven trees: some children are leaves. */
    int64_t depth = random.next() % 4 == 0 ? 0 : node->depth - 1;
    EXPECT(spawn_node(call, &node->children, &result, depth, random.next()));
  }
  node->resume = add_up;
  if (call->runtime.await(&node->children, node)) add_up(node);
}

int64_t expected_nodes(int64_t depth, uint64_t seed) {
  if (depth == 0) return 1;
  Random random{seed};
  int64_t sum = 1;
  for (int child = 0; child < 4; child++) {
    int64_t below = random.next() % 4 == 0 ? 0 : depth - 1;
    sum += expected_nodes(below, random.next());
  }
  return sum;
}

/* The result, or -1 if there is only one thread. */
int64_t count_nodes(int64_t threads, int64_t depth, uint64_t seed, int64_t cancel_at) {
  Call call{runtime_with(threads), {}, 0, cancel_at};
  int64_t result = 0;
  if (!call.runtime.enter(&call.runtime, &call.group)) return -1;
  EXPECT(spawn_node(&call, &call.group, &result, depth, seed));
  call.runtime.close(&call.group);
  return result;
}

void nested_groups_are_awaited() {
  EXPECT(count_nodes(1, 3, 1, 0) == -1);
  for (uint64_t seed = 0; seed < 60; seed++) {
    int64_t depth = static_cast<int64_t>(seed % 7);
    EXPECT(count_nodes(2 + static_cast<int64_t>(seed % 6), depth, seed, 0) ==
           expected_nodes(depth, seed));
  }
}

void steady_state_takes_no_memory() {
  for (int round = 0; round < 20; round++) count_nodes(2, 6, 5, 0);
  int64_t frames = statistic(3);
  int64_t tasks = 0;
  for (int round = 0; round < 50; round++) tasks += count_nodes(2, 6, 5, 0);
  /* Not none: how many tasks are alive at once depends on timing. */
  EXPECT(statistic(3) - frames < tasks / 20);
}

struct Stress {
  uint64_t seed;
  int64_t rounds;
};

/* Starts loops and trees, with and without a failure on the way, as a Spark task thread would. */
void *stress(void *arg) {
  Stress *work = static_cast<Stress *>(arg);
  Random random{work->seed};
  for (int64_t round = 0; round < work->rounds; round++) {
    int64_t threads = 1 + static_cast<int64_t>(random.next() % 8);
    uint64_t seed = random.next();
    int64_t depth = static_cast<int64_t>(random.next() % 6);
    int64_t whole = expected_nodes(depth, seed);
    switch (random.next() % 3) {
      case 0:
        check_parallel_for(static_cast<int64_t>(random.next() % 300), threads);
        break;
      case 1: {
        int64_t result = count_nodes(threads, depth, seed, 0);
        EXPECT(result == whole || (threads == 1 && result == -1));
        break;
      }
      default: {
        int64_t result = count_nodes(threads, depth, seed, 1 + static_cast<int64_t>(seed % 20));
        EXPECT(result <= whole && (result > 0 || (threads == 1 && result == -1)));
        break;
      }
    }
    if (random.next() % 16 == 0) {
      timespec pause{0, 200000};
      nanosleep(&pause, nullptr); /* workers fall asleep */
    }
  }
  return nullptr;
}

void calls_start_cancel_and_nest_from_several_threads() {
  pthread_t callers[5];
  Stress work[5];
  for (int i = 0; i < 5; i++) {
    work[i] = Stress{static_cast<uint64_t>(i) * 77 + 1, 150};
    pthread_create(&callers[i], nullptr, stress, &work[i]);
  }
  for (pthread_t caller : callers) pthread_join(caller, nullptr);
}

void threads_of_the_process_are_limited() {
  int64_t limit = 2;
  process()->set_threads(&limit);
  weft_runtime runtime = runtime_with(8);
  Concurrency seen{0, 0};
  runtime.parallel_for(&runtime, 400, note_concurrency, &seen);
  EXPECT(seen.most >= 1 && seen.most <= 2);
  limit = 1;
  process()->set_threads(&limit);
  weft_group group;
  EXPECT(runtime.enter(&runtime, &group) == 0);
  limit = 8;
  process()->set_threads(&limit);
}

void small_work_is_one_task() {
  weft_runtime runtime = runtime_with(2);
  EXPECT(runtime.tasks(&runtime, 0) == 1);
  EXPECT(runtime.tasks(&runtime, 1000) == 1);
  EXPECT(runtime.tasks(&runtime, int64_t{1} << 40) > 2);
  weft_runtime alone = runtime_with(1);
  EXPECT(alone.tasks(&alone, int64_t{1} << 40) == 1);
  runtime.reproducible = alone.reproducible = 1;
  for (int64_t work = 1; work < int64_t{1} << 40; work *= 3) {
    EXPECT(runtime.tasks(&runtime, work) == alone.tasks(&alone, work));
  }
}

/* Calls of little work, in rows and after pauses in which workers fall asleep. */
void short_calls_run_every_task_once() {
  weft_runtime runtime = runtime_with(3);
  for (int round = 0; round < 400; round++) {
    EXPECT(runtime.tasks(&runtime, 2 * runtime.task_work) > 1);
    check_parallel_for(8 + round % 60, 3);
    if (round % 40 == 0) {
      timespec pause{0, 1000000};
      nanosleep(&pause, nullptr);
    }
  }
}

struct Thieves {
  weft::Deque deque;
  int64_t pushed;  /* atomic: all tasks are pushed */
  int64_t *seen;   /* atomic: how often each was taken */
};

void *steal_all(void *arg) {
  Thieves *thieves = static_cast<Thieves *>(arg);
  for (;;) {
    bool last = __atomic_load_n(&thieves->pushed, __ATOMIC_ACQUIRE);
    if (void *task = thieves->deque.steal()) {
      add(task, 0);
    } else if (last && thieves->deque.is_empty()) {
      return nullptr;
    }
  }
}

void every_task_leaves_a_deque_once() {
  constexpr int64_t tasks = 20000;
  Thieves *thieves = static_cast<Thieves *>(aligned_alloc(64, sizeof(Thieves)));
  *thieves = Thieves{};
  thieves->seen = static_cast<int64_t *>(calloc(tasks, sizeof(int64_t)));
  pthread_t threads[3];
  for (pthread_t &thread : threads) pthread_create(&thread, nullptr, steal_all, thieves);
  Random random{3};
  for (int64_t task = 0; task < tasks; task++) {
    while (!thieves->deque.push(&thieves->seen[task])) {
      if (void *own = thieves->deque.pop()) add(own, 0);
    }
    if (random.next() % 3 == 0) {
      if (void *own = thieves->deque.pop()) add(own, 0);
    }
  }
  while (void *own = thieves->deque.pop()) add(own, 0);
  __atomic_store_n(&thieves->pushed, 1, __ATOMIC_RELEASE);
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  for (int64_t task = 0; task < tasks; task++) EXPECT(thieves->seen[task] == 1);
  free(thieves->seen);
  free(thieves);
}

}  // namespace

void test_tasks() {
  every_task_leaves_a_deque_once();
  parallel_for_runs_every_task_once();
  a_call_uses_no_more_than_its_threads();
  workers_run_where_their_caller_does_not();
  concurrent_calls_do_not_disturb_each_other();
  nested_groups_are_awaited();
  steady_state_takes_no_memory();
  threads_of_the_process_are_limited();
  small_work_is_one_task();
  short_calls_run_every_task_once();
  calls_start_cancel_and_nest_from_several_threads();
}
