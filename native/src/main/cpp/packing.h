/* Packing: entries as records of key words and a value, sorted and merged, then made into levels. */
#ifndef WEFT_PACKING_H
#define WEFT_PACKING_H

#include <stdint.h>

namespace weft {

/* Has a kernel's form; one step of packing, which args[1] names.
 *
 * A record is a key of some 64-bit words and the bits of a value, 8 bytes, in an array of its own, which
 * may become that of a form. Every mode has a field of the key: some bits of one word. A mode that is stored in blocks of a size that is no power of two has
 * its block number above the offset in the block in its field.
 *
 *   args[0] out: a weft_status
 *   args[1] a Step
 *   args[2] number of records
 *   args[3] words of a key, at most 64
 *   args[4] address of the keys
 *   args[5] address of the other block of as many keys; of the chunks for COUNT and BUILD
 *   args[6] threads
 *   args[7] number of what is listed from args[14] on
 *   args[8] to args[11]: see each step
 *   args[12] address of the values
 *   args[13] address of the other block of as many values
 *
 * LOAD makes records of columns, on the calling thread. args[8]: address of the values. Listed: for
 *   each mode the address of its column, bytes of its elements (4 or 8, signed), its first coordinate,
 *   which is subtracted, its size, word and shift of its field, the size of blocks or 0, and bits of the
 *   offset in a block. Status BOUNDS: a coordinate is not in the mode.
 * ORDER, SORT: listed are pieces of the key, the most significant first: word, shift and bits. ORDER
 *   says in args[8] whether records never decrease in them; SORT sorts by them, stably, and says in
 *   args[8] whether the result is in the other blocks. All blocks are changed, but not the values if
 *   args[9] is not 0; there are 2^19 records or more then.
 * MERGE adds the values of neighbours with the same key, in their order. args[8]: whether values are
 *   int64, else they are doubles. args[9] out: records that are left; args[10] out: whether they are in
 *   the other blocks. They stay where they are if no two are the same, or there is no other block.
 * COUNT: listed are levels, at most 64, outermost first, 13 numbers each: a Level, and the number of
 *   the level down to which records agree that share a position; then size, word, shift, bits, size of
 *   blocks and bits of the offset in a block of its coordinate (1 and 0 where it is the bits themselves);
 *   out: number of different records down to that level; and for BUILD, which gets the number of
 *   positions in the place of the last, the addresses and element bytes of pos and crd. The chunks have
 *   an int64 for every level and 65,536 records, and keep for BUILD what is counted.
 * BUILD fills the arrays of all levels, and the values. args[8]: address of the values, zeroed if the
 *   last level is dense, or 0 if those of the records are those of the form; args[9]: their type: 0 double, 1 float, 2 int32, 3 int64; args[10]: whether
 *   those of records are int64.
 * SQUARES: args[8] out: bits of the double that is the sum of squares of args[2] values of type args[9]
 *   at args[4], added in an order that does not depend on threads.
 * UNPACK is the way back: columns of args[2] stored entries, on the calling thread. args[5]: address of
 *   the values; args[8]: address of those to be had, doubles, or int64 if args[10] is not 0, which args[9],
 *   their type, then is; args[11]: the first position of the last level. Listed are levels, outermost
 *   first, 9 numbers each: a Level; its size if it is dense; its number of positions; addresses and element
 *   bytes of pos and crd; address and element bytes, 4 or 8, of the column that is filled. */
void pack(int64_t *args);

enum Step { LOAD, ORDER, SORT, MERGE, COUNT, BUILD, SQUARES, UNPACK };

enum Level { DENSE, COMPRESSED, SINGLETON };

}  // namespace weft

#endif
