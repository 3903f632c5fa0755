/* Memory that the machine can still give. */
#ifndef WEFT_AVAILABLE_H
#define WEFT_AVAILABLE_H

#include <stdint.h>

namespace weft {

/* Bytes without swapping, of the machine or of the container that the process runs in; INT64_MAX
 * where that cannot be found out. Reads files of the kernel: some 20 microseconds. */
int64_t available_bytes();

}  // namespace weft

#endif
