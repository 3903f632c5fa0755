/* Entries of a tensor as columns: one array of coordinates per level, and the values. */
#ifndef WEFT_ENTRIES_H
#define WEFT_ENTRIES_H

#include <stdint.h>

namespace weft {

/* Has a kernel's form. Sorts entries in place by their first `keys` columns, stably:
 *
 *   args[0] out: a weft_status, OK or OUT_OF_MEMORY (then nothing has moved)
 *   args[1] number of entries
 *   args[2] number of columns
 *   args[3] keys: number of columns to sort by, the first being the most significant
 *   args[4] address of the values, args[5] bytes of a value: 4 or 8
 *   args[6 + 3 c] address of column c, args[7 + 3 c] bytes of its elements: 1, 2, 4 or 8,
 *   args[8 + 3 c] bits that its largest coordinate needs, at most 63
 *
 * Entries that are in order cost one pass. Where all coordinates fit one 64-bit word, records of
 * word and value are sorted by radix; else a permutation is, and then applied. Scratch memory: 32
 * bytes an entry. */
void sort_entries(int64_t *args);

}  // namespace weft

#endif
