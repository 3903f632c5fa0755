#include "blocks.h"

#include <immintrin.h>
#include <string.h>

#include "processor.h"

namespace weft {
namespace {

/* Bytes that are summed and then looked at: they stay in the first cache in between. */
constexpr int64_t piece = 24576;

/* CRC32C keeps a remainder of polynomials over GF(2) modulo P. Bit i of a 32-bit word is the
 * coefficient of x^(31-i). */
constexpr uint32_t modulus = 0x82F63B78;

constexpr uint32_t times_x(uint32_t a) { return (a >> 1) ^ ((a & 1) != 0 ? modulus : 0); }

constexpr uint32_t power_of_x(int n) {
  uint32_t power = uint32_t{1} << 31;
  for (int i = 0; i < n; i++) power = times_x(power);
  return power;
}

constexpr uint32_t product(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (uint32_t bit = uint32_t{1} << 31; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) sum ^= b;
    b = times_x(b);
  }
  return sum;
}

uint64_t word(const char *at) {
  uint64_t loaded;
  memcpy(&loaded, at, sizeof loaded);
  return loaded;
}

/* `crc` is the remainder itself here and below: not inverted. */
uint32_t sum_words(uint32_t crc, const char *at, int64_t bytes) {
  uint64_t c = crc;
  for (; bytes >= 8; at += 8, bytes -= 8) c = _mm_crc32_u64(c, word(at));
  for (; bytes > 0; at++, bytes--) {
    c = _mm_crc32_u8(static_cast<uint32_t>(c), static_cast<unsigned char>(*at));
  }
  return static_cast<uint32_t>(c);
}

/* Three runs of bytes at once, as the instruction's latency is three cycles. */
template <int64_t run>
uint32_t sum_runs(uint32_t crc, const char *&at, int64_t &bytes) {
  constexpr uint32_t shift = power_of_x(8 * run);
  for (; bytes >= 3 * run; at += 3 * run, bytes -= 3 * run) {
    uint64_t a = crc;
    uint64_t b = 0;
    uint64_t c = 0;
    for (int64_t i = 0; i < run; i += 8) {
      a = _mm_crc32_u64(a, word(at + i));
      b = _mm_crc32_u64(b, word(at + run + i));
      c = _mm_crc32_u64(c, word(at + 2 * run + i));
    }
    uint32_t ab = product(static_cast<uint32_t>(a), shift) ^ static_cast<uint32_t>(b);
    crc = product(ab, shift) ^ static_cast<uint32_t>(c);
  }
  return crc;
}

uint32_t sum_portably(uint32_t crc, const char *at, int64_t bytes) {
  crc = sum_runs<piece / 3>(crc, at, bytes);
  crc = sum_runs<1024>(crc, at, bytes);
  return sum_words(crc, at, bytes);
}

#define WEFT_WIDE \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq,pclmul,sse4.2")))

/* Moves 128 bits ahead by `distance` bits: the low word times the first, the high word times the
 * second, modulo P. A carry-less product of two mirrored words is one bit short, hence the odd
 * exponents. */
constexpr int64_t ahead_low(int distance) {
  return static_cast<int64_t>(uint64_t{power_of_x(distance + 63)} << 32);
}
constexpr int64_t ahead_high(int distance) {
  return static_cast<int64_t>(uint64_t{power_of_x(distance - 1)} << 32);
}

WEFT_WIDE inline __m512i ahead(__m512i from, __m512i constants, __m512i onto) {
  __m512i low = _mm512_clmulepi64_epi128(from, constants, 0x00);
  __m512i high = _mm512_clmulepi64_epi128(from, constants, 0x11);
  return _mm512_ternarylogic_epi64(low, high, onto, 0x96);
}

template <int distance>
WEFT_WIDE inline __m512i constants_for() {
  constexpr int64_t low = ahead_low(distance);
  constexpr int64_t high = ahead_high(distance);
  return _mm512_set_epi64(high, low, high, low, high, low, high, low);
}

/* Folding, after V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction" (Intel, 2009): 256 bytes are kept, and moved ahead onto the next 256. */
WEFT_WIDE uint32_t sum_widely(uint32_t crc, const char *at, int64_t bytes) {
  if (bytes < 512) return sum_words(crc, at, bytes);
  __m512i a = _mm512_loadu_si512(at);
  __m512i b = _mm512_loadu_si512(at + 64);
  __m512i c = _mm512_loadu_si512(at + 128);
  __m512i d = _mm512_loadu_si512(at + 192);
  a = _mm512_xor_si512(a, _mm512_zextsi128_si512(_mm_cvtsi32_si128(static_cast<int>(crc))));
  const __m512i by_2048 = constants_for<2048>();
  for (at += 256, bytes -= 256; bytes >= 256; at += 256, bytes -= 256) {
    a = ahead(a, by_2048, _mm512_loadu_si512(at));
    b = ahead(b, by_2048, _mm512_loadu_si512(at + 64));
    c = ahead(c, by_2048, _mm512_loadu_si512(at + 128));
    d = ahead(d, by_2048, _mm512_loadu_si512(at + 192));
  }
  const __m512i by_512 = constants_for<512>();
  b = ahead(a, by_512, b);
  c = ahead(b, by_512, c);
  d = ahead(c, by_512, d);
  constexpr int64_t low_384 = ahead_low(384), high_384 = ahead_high(384);
  constexpr int64_t low_256 = ahead_low(256), high_256 = ahead_high(256);
  constexpr int64_t low_128 = ahead_low(128), high_128 = ahead_high(128);
  /* The last 128 bits stay where they are. */
  const __m512i lanes =
      _mm512_set_epi64(0, 0, high_128, low_128, high_256, low_256, high_384, low_384);
  __m512i last = _mm512_maskz_mov_epi64(0xC0, d);
  int64_t moved[8];
  _mm512_storeu_si512(moved, ahead(d, lanes, last));
  int64_t low = moved[0] ^ moved[2] ^ moved[4] ^ moved[6];
  int64_t high = moved[1] ^ moved[3] ^ moved[5] ^ moved[7];
  uint64_t sum = _mm_crc32_u64(0, static_cast<uint64_t>(low));
  sum = _mm_crc32_u64(sum, static_cast<uint64_t>(high));
  return sum_words(static_cast<uint32_t>(sum), at, bytes);
}

#define WEFT_INLINE __attribute__((always_inline)) inline

/* Loops without branches, for the compiler to make vectors of. */

template <typename T>
WEFT_INLINE bool all_in_range(const T *elements, int64_t n, T least, T span) {
  T most = 0;
  for (int64_t i = 0; i < n; i++) {
    T above = static_cast<T>(elements[i] - least);
    most = above > most ? above : most;
  }
  return most <= span;
}

template <typename T>
WEFT_INLINE bool all_ascend(const T *elements, int64_t n) {
  T descents = 0;
  for (int64_t i = 1; i < n; i++) {
    descents = static_cast<T>(descents | (elements[i] < elements[i - 1] ? 1 : 0));
  }
  return descents == 0;
}

struct Rule {
  int64_t kind;
  uint64_t first;
  uint64_t largest;
};

/* The first element that breaks the rule, or -1. */
template <typename T>
WEFT_INLINE int64_t first_wrong(const char *at, int64_t bytes, Rule &rule) {
  const T *elements = reinterpret_cast<const T *>(at);
  int64_t n = bytes / static_cast<int64_t>(sizeof(T));
  if (n == 0) return -1;
  if (rule.kind == 1) {
    constexpr uint64_t top = static_cast<T>(~T{0});
    uint64_t largest = rule.largest < top ? rule.largest : top;
    if (rule.first > largest) return 0;
    T least = static_cast<T>(rule.first);
    T span = static_cast<T>(largest - rule.first);
    if (all_in_range(elements, n, least, span)) return -1;
    for (int64_t i = 0; i < n; i++) {
      if (static_cast<T>(elements[i] - least) > span) return i;
    }
  } else {
    if (elements[0] < rule.first) return 0;
    rule.first = elements[n - 1];
    if (all_ascend(elements, n)) return -1;
    for (int64_t i = 1; i < n; i++) {
      if (elements[i] < elements[i - 1]) return i;
    }
  }
  return -1;
}

WEFT_INLINE int64_t first_wrong(const char *at, int64_t bytes, int64_t width, Rule &rule) {
  switch (width) {
    case 1: return first_wrong<uint8_t>(at, bytes, rule);
    case 2: return first_wrong<uint16_t>(at, bytes, rule);
    case 4: return first_wrong<uint32_t>(at, bytes, rule);
    default: return first_wrong<uint64_t>(at, bytes, rule);
  }
}

int64_t look_portably(const char *at, int64_t bytes, int64_t width, Rule &rule) {
  return first_wrong(at, bytes, width, rule);
}

WEFT_WIDE int64_t look_widely(const char *at, int64_t bytes, int64_t width, Rule &rule) {
  return first_wrong(at, bytes, width, rule);
}

template <auto sum, auto look>
void check(int64_t *args) {
  bool summed = args[0] >= 0;
  uint32_t crc = ~static_cast<uint32_t>(args[0]);
  const char *from = reinterpret_cast<const char *>(args[1]);
  int64_t width = args[3];
  Rule rule = {args[4], static_cast<uint64_t>(args[5]), static_cast<uint64_t>(args[6])};
  int64_t wrong = -1;
  for (int64_t at = 0; at < args[2]; at += piece) {
    int64_t bytes = args[2] - at < piece ? args[2] - at : piece;
    if (summed) crc = sum(crc, from + at, bytes);
    if (rule.kind != 0 && wrong < 0) {
      int64_t found = look(from + at, bytes, width, rule);
      if (found >= 0) wrong = at / width + found;
    }
  }
  if (summed) args[0] = static_cast<uint32_t>(~crc);
  args[5] = static_cast<int64_t>(rule.first);
  args[7] = wrong;
}

}  // namespace

void check_block_portably(int64_t *args) { check<sum_portably, look_portably>(args); }

void check_block(int64_t *args) {
  if (has_wide_products()) {
    check<sum_widely, look_widely>(args);
  } else {
    check_block_portably(args);
  }
}

}  // namespace weft
