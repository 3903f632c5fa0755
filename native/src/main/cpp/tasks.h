/* The task functions of weft_runtime.h: groups of tasks on the threads of jobs.h. */
#ifndef WEFT_TASKS_H
#define WEFT_TASKS_H

#include "weft_runtime.h"

namespace weft {

/* Work that is worth a thread, if there is as much for another: 3 us or more. To have it done by a
 * worker that is awake takes 1 us. */
constexpr int64_t least_task_work = 10240;

int64_t tasks_for(const weft_runtime *runtime, int64_t work);
int64_t enter(const weft_runtime *runtime, weft_group *group);
void close(weft_group *group);
void nest(weft_group *group);
int64_t await(weft_group *group, void *task);
void *frame(int64_t bytes);
void spawn(weft_group *group, void *task);
void finish(weft_group *group, void *task, int64_t bytes);
int64_t hungry();
void parallel_for(const weft_runtime *runtime, int64_t tasks, void (*fn)(void *ctx, int64_t task),
                  void *ctx);

}  // namespace weft

#endif
