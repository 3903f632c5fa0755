/* Memory of tasks: lists of free frames by size, one per thread of a call. */
#ifndef WEFT_FRAMES_H
#define WEFT_FRAMES_H

#include <stdint.h>

namespace weft {

struct FreeFrame {
  FreeFrame *next;
};

/* Frames that the threads of a call pass on, from those that finish tasks to those that spawn. */
class SharedFrames {
 public:
  static constexpr int sizes = 16;
  static constexpr int batch = 16;

  void put(int size, FreeFrame *first, FreeFrame *last);
  /* At most `batch` frames as a list; null if there are none. */
  FreeFrame *take(int size, int *count);

 private:
  void lock();
  void unlock();

  bool locked = false;
  FreeFrame *free[sizes] = {};
};

/* The frames of one thread. Nobody else uses it at the same time. */
class Frames {
 public:
  /* 64-byte aligned; null if there is no memory. From the system only while more tasks are alive
   * than ever before. */
  void *allocate(SharedFrames *shared, int64_t bytes);
  void release(SharedFrames *shared, void *frame, int64_t bytes);

 private:
  FreeFrame *free[SharedFrames::sizes] = {};
  int count[SharedFrames::sizes] = {};
};

/* Frames taken from the system since the process began. */
int64_t system_frames();

}  // namespace weft

#endif
