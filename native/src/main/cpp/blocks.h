/* Blocks of stored arrays: is this what was written, and can it be believed? */
#ifndef WEFT_BLOCKS_H
#define WEFT_BLOCKS_H

#include <stdint.h>

namespace weft {

/* Has a kernel's form. Looks at bytes once, while they are in the cache: their check sum, and what
 * the unsigned numbers that they are must be.
 *
 *   args[0] in and out: CRC32C of the bytes before and, on return, with these; at first 0. -1: no
 *           check sum is wanted
 *   args[1] address, args[2] number of bytes: whole elements
 *   args[3] bytes of an element: 1, 2, 4 or 8
 *   args[4] what elements must be: 0 anything, 1 in a range, 2 ascending, though not strictly
 *   args[5] for 1: the least; for 2 in and out: the element before, at first 0
 *   args[6] for 1: the largest
 *   args[7] out: number of the first element, from 0, that is not what it must be; -1: all are
 *
 * Where one is not, args[5] is undefined. AVX-512 is used where the processor has it. */
void check_block(int64_t *args);

/* As check_block, by the instructions that every supported processor has: for tests. */
void check_block_portably(int64_t *args);

}  // namespace weft

#endif
