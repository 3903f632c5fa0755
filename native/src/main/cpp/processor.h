/* What the processor can do beyond the level for which the runtime is compiled. */
#ifndef WEFT_PROCESSOR_H
#define WEFT_PROCESSOR_H

namespace weft {

/* AVX-512 with bytes, double words and short vectors, whose registers the system keeps. */
bool has_wide_vectors();

/* Wide vectors, and carry-less products of theirs. */
bool has_wide_products();

}  // namespace weft

#endif
