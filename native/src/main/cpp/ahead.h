/*
 * Libraries that are compiled ahead of time: how a call with `weft_tensor`s becomes a call of a
 * kernel. The compiler writes one `weft_ahead` into each library; org.weft.compiler.ahead has the
 * same layout.
 */
#ifndef WEFT_AHEAD_H
#define WEFT_AHEAD_H

#include "weft_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEFT_MOST_TENSORS = 16, WEFT_MOST_SLOTS = 512 };

enum { WEFT_DENSE_LEVEL = 0, WEFT_COMPRESSED_LEVEL = 1, WEFT_SINGLETON_LEVEL = 2 };

typedef struct weft_ahead_level {
  int64_t kind;
  int64_t mode;
  int64_t ordered; /* coordinates ascend below one position */
  int64_t unique;  /* none of them is there twice */
} weft_ahead_level;

enum { WEFT_OPERAND = 0, WEFT_ADDED_TO = 1, WEFT_OVERWRITTEN = 2, WEFT_ASSEMBLED = 3 };

typedef struct weft_ahead_tensor {
  const char *name;
  const char *format;
  int64_t role;
  int64_t value_type;
  int64_t order;
  const weft_ahead_level *levels;
} weft_ahead_tensor;

/* The numbers of org.weft.runtime.Slot.Kind. */
typedef struct weft_ahead_slot {
  int64_t kind;
  int64_t tensor;
  int64_t level;
} weft_ahead_slot;

/* `mode` of `tensor` has the size of `other_mode` of `other`, or `size` if `other` is negative. */
typedef struct weft_ahead_rule {
  int64_t tensor;
  int64_t mode;
  int64_t other;
  int64_t other_mode;
  int64_t size;
  const char *label;
} weft_ahead_rule;

typedef struct weft_ahead_kernel {
  void (*function)(int64_t *args);
  int64_t index_bits;
  int64_t slots;
  const weft_ahead_slot *slot;
} weft_ahead_kernel;

typedef struct weft_ahead {
  int64_t cpu;       /* 2, 3 or 4: the x86-64 level of the kernels */
  int64_t threads;   /* when a call names none; 0 for all processors */
  int64_t adds;      /* the statement is += or -= */
  int64_t tensors;   /* the result first */
  const weft_ahead_tensor *tensor;
  int64_t rules;     /* those of the result last */
  const weft_ahead_rule *rule;
  int64_t kernels;   /* one, or one for 32 and one for 64 bits */
  const weft_ahead_kernel *kernel;
} weft_ahead;

/*
 * Runs the statement. tensors[0] is the result: its arrays are made if `vals` is null, and written
 * or added to if it is not, which only dense results allow. The others are the operands.
 *
 * threads: 0 or less for the library's default. check: whether every position and coordinate of the
 * operands is looked at, O(stored entries); else only lengths are.
 *
 * Returns a weft_code; then weft_ahead_message() of the same thread says more, and the result is as
 * it was before. With 32-bit operands whose result does not fit 32 bits, or operands of both widths,
 * 32-bit indices are copied to 64 bits for the call, and the result has 64 bits.
 */
int32_t weft_ahead_call(const weft_ahead *library, weft_tensor *tensors, int32_t threads,
                        int32_t check);

/* Frees the arrays of a result that the library made, and sets them to null. */
void weft_ahead_free(weft_tensor *result);

/* What the last call of this thread reported: one line; empty if it succeeded. */
const char *weft_ahead_message(void);

/* What PyInit_NAME returns in a library NAME.so that lies beside a Python module NAME.py. */
void *weft_ahead_module(void);

#ifdef __cplusplus
}
#endif

#endif
