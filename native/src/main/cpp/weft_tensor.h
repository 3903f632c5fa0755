/*
 * Tensors as libraries of `weft compile` take and give them.
 *
 * A tensor has one level for every mode. A level is dense (no arrays), compressed (`pos` and `crd`)
 * or singleton (`crd` alone); the comment of a library's function says which, outermost first, and
 * the mode that each level stores. Positions count the entries of a level:
 *
 *   dense       the positions of the level above times the size of the mode
 *   compressed  the children of position p of the level above are at pos[p] .. pos[p + 1] - 1, and
 *               crd[q] is the coordinate at q: pos_length is one more than the positions above,
 *               crd_length is the last number in pos
 *   singleton   one coordinate crd[p] for each position above
 *
 * and vals has one value for each position of the last level. So CSR is {dense, compressed} with
 * pos, crd and vals as everybody has them, and a row-major matrix is {dense, dense} with vals alone.
 * Coordinates begin at 0 and ascend below one position, and are there once, where the library does
 * not say otherwise. pos of the outermost level may be null: it is {0, crd_length}.
 *
 * Operands are borrowed for the call and are not written. A result whose `vals` is null is made by
 * the library, and freed by the library's NAME_free.
 */
#ifndef WEFT_TENSOR_H
#define WEFT_TENSOR_H

#include <stdint.h>

enum { WEFT_MOST_MODES = 8 };

/* Types of values. */
enum weft_value_type { WEFT_INT32 = 1, WEFT_INT64 = 2, WEFT_FLOAT = 3, WEFT_DOUBLE = 4 };

/* What a call returns. Numbers are stable. */
enum weft_code {
  WEFT_DONE = 0,
  WEFT_NO_MEMORY = 1,
  WEFT_TOO_WIDE = 2,     /* the result has more entries than its index type can count */
  WEFT_NO_FIT = 4,       /* the format of the result cannot hold its entries */
  WEFT_NO_OPERAND = 10,  /* an operand or the result is missing */
  WEFT_WRONG_FORMAT = 11, /* the arrays of an operand are not those of its format */
  WEFT_WRONG_SIZE = 12,  /* an operand has another order, or sizes that do not agree */
  WEFT_WRONG_TYPE = 13,  /* values or indices have another type */
  WEFT_BAD_INDEX = 14,   /* a position or a coordinate is out of range */
  WEFT_NOT_SORTED = 15,  /* coordinates do not ascend, or are there twice */
  WEFT_OVERLAP = 16,     /* the result shares memory with an operand */
  WEFT_WRONG_CPU = 17    /* the library is compiled for a newer processor */
};

typedef struct weft_level {
  void *pos;
  int64_t pos_length; /* elements */
  void *crd;
  int64_t crd_length;
} weft_level;

typedef struct weft_tensor {
  int32_t order;      /* modes, and levels; 0 for a scalar, whose value is vals[0] */
  int32_t value_type; /* a weft_value_type */
  int32_t index_bits; /* of pos and crd, all levels alike: 32 or 64; 0 if there are none */
  int32_t owned;      /* 1: the library made the arrays, and NAME_free frees them */
  int64_t sizes[WEFT_MOST_MODES]; /* by mode */
  void *vals;
  int64_t vals_length;
  weft_level levels[WEFT_MOST_MODES]; /* outermost first */
} weft_tensor;

#endif
