/* Memory that a file backs: what does not fit lies on the disk, and the system reads it as needed. */
#ifndef WEFT_SPILL_H
#define WEFT_SPILL_H

#include <stdint.h>

namespace weft {

/*
 * One step, named by args[0]:
 *
 *   0 MAP     args[2]: path of an empty file, a C string; args[3]: bytes. The file gets so many
 *             bytes of the disk, is mapped and loses its name: the disk has them back when the
 *             mapping goes, or the process ends. args[2]: the address.
 *   1 UNMAP   args[2], args[3]: a mapping and its bytes.
 *   2 FETCH   the system begins to read the mapping into its cache; does not wait.
 *   3 EVICT   the pages of the mapping leave the process; they come back when they are touched.
 *
 * args[1]: 0, or the errno of what failed.
 */
void spill(int64_t *args);

}  // namespace weft

#endif
