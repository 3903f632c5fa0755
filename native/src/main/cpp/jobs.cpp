#include "jobs.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "placement.h"

namespace weft {
namespace {

constexpr int64_t most_threads = 256;
/* Looks for work before sleeping: about 0.2 ms, as long as ten wakings take. So the calls of a loop
 * find the workers of the call before awake. */
constexpr int spins = 5000;
/* Tries before waiting for the lock, which is held for less than a microsecond; to wake who waits
 * costs ten. */
constexpr int lock_tries = 200;
/* To wake a sleeping thread costs who does it 10 us. So calls of little work go on for about 30 us
 * first, alone or in a row with pauses of less than 0.1 ms. In ticks of the time stamp counter. */
constexpr uint64_t patience = 80000;
constexpr uint64_t pause_in_row = 250000;

/* A thread of the process that helps calls. On its own stack, for ever. */
struct Worker {
  pthread_cond_t wake = PTHREAD_COND_INITIALIZER; /* with the pool's lock: it is no sleeper now */
  pthread_mutex_t placing = PTHREAD_MUTEX_INITIALIZER;
  pid_t thread = this_thread();
  int avoids = no_cpu;    /* the CPU that it was last asked to keep off; under `placing` */
  int cpu = no_cpu;       /* where it was when it last began to look; atomic */
  bool looks = true;      /* it is awake and in no job; atomic, changed under the lock */
  bool asleep = false;    /* under the lock */
  Worker *link = nullptr; /* next sleeper; under the lock */
  Worker *next = nullptr; /* next of all workers; never changes */
};

struct Pool {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  Worker *all = nullptr;      /* atomic, changed under the lock */
  Worker *sleepers = nullptr; /* the last to fall asleep first; under the lock */
  Job *open = nullptr;                            /* calls in progress */
  Job *free = nullptr;
  int64_t limit = 0;    /* threads that may run together; 0 until known; atomic */
  int64_t cpus = 0;     /* 0 until known; atomic */
  int64_t active = 0;   /* threads in jobs, callers and workers; atomic, grows under the lock */
  int64_t workers = 0;  /* atomic, changed under the lock */
  int64_t sleeping = 0; /* sleepers; atomic, changed under the lock */
  int64_t looking = 0;  /* workers outside jobs that are awake; atomic */
  uint64_t row = 0;     /* when the row of calls began; under the lock */
  uint64_t last = 0;    /* when the last call ended; under the lock */
  /* Tasks offered so far; atomic. On a cache line of its own, as workers read it all the time. */
  alignas(64) int64_t offers = 0;
};

/* Constant-initialised and never destroyed: workers outlive every static destructor. */
Pool pool;

thread_local Seat *seat_of_thread = nullptr;

int64_t load(const int64_t *value) { return __atomic_load_n(value, __ATOMIC_SEQ_CST); }

void store(int64_t *value, int64_t now) { __atomic_store_n(value, now, __ATOMIC_SEQ_CST); }

void add(int64_t *value, int64_t change) { __atomic_fetch_add(value, change, __ATOMIC_SEQ_CST); }

void lock() {
  for (int i = 0; i < lock_tries; i++) {
    if (pthread_mutex_trylock(&pool.lock) == 0) return;
    __builtin_ia32_pause();
  }
  pthread_mutex_lock(&pool.lock);
}

void unlock() { pthread_mutex_unlock(&pool.lock); }

bool may_join() { return load(&pool.active) < load(&pool.limit); }

bool has_work(Job *job) {
  for (int64_t i = 0; i < job->size; i++) {
    if (!job->seats[i].deque.is_empty()) return true;
  }
  return false;
}

/* The newest task of the seat, else the oldest of another one. */
void *find_task(Seat *seat) {
  if (void *task = seat->deque.pop()) return task;
  Job *job = seat->job;
  for (int64_t i = 1; i < job->size; i++) {
    Seat *victim = &job->seats[(seat->number + i) % job->size];
    if (void *task = victim->deque.steal()) return task;
  }
  return nullptr;
}

/* Whether it is time to wake workers for the job. */
bool is_patient(const Job *job) {
  return job->patience > 0 && __builtin_ia32_rdtsc() - job->since < job->patience;
}

/* Keeps a worker off the CPU where its caller began, until a caller begins on another one: so this
 * costs nothing while callers stay where they are. Does nothing where there are more threads than
 * CPUs. */
void keep_apart(Worker *worker, int cpu) {
  if (cpu == no_cpu || load(&pool.limit) > load(&pool.cpus)) return;
  pthread_mutex_lock(&worker->placing);
  if (worker->avoids != cpu) {
    worker->avoids = cpu; /* even if the system refuses: it would again */
    keep_off(worker->thread, cpu);
  }
  pthread_mutex_unlock(&worker->placing);
}

/* Wakes the worker that fell asleep last, if any, for a caller on `cpu`. Locked. */
void wake_sleeper(int cpu) {
  Worker *worker = pool.sleepers;
  if (worker == nullptr) return;
  pool.sleepers = worker->link;
  add(&pool.sleeping, -1);
  worker->asleep = false;
  keep_apart(worker, cpu);
  pthread_cond_signal(&worker->wake);
}

void wake_worker(const Job *job) {
  lock();
  wake_sleeper(job->cpu);
  unlock();
}

/* Moves workers that look for work where a caller is. Not locked: a move takes its time. */
void make_room(int cpu) {
  Worker *worker = __atomic_load_n(&pool.all, __ATOMIC_ACQUIRE);
  for (; worker != nullptr; worker = worker->next) {
    bool here = __atomic_load_n(&worker->cpu, __ATOMIC_RELAXED) == cpu;
    if (here && __atomic_load_n(&worker->looks, __ATOMIC_RELAXED)) keep_apart(worker, cpu);
  }
}

void set_looks(Worker *worker, bool looks) {
  __atomic_store_n(&worker->looks, looks, __ATOMIC_RELAXED);
}

/* Waits to be woken as a sleeper, which it is counted as already. Locked. */
void sleep_as_worker(Worker *worker) {
  worker->link = pool.sleepers;
  pool.sleepers = worker;
  worker->asleep = true;
  set_looks(worker, false);
  while (worker->asleep) pthread_cond_wait(&worker->wake, &pool.lock);
  set_looks(worker, true);
}

/* Waits for an offer, or the end of the group. */
void sleep_as_caller(Job *job, const weft_group *group) {
  lock();
  store(&job->asleep, 1);
  if (load(&group->pending) > 0 && !has_work(job)) pthread_cond_wait(&job->wake, &pool.lock);
  store(&job->asleep, 0);
  unlock();
}

void count_idle(Job *job, int64_t change) {
  add(&job->idle, change);
  add(&job->working, -change);
}

/* Runs tasks: a caller until its group has none left, a worker (without a group) until the job
 * ends or has had none to give for a while. The thread is counted as working when this begins. */
void run_tasks(Seat *seat, const weft_group *group) {
  Job *job = seat->job;
  int idle = 0; /* looks for a task since the last one; the thread is not counted while > 0 */
  while (group == nullptr || load(&group->pending) > 0) {
    if (void *task = find_task(seat)) {
      if (idle > 0) count_idle(job, -1);
      idle = 0;
      resume(task);
      continue;
    }
    if (idle++ == 0) count_idle(job, 1);
    if (group == nullptr && (load(&job->closed) || idle > spins)) break;
    if (idle > spins) {
      sleep_as_caller(job, group);
    } else {
      __builtin_ia32_pause();
    }
  }
  if (idle > 0) {
    add(&job->idle, -1);
  } else {
    add(&job->working, -1);
  }
}

/* Takes a seat in a job that has work and a seat left; null if there is none. Locked. */
Seat *join(Worker *worker) {
  if (!may_join()) return nullptr;
  for (Job *job = pool.open; job != nullptr; job = job->link) {
    if (job->users >= job->size || !has_work(job)) continue;
    for (int64_t i = 1; i < job->size; i++) {
      Seat *seat = &job->seats[i];
      if (seat->taken) continue;
      seat->taken = true;
      job->users++;
      add(&pool.active, 1);
      add(&job->working, 1);
      set_looks(worker, false);
      return seat;
    }
  }
  return nullptr;
}

/* Locked, and no longer counted as active. The last thread to leave a job makes it free for another
 * call. */
void leave(Seat *seat) {
  Job *job = seat->job;
  seat->taken = false;
  if (--job->users > 0) return;
  job->link = pool.free;
  pool.free = job;
}

void help(Worker *worker, Seat *seat) {
  add(&pool.looking, -1);
  keep_apart(worker, seat->job->cpu);
  seat_of_thread = seat;
  run_tasks(seat, nullptr);
  seat_of_thread = nullptr;
  add(&pool.active, -1);
  add(&pool.looking, 1);
  lock();
  leave(seat);
  set_looks(worker, true);
  unlock();
}

/* A job to help, waited for; null after a false alarm. */
Seat *await_work(Worker *worker) {
  int64_t seen = load(&pool.offers);
  __atomic_store_n(&worker->cpu, this_cpu(), __ATOMIC_RELAXED);
  lock();
  Seat *seat = join(worker);
  unlock();
  if (seat != nullptr) return seat;
  for (int i = 0; i < spins; i++) {
    if (load(&pool.offers) != seen) return nullptr;
    __builtin_ia32_pause();
  }
  lock();
  add(&pool.looking, -1);
  add(&pool.sleeping, 1); /* before it looks: see Deque::push */
  seat = join(worker);
  if (seat == nullptr) {
    sleep_as_worker(worker);
  } else {
    add(&pool.sleeping, -1);
  }
  add(&pool.looking, 1);
  unlock();
  return seat;
}

void *work(void *) {
  Worker worker;
  lock();
  worker.next = pool.all;
  __atomic_store_n(&pool.all, &worker, __ATOMIC_RELEASE);
  unlock();
  add(&pool.looking, 1);
  for (;;) {
    if (Seat *seat = await_work(&worker)) help(&worker, seat);
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

int64_t processors() {
  int64_t cpus = cpus_of_process();
  return cpus < most_threads ? cpus : most_threads;
}

/* Locked. */
int64_t known_limit() {
  if (load(&pool.cpus) == 0) store(&pool.cpus, processors());
  if (load(&pool.limit) == 0) store(&pool.limit, load(&pool.cpus));
  return load(&pool.limit);
}

void *zeroed(int64_t count, size_t size) {
  void *memory = aligned_alloc(64, static_cast<size_t>(count) * size);
  if (memory != nullptr) memset(memory, 0, static_cast<size_t>(count) * size);
  return memory;
}

static_assert(sizeof(Seat) % 64 == 0, "seats do not share cache lines");

/* Null if there is no memory. */
Job *make_job(int64_t size) {
  Job *job = static_cast<Job *>(zeroed((sizeof(Job) + 63) / 64, 64));
  if (job == nullptr) return nullptr;
  job->seats = static_cast<Seat *>(zeroed(size, sizeof(Seat)));
  if (job->seats == nullptr) {
    free(job);
    return nullptr;
  }
  job->capacity = size;
  for (int64_t i = 0; i < size; i++) {
    job->seats[i].job = job;
    job->seats[i].number = i;
  }
  pthread_cond_init(&job->wake, nullptr);
  return job;
}

/* A free job with enough seats; null if there is none. Locked. */
Job *reuse_job(int64_t size) {
  for (Job **at = &pool.free; *at != nullptr; at = &(*at)->link) {
    Job *job = *at;
    if (job->capacity < size) continue;
    *at = job->link;
    return job;
  }
  return nullptr;
}

}  // namespace

Seat *this_seat() { return seat_of_thread; }

void resume(void *task) { (*static_cast<void (**)(void *)>(task))(task); }

Seat *open_job(int64_t threads, bool is_short) {
  lock();
  int64_t limit = known_limit();
  int64_t size = threads < limit ? threads : limit;
  Job *job = size <= 1 ? nullptr : reuse_job(size);
  if (job == nullptr && size > 1) job = make_job(size);
  if (job == nullptr) {
    unlock();
    return nullptr;
  }
  while (pool.workers < limit - 1 && start_worker()) add(&pool.workers, 1);
  job->size = size;
  job->cpu = this_cpu();
  job->users = 1;
  store(&job->working, 1);
  store(&job->idle, 0);
  store(&job->unheard, 0);
  uint64_t now = __builtin_ia32_rdtsc();
  if (now - pool.last > pause_in_row) pool.row = now;
  job->since = pool.row;
  job->patience = is_short ? patience : 0;
  store(&job->closed, 0);
  job->seats[0].taken = true;
  job->link = pool.open;
  pool.open = job;
  add(&pool.active, 1);
  unlock();
  if (load(&pool.looking) > 0) make_room(job->cpu);
  seat_of_thread = &job->seats[0];
  return seat_of_thread;
}

void close_job(Seat *seat, const weft_group *group) {
  Job *job = seat->job;
  run_tasks(seat, group);
  seat_of_thread = nullptr;
  store(&job->closed, 1);
  add(&pool.active, -1);
  lock();
  Job **at = &pool.open;
  while (*at != job) at = &(*at)->link;
  *at = job->link;
  pool.last = __builtin_ia32_rdtsc();
  leave(seat);
  /* This thread's leave lets a worker help another call. */
  if (pool.open != nullptr) wake_sleeper(pool.open->cpu);
  unlock();
}

void offer(Seat *seat, void *task) {
  Job *job = seat->job;
  if (!seat->deque.push(task)) {
    resume(task);
    return;
  }
  if (load(&job->working) >= job->size) return;
  add(&pool.offers, 1);
  if (load(&job->asleep)) {
    wake_caller(job);
  } else if (load(&pool.sleeping) > 0 && may_join()) {
    if (is_patient(job)) {
      store(&job->unheard, 1);
    } else {
      wake_worker(job);
    }
  }
}

void wake_caller(Job *job) {
  if (!load(&job->asleep)) return;
  lock();
  pthread_cond_signal(&job->wake);
  unlock();
}

bool is_hungry(Seat *seat) {
  Job *job = seat->job;
  if (!seat->deque.is_empty()) {
    if (__atomic_load_n(&job->unheard, __ATOMIC_RELAXED) && !is_patient(job)) {
      store(&job->unheard, 0);
      wake_worker(job);
    }
    return false;
  }
  if (load(&job->working) >= job->size) return false;
  if (load(&job->idle) > 0) return true;
  return may_join() && (load(&pool.looking) > 0 || !is_patient(job));
}

void set_thread_limit(int64_t threads) {
  lock();
  store(&pool.limit, threads < 1 ? 1 : threads < most_threads ? threads : most_threads);
  unlock();
}

int64_t started_workers() { return load(&pool.workers); }

}  // namespace weft
