/* Calls three libraries as a C program does. Prints what is wrong; the exit status is their number. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "k_add.h"
#include "k_spmv.h"
#include "k_ttv.h"

static int failures = 0;

static void expect(int holds, const char *what) {
  if (holds) return;
  failures++;
  printf("%s\n", what);
}

static weft_tensor vector(double *values, int64_t size) {
  weft_tensor tensor = {0};
  tensor.order = 1;
  tensor.value_type = WEFT_DOUBLE;
  tensor.sizes[0] = size;
  tensor.vals = values;
  tensor.vals_length = size;
  return tensor;
}

static weft_tensor csr(int64_t rows, int64_t columns, void *pos, void *crd, double *values, int bits) {
  weft_tensor tensor = {0};
  tensor.order = 2;
  tensor.value_type = WEFT_DOUBLE;
  tensor.index_bits = bits;
  tensor.sizes[0] = rows;
  tensor.sizes[1] = columns;
  tensor.levels[1].pos = pos;
  tensor.levels[1].pos_length = rows + 1;
  tensor.levels[1].crd = crd;
  tensor.levels[1].crd_length =
      bits == 32 ? ((int32_t *)pos)[rows] : ((int64_t *)pos)[rows];
  tensor.vals = values;
  tensor.vals_length = tensor.levels[1].crd_length;
  return tensor;
}

static int32_t pos32[] = {0, 2, 2, 3};
static int32_t crd32[] = {0, 2, 1};
static int64_t pos64[] = {0, 2, 2, 3};
static int64_t crd64[] = {0, 2, 1};
static double vals[] = {1, 2, 3};
static double xs[] = {10, 20, 30};

static void matrix_times_vector(void) {
  weft_tensor x = vector(xs, 3);
  weft_tensor matrices[] = {csr(3, 3, pos32, crd32, vals, 32), csr(3, 3, pos64, crd64, vals, 64)};
  for (int m = 0; m < 2; m++) {
    weft_tensor y = {0};
    expect(k_spmv_run(&y, &matrices[m], &x, 0, 1) == WEFT_DONE, k_spmv_message());
    expect(y.owned && y.order == 1 && y.sizes[0] == 3 && y.vals_length == 3, "y is made");
    const double *found = y.vals;
    expect(found && found[0] == 70 && found[1] == 0 && found[2] == 60, "y = A x");
    k_spmv_free(&y);
    expect(y.vals == NULL && !y.owned, "y is freed");
    k_spmv_free(&y);
    double room[] = {9, 9, 9};
    y = vector(room, 3);
    expect(k_spmv_run(&y, &matrices[m], &x, 2, 0) == WEFT_DONE, k_spmv_message());
    expect(!y.owned && room[0] == 70 && room[1] == 0 && room[2] == 60, "y in the caller's array");
  }
}

static void refusals(void) {
  weft_tensor y = {0};
  weft_tensor x = vector(xs, 3);
  weft_tensor A = csr(3, 3, pos32, crd32, vals, 32);
  expect(k_spmv_run(&y, &A, NULL, 0, 0) == WEFT_NO_OPERAND, "x is missing");
  expect(strstr(k_spmv_message(), "x is missing") != NULL, k_spmv_message());
  expect(k_spmv_run(NULL, &A, &x, 0, 0) == WEFT_NO_OPERAND, "y is missing");
  expect(strstr(k_spmv_message(), "result y is missing") != NULL, k_spmv_message());
  expect(k_spmv_call(NULL, 0, 0) == WEFT_NO_OPERAND, "all tensors are missing");
  x.sizes[0] = x.vals_length = 2;
  expect(k_spmv_run(&y, &A, &x, 0, 0) == WEFT_WRONG_SIZE, "x is too short");
  x = vector(xs, 3);
  x.value_type = WEFT_FLOAT;
  expect(k_spmv_run(&y, &A, &x, 0, 0) == WEFT_WRONG_TYPE, "x has another type");
  x.value_type = WEFT_DOUBLE;
  x.order = 2;
  expect(k_spmv_run(&y, &A, &x, 0, 0) == WEFT_WRONG_SIZE, "x has another order");
  x.order = 1;
  A.index_bits = 16;
  expect(k_spmv_run(&y, &A, &x, 0, 0) == WEFT_WRONG_TYPE, "16-bit indices");
  A.index_bits = 32;
  A.levels[1].pos_length = 3;
  expect(k_spmv_run(&y, &A, &x, 0, 0) == WEFT_WRONG_FORMAT, "pos is too short");
  A.levels[1].pos_length = 4;
  A.levels[1].crd = NULL;
  expect(k_spmv_run(&y, &A, &x, 0, 0) == WEFT_WRONG_FORMAT, "crd is null");
  int32_t wrong[] = {0, 3, 1};
  A.levels[1].crd = wrong;
  expect(k_spmv_run(&y, &A, &x, 0, 1) == WEFT_BAD_INDEX, "a coordinate is out of range");
  int32_t falling[] = {2, 0, 1};
  A.levels[1].crd = falling;
  expect(k_spmv_run(&y, &A, &x, 0, 1) == WEFT_NOT_SORTED, "coordinates fall");
  expect(strstr(k_spmv_message(), "sort the entries") != NULL, k_spmv_message());
  A.levels[1].crd = crd32;
  int32_t bent[] = {0, 9, 2, 3};
  A.levels[1].pos = bent;
  expect(k_spmv_run(&y, &A, &x, 0, 1) == WEFT_BAD_INDEX, "pos falls");
  A.levels[1].pos = pos32;
  y = vector(xs, 3);
  expect(k_spmv_run(&y, &A, &x, 0, 0) == WEFT_OVERLAP, "y is x");
  expect(y.vals == xs, "a refused call leaves the result");
}

static void sparse_results(void) {
  weft_tensor A = csr(3, 3, pos32, crd32, vals, 32);
  weft_tensor B = csr(3, 3, pos64, crd64, vals, 64);
  weft_tensor C = {0};
  expect(k_add_run(&C, &A, &A, 0, 0) == WEFT_DONE, k_add_message());
  expect(C.index_bits == 32 && C.vals_length == 3 && ((double *)C.vals)[2] == 6, "C = A + A");
  expect(memcmp(C.levels[1].pos, pos32, sizeof pos32) == 0, "pos of C");
  expect(memcmp(C.levels[1].crd, crd32, sizeof crd32) == 0, "crd of C");
  k_add_free(&C);
  expect(k_add_run(&C, &A, &B, 0, 1) == WEFT_DONE, k_add_message());
  expect(C.index_bits == 64 && memcmp(C.levels[1].pos, pos64, sizeof pos64) == 0, "32 beside 64 bits");
  expect(k_add_run(&C, &A, &B, 0, 0) == WEFT_WRONG_FORMAT, "a sparse result is not reused");
  k_add_free(&C);
}

static void order_three(void) {
  int32_t crd0[] = {1, 4}, pos1[] = {0, 1, 2}, crd1[] = {0, 2}, pos2[] = {0, 2, 3}, crd2[] = {0, 1, 1};
  weft_tensor T = {0};
  T.order = 3;
  T.value_type = WEFT_DOUBLE;
  T.index_bits = 32;
  T.sizes[0] = 5, T.sizes[1] = 3, T.sizes[2] = 2;
  T.levels[0].crd = crd0, T.levels[0].crd_length = 2; /* pos is {0, 2} */
  T.levels[1].pos = pos1, T.levels[1].pos_length = 3, T.levels[1].crd = crd1, T.levels[1].crd_length = 2;
  T.levels[2].pos = pos2, T.levels[2].pos_length = 3, T.levels[2].crd = crd2, T.levels[2].crd_length = 3;
  T.vals = vals, T.vals_length = 3;
  weft_tensor v = vector(xs, 2);
  weft_tensor Y = {0};
  expect(k_ttv_run(&Y, &T, &v, 0, 1) == WEFT_DONE, k_ttv_message());
  expect(Y.vals_length == 2 && ((double *)Y.vals)[0] == 50 && ((double *)Y.vals)[1] == 60, "Y = T v");
  k_ttv_free(&Y);
}

/* Lengths that do not agree are refused before an array is read that may be shorter than they say. */
static void lengths_that_lie(void) {
  int64_t crd0[] = {1, 4}, pos1[] = {0, 1, 2}, crd1[] = {0, 2}, pos2[] = {0, 2, 3}, crd2[] = {0, 1, 1};
  weft_tensor T = {0};
  T.order = 3;
  T.value_type = WEFT_DOUBLE;
  T.index_bits = 64;
  T.sizes[0] = 5, T.sizes[1] = 3, T.sizes[2] = 2;
  T.levels[0].crd = crd0; /* pos is {0, crd_length} */
  T.levels[1].pos = pos1 + 1, T.levels[1].crd = crd1, T.levels[1].crd_length = 2;
  T.levels[2].pos = pos2, T.levels[2].pos_length = 3, T.levels[2].crd = crd2, T.levels[2].crd_length = 3;
  T.vals = vals, T.vals_length = 3;
  weft_tensor v = vector(xs, 2);
  weft_tensor Y = {0};
  int64_t lies[] = {-1, INT64_MIN, (int64_t)1 << 40, INT64_MAX};
  for (int n = 0; n < 4; n++) {
    T.levels[0].crd_length = lies[n];
    T.levels[1].pos_length = n == 0 ? 0 : 3;
    for (int check = 0; check < 2; check++) {
      expect(k_ttv_run(&Y, &T, &v, 0, check) == WEFT_WRONG_FORMAT, "crd_length is no length");
      expect(strstr(k_ttv_message(), n < 2 ? "crd of level 0 of T" : "of T") != NULL, k_ttv_message());
    }
  }
  int64_t far[] = {0, (int64_t)1 << 40, 0, 2}; /* between ends that agree */
  weft_tensor A = csr(3, 3, far, crd64, vals, 64);
  A.levels[1].crd_length = A.vals_length = 2;
  weft_tensor x = vector(xs, 3);
  expect(k_spmv_run(&Y, &A, &x, 0, 0) == WEFT_BAD_INDEX, "pos goes beyond crd");
}

/* A result may not lie in the arrays of positions and coordinates either. */
static void results_in_indices(void) {
  int64_t pos[] = {0, 2, 2, 3}, crd[] = {0, 2, 1};
  weft_tensor A = csr(3, 3, pos, crd, vals, 64);
  weft_tensor x = vector(xs, 3);
  void *arrays[] = {pos, crd};
  for (int n = 0; n < 2; n++) {
    weft_tensor y = vector(arrays[n], 3);
    expect(k_spmv_run(&y, &A, &x, 0, 0) == WEFT_OVERLAP, "y lies in an array of A");
    expect(pos[3] == 3 && crd[1] == 2, "arrays of A are as before");
  }
}

int main(void) {
  matrix_times_vector();
  refusals();
  sparse_results();
  order_three();
  lengths_that_lie();
  results_in_indices();
  return failures;
}
