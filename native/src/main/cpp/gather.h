/* Results that are put together from pieces, which threads make in any order. */
#ifndef WEFT_GATHER_H
#define WEFT_GATHER_H

#include "weft_runtime.h"

namespace weft {

void *open_gather(const weft_runtime *runtime, const weft_part *wholes, int64_t parts,
                  int64_t items, int64_t threads);
int64_t take_items(void *gather, int64_t *range);
int64_t place_piece(void *gather, const int64_t *range, weft_part *parts);
void close_gather(void *gather, weft_part *wholes);

}  // namespace weft

#endif
