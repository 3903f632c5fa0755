#include "frames.h"

#include <stdlib.h>

namespace weft {
namespace {

constexpr int64_t unit = 64;

int64_t from_system = 0;

/* Larger frames, of which there are none today, go to the system each time. */
bool is_pooled(int64_t bytes) { return bytes <= unit * SharedFrames::sizes; }

int64_t units(int64_t bytes) { return bytes <= unit ? 1 : (bytes + unit - 1) / unit; }

void *obtain(int64_t bytes) {
  __atomic_fetch_add(&from_system, 1, __ATOMIC_RELAXED);
  return aligned_alloc(unit, static_cast<size_t>(units(bytes) * unit));
}

}  // namespace

void SharedFrames::lock() {
  while (__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE)) __builtin_ia32_pause();
}

void SharedFrames::unlock() { __atomic_clear(&locked, __ATOMIC_RELEASE); }

void SharedFrames::put(int size, FreeFrame *first, FreeFrame *last) {
  lock();
  last->next = free[size];
  free[size] = first;
  unlock();
}

FreeFrame *SharedFrames::take(int size, int *count) {
  lock();
  FreeFrame *first = free[size];
  FreeFrame *last = first;
  int taken = first == nullptr ? 0 : 1;
  while (taken > 0 && taken < batch && last->next != nullptr) {
    last = last->next;
    taken++;
  }
  if (taken > 0) {
    free[size] = last->next;
    last->next = nullptr;
  }
  unlock();
  *count = taken;
  return first;
}

void *Frames::allocate(SharedFrames *shared, int64_t bytes) {
  if (!is_pooled(bytes)) return obtain(bytes);
  int size = static_cast<int>(units(bytes)) - 1;
  if (free[size] == nullptr) free[size] = shared->take(size, &count[size]);
  FreeFrame *frame = free[size];
  if (frame == nullptr) return obtain(bytes);
  free[size] = frame->next;
  count[size]--;
  return frame;
}

void Frames::release(SharedFrames *shared, void *block, int64_t bytes) {
  if (!is_pooled(bytes)) {
    ::free(block);
    return;
  }
  int size = static_cast<int>(units(bytes)) - 1;
  FreeFrame *frame = static_cast<FreeFrame *>(block);
  frame->next = free[size];
  free[size] = frame;
  if (++count[size] < 2 * SharedFrames::batch) return;
  FreeFrame *first = frame;
  FreeFrame *last = frame;
  for (int i = 1; i < SharedFrames::batch; i++) last = last->next;
  free[size] = last->next;
  count[size] -= SharedFrames::batch;
  shared->put(size, first, last);
}

int64_t system_frames() { return __atomic_load_n(&from_system, __ATOMIC_RELAXED); }

}  // namespace weft
