/* Sorting of workspace coordinate lists. */
#ifndef WEFT_SORT_H
#define WEFT_SORT_H

#include <stdint.h>

namespace weft {

/* Ascending and in place. Lists that are sorted already cost one pass; lists of 64 and more are
 * sorted by radix in as many passes as their range has digits, with a scratch copy; short ones, and
 * others when no scratch memory is left, by introsort. */
void sort_i64(int64_t *values, int64_t n);

/* Sorts the positions of all nonzero marks among the first `length`, of which there are n. Reads the
 * marks where they are dense enough for that to be cheaper. Few positions are sorted by the number of
 * smaller ones, others by a set of bits or by radix. */
void sort_marked(int64_t *positions, int64_t n, const uint8_t *marks, int64_t length);

/* ranks[i]: how many of keys[0 .. n) are less than keys[i]; equal keys have equal ranks. Keys are
 * less than 2^31, and there are at most 64, for which both arrays have room. 1 if no two keys are equal. */
int64_t rank_keys(uint32_t *keys, int64_t n, uint32_t *ranks);

/* Sorts keys ascending and moves values[i] along with keys[i]; pairs with equal keys keep their
 * order. Returns 0, with both arrays as they were, when there is no memory for a scratch copy. */
int64_t sort_pairs_i64(int64_t *keys, int64_t *values, int64_t n);

}  // namespace weft

#endif
