#include "tasks.h"

#include <pthread.h>
#include <signal.h>

namespace weft {
namespace {

constexpr int64_t most_workers = 255;
/* Looks at the pool before sleeping: about 10 us, the time a sleeping worker takes to wake. */
constexpr int spins = 256;

/* One parallel_for: lives on the stack of its caller, linked in the pool while it takes helpers. */
struct Call {
  void (*fn)(void *, int64_t);
  void *ctx;
  int64_t tasks;
  int64_t block;        /* tasks taken at a time */
  int64_t wanted;       /* helpers that may still join; under the pool's lock */
  int64_t next = 0;     /* first task not taken; atomic */
  int64_t helping = 0;  /* helpers that have joined and not left; atomic, changed under the lock */
  Call *link = nullptr; /* next open call; under the pool's lock */
};

struct Pool {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t work = PTHREAD_COND_INITIALIZER; /* a call was opened */
  pthread_cond_t left = PTHREAD_COND_INITIALIZER; /* a helper left a call */
  Call *open = nullptr;                           /* calls that may want helpers */
  int64_t demand = 0;   /* helpers that the calls in progress want at most */
  int64_t workers = 0;  /* atomic, changed under the lock */
  int64_t sleeping = 0; /* workers waiting for `work` */
  int64_t opened = 0;   /* calls opened so far; atomic, changed under the lock */
};

/* Constant-initialised and never destroyed: workers outlive every static destructor. */
Pool pool;

thread_local bool inside_task = false;

int64_t load(const int64_t *value) { return __atomic_load_n(value, __ATOMIC_ACQUIRE); }

void run_tasks(Call *call) {
  for (;;) {
    int64_t from = __atomic_fetch_add(&call->next, call->block, __ATOMIC_RELAXED);
    if (from >= call->tasks) return;
    int64_t to = call->tasks - from > call->block ? from + call->block : call->tasks;
    for (int64_t task = from; task < to; task++) call->fn(call->ctx, task);
  }
}

/* Joins an open call with tasks left; null if there is none. The pool's lock is held. */
Call *join() {
  for (Call *call = pool.open; call != nullptr; call = call->link) {
    if (call->wanted > 0 && load(&call->next) < call->tasks) {
      call->wanted--;
      __atomic_fetch_add(&call->helping, 1, __ATOMIC_RELEASE);
      return call;
    }
  }
  return nullptr;
}

/* The call may vanish as soon as the lock is given up. The pool's lock is held. */
void leave(Call *call) {
  if (__atomic_sub_fetch(&call->helping, 1, __ATOMIC_RELEASE) == 0) {
    pthread_cond_broadcast(&pool.left);
  }
}

void spin_until_opened(int64_t seen) {
  for (int i = 0; i < spins && load(&pool.opened) == seen; i++) __builtin_ia32_pause();
}

void *work(void *) {
  inside_task = true;
  pthread_mutex_lock(&pool.lock);
  for (;;) {
    if (Call *call = join()) {
      pthread_mutex_unlock(&pool.lock);
      run_tasks(call);
      pthread_mutex_lock(&pool.lock);
      leave(call);
      continue;
    }
    int64_t seen = pool.opened;
    pthread_mutex_unlock(&pool.lock);
    spin_until_opened(seen);
    pthread_mutex_lock(&pool.lock);
    if (pool.opened == seen) {
      pool.sleeping++;
      pthread_cond_wait(&pool.work, &pool.lock);
      pool.sleeping--;
    }
  }
  return nullptr;
}

/* Everything but what a fault raises: a worker leaves the process's signals to others, while its
 * own crash still reaches the handler that reports it. */
sigset_t signals_of_others() {
  sigset_t set;
  sigfillset(&set);
  const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
  for (int fault : faults) sigdelset(&set, fault);
  return set;
}

/* False if the system refuses. */
bool start_worker() {
  sigset_t blocked = signals_of_others();
  sigset_t before;
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&detached, size_t{8} << 20);
  pthread_t thread;
  bool started = pthread_create(&thread, &detached, work, nullptr) == 0;
  if (started) pthread_setname_np(thread, "weft-worker");
  pthread_attr_destroy(&detached);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

void open_call(Call *call, int64_t helpers) {
  pthread_mutex_lock(&pool.lock);
  pool.demand += helpers;
  while (pool.workers < pool.demand && pool.workers < most_workers && start_worker()) {
    __atomic_fetch_add(&pool.workers, 1, __ATOMIC_RELAXED);
  }
  call->link = pool.open;
  pool.open = call;
  __atomic_fetch_add(&pool.opened, 1, __ATOMIC_RELEASE);
  int64_t wake = pool.sleeping < helpers ? pool.sleeping : helpers;
  pthread_mutex_unlock(&pool.lock);
  for (int64_t i = 0; i < wake; i++) pthread_cond_signal(&pool.work);
}

/* Returns when no helper can touch the call any more. */
void close_call(Call *call, int64_t helpers) {
  for (int i = 0; i < spins && load(&call->helping) > 0; i++) __builtin_ia32_pause();
  pthread_mutex_lock(&pool.lock);
  Call **at = &pool.open;
  while (*at != call) at = &(*at)->link;
  *at = call->link;
  pool.demand -= helpers;
  while (call->helping > 0) pthread_cond_wait(&pool.left, &pool.lock);
  pthread_mutex_unlock(&pool.lock);
}

}  // namespace

void parallel_for(const weft_runtime *runtime, int64_t tasks, void (*fn)(void *ctx, int64_t task),
                  void *ctx) {
  int64_t threads = runtime->threads < tasks ? runtime->threads : tasks;
  if (threads <= 1 || inside_task) {
    for (int64_t task = 0; task < tasks; task++) fn(ctx, task);
    return;
  }
  int64_t helpers = threads - 1 < most_workers ? threads - 1 : most_workers;
  int64_t block = tasks / (threads * 16);
  Call call{fn, ctx, tasks, block > 0 ? block : 1, helpers};
  open_call(&call, helpers);
  inside_task = true;
  run_tasks(&call);
  inside_task = false;
  close_call(&call, helpers);
}

int64_t started_workers() { return load(&pool.workers); }

}  // namespace weft
