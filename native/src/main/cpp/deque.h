/* The work-stealing deque of Chase and Lev (SPAA 2005), of fixed capacity. */
#ifndef WEFT_DEQUE_H
#define WEFT_DEQUE_H

#include <stdint.h>

namespace weft {

/* One thread pushes and pops at the bottom; any thread steals at the top. Where the original needs
 * fences, bottom and top are accessed in sequentially consistent order, which costs one locked
 * instruction in push and pop, and which ThreadSanitizer understands. */
class Deque {
 public:
  /* False if the deque is full. */
  bool push(void *task) {
    int64_t b = __atomic_load_n(&bottom, __ATOMIC_RELAXED);
    if (b - __atomic_load_n(&top, __ATOMIC_ACQUIRE) >= capacity) return false;
    __atomic_store_n(&tasks[b % capacity], task, __ATOMIC_RELAXED);
    /* Before the caller looks for sleepers: they look here after they said that they sleep. */
    __atomic_store_n(&bottom, b + 1, __ATOMIC_SEQ_CST);
    return true;
  }

  /* The task pushed last; null if there is none. */
  void *pop() {
    int64_t b = __atomic_load_n(&bottom, __ATOMIC_RELAXED) - 1;
    __atomic_store_n(&bottom, b, __ATOMIC_SEQ_CST);
    int64_t t = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
    if (t < b) return __atomic_load_n(&tasks[b % capacity], __ATOMIC_RELAXED);
    void *task = nullptr;
    if (t == b) {
      task = __atomic_load_n(&tasks[b % capacity], __ATOMIC_RELAXED);
      if (!take(t)) task = nullptr;
    }
    __atomic_store_n(&bottom, b + 1, __ATOMIC_RELEASE);
    return task;
  }

  /* The oldest task; null if there is none, or another thread was faster. */
  void *steal() {
    int64_t t = __atomic_load_n(&top, __ATOMIC_SEQ_CST);
    if (t >= __atomic_load_n(&bottom, __ATOMIC_SEQ_CST)) return nullptr;
    void *task = __atomic_load_n(&tasks[t % capacity], __ATOMIC_RELAXED);
    return take(t) ? task : nullptr;
  }

  bool is_empty() const {
    return __atomic_load_n(&top, __ATOMIC_SEQ_CST) >= __atomic_load_n(&bottom, __ATOMIC_SEQ_CST);
  }

 private:
  bool take(int64_t t) {
    return __atomic_compare_exchange_n(&top, &t, t + 1, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  }

  static constexpr int64_t capacity = 256;

  alignas(64) int64_t top = 0;    /* atomic: the oldest task */
  alignas(64) int64_t bottom = 0; /* atomic: the next free place; written by the owner */
  void *tasks[capacity] = {};     /* atomic */
};

}  // namespace weft

#endif
