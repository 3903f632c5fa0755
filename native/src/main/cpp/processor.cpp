#include "processor.h"

#include <cpuid.h>
#include <stdint.h>

namespace weft {
namespace {

constexpr int8_t known = 1;
constexpr int8_t vectors = 2;
constexpr int8_t products = 4;

/* Of the bits above, 0 until it was asked for. */
int8_t found = 0;

int8_t look() {
  unsigned a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return known;
  unsigned kept, upper;
  __asm__("xgetbv" : "=a"(kept), "=d"(upper) : "c"(0));
  constexpr unsigned registers = 0xE6;
  if ((kept & registers) != registers || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return known;
  constexpr unsigned needed = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  if ((b & needed) != needed) return known;
  return (c & bit_VPCLMULQDQ) != 0 ? known | vectors | products : known | vectors;
}

int8_t features() {
  int8_t now = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (now == 0) {
    now = look();
    __atomic_store_n(&found, now, __ATOMIC_RELAXED);
  }
  return now;
}

}  // namespace

bool has_wide_vectors() { return (features() & vectors) != 0; }

bool has_wide_products() { return (features() & products) != 0; }

}  // namespace weft
