/* Encoded blocks of stored arrays, back to their elements. */
#ifndef WEFT_DECODE_H
#define WEFT_DECODE_H

#include <stdint.h>

namespace weft {

/* Has a kernel's form. Elements of a block as storage-hdfs/FORMAT.md specifies it. No byte of the block
 * is believed: whatever it is, only the elements are written, and nothing but the block and the 8
 * readable bytes behind it is read.
 *
 *   args[0] out: a Decoded; unless that is DECODED, the elements are undefined
 *   args[1] a Coding
 *   args[2] address and args[3] bytes of the block
 *   args[4] bytes of an element of the block: 1, 2, 4 or 8
 *   args[5] address and args[6] number of the elements, which do not overlap the block
 *   args[7] for WIDEN: 1 if elements of the block are signed
 *   args[8] for WIDEN: bytes of the elements that are made
 *   args[9] for WIDEN: the largest of them
 *
 * DIFFERENCE: 64-bit numbers have bases of 8 bytes, narrower ones of 4.
 * DICTIONARY: for elements of 4 or 8 bytes. Numbers past the last of the dictionary mean its first.
 * PLANES: all first bytes of the elements, all second bytes, and so on.
 * WIDEN: elements of another width. TOO_LARGE: one is negative, or larger than args[9]; -1 allows all. */
void decode_block(int64_t *args);

enum Coding { DIFFERENCE, DICTIONARY, PLANES, WIDEN };

enum Decoded { DECODED, NO_SUCH_BLOCK, TOO_LARGE };

}  // namespace weft

#endif
