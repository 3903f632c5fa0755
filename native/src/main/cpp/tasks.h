/* Worker threads of the process, shared by the kernels of all its concurrent calls. */
#ifndef WEFT_TASKS_H
#define WEFT_TASKS_H

#include "weft_runtime.h"

namespace weft {

/* As in weft_runtime.h.
 *
 * The calling thread takes part, so a call makes progress even when every worker is busy with other
 * calls. Threads take the next tasks from a shared counter. Workers are started when concurrent
 * calls first want more helpers than there are, stay for the life of the process, and sleep when
 * there is nothing to do. A call with one thread or one task touches nothing shared. */
void parallel_for(const weft_runtime *runtime, int64_t tasks, void (*fn)(void *ctx, int64_t task),
                  void *ctx);

int64_t started_workers();

}  // namespace weft

#endif
