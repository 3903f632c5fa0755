/* Blocks that kernels allocate: 64-byte aligned, sized by a hidden header, huge pages when large.
 */
#ifndef WEFT_MEMORY_H
#define WEFT_MEMORY_H

#include <stdint.h>

namespace weft {

/* As in weft_runtime.h. The byte counts that callers pass to grow and release are not relied on. */
void *allocate(int64_t bytes);
void *grow(void *block, int64_t old_bytes, int64_t new_bytes);
void release(void *block, int64_t bytes);

int64_t live_blocks();
int64_t live_bytes();

}  // namespace weft

#endif
