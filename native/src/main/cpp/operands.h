/* Operands of a library that is compiled ahead of time: their checks, and their widening. */
#ifndef WEFT_OPERANDS_H
#define WEFT_OPERANDS_H

#include "ahead.h"

namespace weft {

/* More would not fit any machine's memory. */
constexpr int64_t most_elements = int64_t{1} << 44;

/* An operand as a kernel sees it. */
struct View {
  const void *pos[WEFT_MOST_MODES];
  const void *crd[WEFT_MOST_MODES];
  int64_t counts[WEFT_MOST_MODES]; /* positions of each level */
  int64_t root[2];                 /* pos of the outermost level where the caller gives none */
};

/* Copies of index arrays in 64 bits, for a call. */
class Widened {
 public:
  Widened() = default;
  Widened(const Widened &) = delete;
  ~Widened();

  /* Has the view point to 64-bit arrays. False if there is no memory. */
  bool widen(const weft_ahead_tensor &spec, const weft_tensor &tensor, View *view);

 private:
  const void *copy(const void *from, int64_t length);

  void *blocks_[2 * WEFT_MOST_MODES * WEFT_MOST_TENSORS];
  int count_ = 0;
};

/* What of an operand is looked at besides its lengths and pos, each with what is before it. */
enum Look { OFFSETS, RANGES, ORDER };

/* Looks at an operand: O(positions above the last level), or O(stored entries) from RANGES on.
 * Returns a weft_code. */
int32_t look_at(const weft_ahead_tensor &spec, const weft_tensor &tensor, View *view, Look look);

int32_t wrong_type(const weft_ahead_tensor &spec, const weft_tensor &tensor);

/* Sets the message of this thread, and returns `code`. */
[[gnu::format(printf, 2, 3)]] int32_t fail(int32_t code, const char *format, ...);

void clear_message();

const char *message();

}  // namespace weft

#endif
