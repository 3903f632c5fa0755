/* Worker threads of the process, and the calls that they help. */
#ifndef WEFT_JOBS_H
#define WEFT_JOBS_H

#include <pthread.h>

#include "deque.h"
#include "frames.h"
#include "weft_runtime.h"

namespace weft {

struct Job;

/* The place of one thread in a call. */
struct Seat {
  Deque deque;
  Frames frames;
  Job *job;
  int64_t number;
  bool taken; /* under the pool's lock */
};

/* One call in progress: its caller has seat 0, and workers may take the others. Jobs are reused and
 * never freed, so that a worker may look at one that has just ended. */
struct Job {
  Seat *seats;
  int64_t capacity;   /* seats that there are */
  int64_t size;       /* seats that this call uses */
  int cpu;            /* where its caller was when it began */
  int64_t working;    /* threads that run a task; atomic */
  int64_t idle;       /* threads in it that look for a task; atomic */
  uint64_t since;     /* when it, or the row of calls that it is in, began, in ticks */
  uint64_t patience;  /* ticks from then on before sleeping workers are woken */
  int64_t unheard;    /* whether a task was offered before that; atomic */
  int64_t closed;     /* the caller has returned; atomic */
  int64_t asleep;     /* the caller waits for `wake`; atomic, changed under the lock */
  int64_t users;      /* threads in it; under the pool's lock */
  Job *link;          /* next open, or next free; under the pool's lock */
  pthread_cond_t wake; /* with the pool's lock: work, or the end of the awaited group */
  SharedFrames shared;
};

/* The seat of this thread; null outside calls. */
Seat *this_seat();

/* Gives the calling thread the first seat of a new job with at most `threads` seats. Null when
 * there would be only one, or no memory. Starts the workers of the process the first time. A short
 * job has the help of threads that are awake, and wakes others only if it lasts. */
Seat *open_job(int64_t threads, bool is_short);

/* Runs tasks until `group` has none left, then leaves the job. */
void close_job(Seat *seat, const weft_group *group);

/* Makes a task of the job known, and wakes a thread for it if one sleeps. */
void offer(Seat *seat, void *task);

/* Wakes the caller of the job if it sleeps: its group has finished. */
void wake_caller(Job *job);

/* Whether a thread without work could come for a task, and there is none in this seat. */
bool is_hungry(Seat *seat);

void resume(void *task);

void set_thread_limit(int64_t threads);

int64_t started_workers();

}  // namespace weft

#endif
