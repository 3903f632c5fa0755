#include "sort.h"

#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "processor.h"

namespace weft {
namespace {

constexpr int64_t insertion_below = 24;
constexpr int64_t radix_from = 64;
constexpr int64_t pairs_insertion_below = 40;
constexpr int digit_bits = 11;
/* Digits of lists below long_from. */
constexpr int short_digit_bits = 8;
constexpr int64_t long_from = 512;
/* Shorter lists are sorted whatever their marks. */
constexpr int64_t marked_from = 16;
constexpr int64_t marked_from_widely = 8;
/* Longest list of different positions that is sorted by their ranks. */
constexpr int64_t most_ranked = 64;
constexpr int64_t most_ranked_widely = 128;
/* Marks that are read in the time that it takes to sort one position: by ranks for each so many
 * positions and some more, by their bits. */
constexpr int64_t ranked_per_mark = 2;
constexpr int64_t ranked_per_mark_widely = 8;
constexpr int64_t marks_per_ranked = 8;
constexpr int64_t marks_per_bit = 80;
/* Words of a set of positions on the stack, each with a bit in 64 words above. */
constexpr int64_t most_words = 4096;
/* Positions of 64 marks that are written whether or not there are so many: how many there are is
 * hard to predict. */
constexpr int64_t written_ahead = 4;
/* More passes than this cost more than comparisons do. */
constexpr int most_passes = 4;

void swap(int64_t &a, int64_t &b) {
  int64_t kept = a;
  a = b;
  b = kept;
}

void insertion_sort(int64_t *values, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    int64_t value = values[i];
    int64_t at = i;
    for (; at > 0 && values[at - 1] > value; at--) values[at] = values[at - 1];
    values[at] = value;
  }
}

void sift_down(int64_t *heap, int64_t root, int64_t n) {
  int64_t value = heap[root];
  for (int64_t child = 2 * root + 1; child < n; child = 2 * root + 1) {
    if (child + 1 < n && heap[child + 1] > heap[child]) child++;
    if (heap[child] <= value) break;
    heap[root] = heap[child];
    root = child;
  }
  heap[root] = value;
}

void heap_sort(int64_t *values, int64_t n) {
  for (int64_t root = n / 2 - 1; root >= 0; root--) sift_down(values, root, n);
  for (int64_t last = n - 1; last > 0; last--) {
    swap(values[0], values[last]);
    sift_down(values, 0, last);
  }
}

int64_t median(int64_t a, int64_t b, int64_t c) {
  if (a > b) swap(a, b);
  if (b > c) b = c;
  return a > b ? a : b;
}

/* Hoare's partition: values[0 .. result] <= pivot <= values[result + 1 .. n). */
int64_t partition(int64_t *values, int64_t n) {
  int64_t pivot = median(values[0], values[(n - 1) / 2], values[n - 2]);
  int64_t low = -1;
  int64_t high = n;
  for (;;) {
    do low++;
    while (values[low] < pivot);
    do high--;
    while (values[high] > pivot);
    if (low >= high) return high;
    swap(values[low], values[high]);
  }
}

/* Quicksort that turns to heapsort after `depth` uneven splits; recursion only on the shorter side.
 */
void intro_sort(int64_t *values, int64_t n, int depth) {
  while (n > insertion_below) {
    if (depth-- == 0) {
      heap_sort(values, n);
      return;
    }
    int64_t left = partition(values, n) + 1;
    if (left <= n - left) {
      intro_sort(values, left, depth);
      values += left;
      n -= left;
    } else {
      intro_sort(values + left, n - left, depth);
      n = left;
    }
  }
  insertion_sort(values, n);
}

int bit_length(uint64_t value) { return value == 0 ? 0 : 64 - __builtin_clzll(value); }

int digit_for(int64_t n) { return n < long_from ? short_digit_bits : digit_bits; }

/* Least significant digit first on value - base; false when there is no scratch memory. */
bool radix_sort(int64_t *values, int64_t n, uint64_t base, int passes, int digit) {
  int64_t digits = int64_t{1} << digit;
  int64_t *scratch = static_cast<int64_t *>(malloc(static_cast<size_t>(n + digits) * 8));
  if (scratch == nullptr) return false;
  int64_t *from = values;
  int64_t *to = scratch;
  int64_t *starts = scratch + n;
  for (int pass = 0; pass < passes; pass++) {
    memset(starts, 0, static_cast<size_t>(digits) * 8);
    auto at = [&](int64_t i) {
      return ((static_cast<uint64_t>(from[i]) - base) >> (pass * digit)) &
             static_cast<uint64_t>(digits - 1);
    };
    for (int64_t i = 0; i < n; i++) starts[at(i)]++;
    int64_t start = 0;
    for (int64_t d = 0; d < digits; d++) {
      int64_t size = starts[d];
      starts[d] = start;
      start += size;
    }
    for (int64_t i = 0; i < n; i++) to[starts[at(i)]++] = from[i];
    int64_t *sorted = to;
    to = from;
    from = sorted;
  }
  if (from != values) memcpy(values, from, static_cast<size_t>(n) * 8);
  free(scratch);
  return true;
}

/* Stable: least significant digit first on key - minimum. False when there is no scratch memory. */
bool radix_sort_pairs(int64_t *keys, int64_t *values, int64_t n, uint64_t base, int bits,
                      int digit) {
  int64_t radix = int64_t{1} << digit;
  int64_t *scratch = static_cast<int64_t *>(malloc(static_cast<size_t>(2 * n + radix) * 8));
  if (scratch == nullptr) return false;
  int64_t *from[2] = {keys, values};
  int64_t *to[2] = {scratch, scratch + n};
  int64_t *starts = scratch + 2 * n;
  for (int shift = 0; shift < bits; shift += digit) {
    memset(starts, 0, static_cast<size_t>(radix) * 8);
    auto at = [&](int64_t i) {
      return ((static_cast<uint64_t>(from[0][i]) - base) >> shift) &
             static_cast<uint64_t>(radix - 1);
    };
    for (int64_t i = 0; i < n; i++) starts[at(i)]++;
    int64_t start = 0;
    for (int64_t d = 0; d < radix; d++) {
      int64_t size = starts[d];
      starts[d] = start;
      start += size;
    }
    for (int64_t i = 0; i < n; i++) {
      int64_t place = starts[at(i)]++;
      to[0][place] = from[0][i];
      to[1][place] = from[1][i];
    }
    for (int a = 0; a < 2; a++) {
      int64_t *sorted = to[a];
      to[a] = from[a];
      from[a] = sorted;
    }
  }
  if (from[0] != keys) {
    memcpy(keys, from[0], static_cast<size_t>(n) * 8);
    memcpy(values, from[1], static_cast<size_t>(n) * 8);
  }
  free(scratch);
  return true;
}

void insertion_sort_pairs(int64_t *keys, int64_t *values, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    int64_t key = keys[i];
    int64_t value = values[i];
    int64_t at = i;
    for (; at > 0 && keys[at - 1] > key; at--) {
      keys[at] = keys[at - 1];
      values[at] = values[at - 1];
    }
    keys[at] = key;
    values[at] = value;
  }
}

/* ranks[i]: how many of keys[0 .. padded) are less than keys[i]. */
void rank(const int32_t *keys, int64_t padded, int32_t *ranks) {
#if defined(__SSE2__)
  for (int64_t i = 0; i < padded; i += 4) {
    __m128i wanted[4];
    __m128i less[4];
    for (int k = 0; k < 4; k++) {
      wanted[k] = _mm_set1_epi32(keys[i + k]);
      less[k] = _mm_setzero_si128();
    }
    for (int64_t j = 0; j < padded; j += 4) {
      __m128i some = _mm_loadu_si128(reinterpret_cast<const __m128i *>(keys + j));
      for (int k = 0; k < 4; k++) {
        less[k] = _mm_sub_epi32(less[k], _mm_cmpgt_epi32(wanted[k], some));
      }
    }
    auto halves = [](__m128i a, __m128i b) {
      return _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    };
    __m128i sums = halves(halves(less[0], less[2]), halves(less[1], less[3]));
    _mm_storeu_si128(reinterpret_cast<__m128i *>(ranks + i), sums);
  }
#else
  for (int64_t i = 0; i < padded; i++) {
    ranks[i] = 0;
    for (int64_t j = 0; j < padded; j++) ranks[i] += keys[j] < keys[i];
  }
#endif
}

#if defined(__SSE2__)
#define WEFT_WIDE __attribute__((target("avx512f")))

/* The same for keys[0 .. n) alone, in groups of up to four vectors: each key is compared with all
 * of a group. */
template <int vectors>
WEFT_WIDE void rank_group(const int32_t *group, const int32_t *keys, int64_t n, int32_t *ranks) {
  const __m512i one = _mm512_set1_epi32(1);
  __m512i wanted[vectors];
  __m512i less[vectors];
  for (int v = 0; v < vectors; v++) {
    wanted[v] = _mm512_loadu_si512(group + 16 * v);
    less[v] = _mm512_setzero_si512();
  }
  for (int64_t j = 0; j < n; j++) {
    __m512i key = _mm512_set1_epi32(keys[j]);
    for (int v = 0; v < vectors; v++) {
      __mmask16 above = _mm512_cmpgt_epi32_mask(wanted[v], key);
      less[v] = _mm512_mask_add_epi32(less[v], above, less[v], one);
    }
  }
  for (int v = 0; v < vectors; v++) _mm512_storeu_si512(ranks + 16 * v, less[v]);
}

void rank_widely(const int32_t *keys, int64_t n, int32_t *ranks) {
  for (int64_t at = 0; at < n; at += 64) {
    switch (n - at > 48 ? 4 : (n - at + 15) / 16) {
      case 1: rank_group<1>(keys + at, keys, n, ranks + at); break;
      case 2: rank_group<2>(keys + at, keys, n, ranks + at); break;
      case 3: rank_group<3>(keys + at, keys, n, ranks + at); break;
      default: rank_group<4>(keys + at, keys, n, ranks + at); break;
    }
  }
}
#else
void rank_widely(const int32_t *keys, int64_t n, int32_t *ranks) { rank(keys, n, ranks); }
#endif

/* Sorts positions that are all different and less than 2^31, at most most_ranked_widely: counts the
 * smaller ones of each, because how positions compare is hard to predict. False, with nothing done,
 * if they are so close that to read their marks costs less. */
bool rank_sort(int64_t *positions, int64_t n, bool wide) {
  alignas(64) int32_t keys[most_ranked_widely];
  alignas(64) int32_t ranks[most_ranked_widely];
  int64_t padded = (n + 3) / 4 * 4;
  for (int64_t i = 0; i < n; i++) keys[i] = static_cast<int32_t>(positions[i]);
  for (int64_t i = n; i < padded; i++) keys[i] = keys[0];
  int32_t first = keys[0];
  int32_t last = keys[0];
  for (int64_t i = 0; i < padded; i++) {
    first = keys[i] < first ? keys[i] : first;
    last = keys[i] > last ? keys[i] : last;
  }
  int64_t ranked_per = wide ? ranked_per_mark_widely : ranked_per_mark;
  if ((last - first) / (n / ranked_per + marks_per_ranked) <= n) return false;
  for (int64_t i = n; i < padded; i++) keys[i] = INT32_MAX;
  if (wide) {
    rank_widely(keys, n, ranks);
  } else {
    rank(keys, padded, ranks);
  }
  for (int64_t i = 0; i < n; i++) positions[ranks[i]] = keys[i];
  return true;
}

/* Sorts different positions by a set of bits and a set of its words that are not empty; `span` is
 * less than 64 most_words. */
void bit_sort(int64_t *positions, int64_t n, int64_t first, int64_t span) {
  uint64_t words[most_words];
  uint64_t filled[most_words / 64];
  int64_t count = span / 64 + 1;
  int64_t filled_count = (count + 63) / 64;
  memset(words, 0, static_cast<size_t>(count) * 8);
  memset(filled, 0, static_cast<size_t>(filled_count) * 8);
  for (int64_t i = 0; i < n; i++) {
    uint64_t at = static_cast<uint64_t>(positions[i] - first);
    words[at / 64] |= uint64_t{1} << (at % 64);
    filled[at / 4096] |= uint64_t{1} << (at / 64 % 64);
  }
  int64_t written = 0;
  for (int64_t f = 0; f < filled_count; f++) {
    for (uint64_t some = filled[f]; some != 0; some &= some - 1) {
      int64_t word = 64 * f + __builtin_ctzll(some);
      uint64_t bits = words[word];
      do {
        positions[written++] = first + 64 * word + __builtin_ctzll(bits);
        bits &= bits - 1;
      } while (bits != 0);
    }
  }
}

/* Bit b of the result: whether marks[b] is nonzero. */
uint64_t mark_bits(const uint8_t *marks) {
  uint64_t bits = 0;
#if defined(__SSE2__)
  const __m128i zero = _mm_setzero_si128();
  for (int part = 0; part < 4; part++) {
    __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i *>(marks) + part);
    uint64_t clear = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(sixteen, zero)));
    bits |= (clear ^ 0xffff) << (16 * part);
  }
#else
  for (int b = 0; b < 64; b++) bits |= static_cast<uint64_t>(marks[b] != 0) << b;
#endif
  return bits;
}

}  // namespace

void sort_i64(int64_t *values, int64_t n) {
  if (n < 2) return;
  int64_t minimum = values[0];
  int64_t maximum = values[0];
  bool sorted = true;
  for (int64_t i = 1; i < n; i++) {
    int64_t value = values[i];
    sorted &= values[i - 1] <= value;
    minimum = value < minimum ? value : minimum;
    maximum = value > maximum ? value : maximum;
  }
  if (sorted) return;
  uint64_t base = static_cast<uint64_t>(minimum);
  int digit = digit_for(n);
  int passes = (bit_length(static_cast<uint64_t>(maximum) - base) + digit - 1) / digit;
  if (n >= radix_from && passes <= most_passes && radix_sort(values, n, base, passes, digit)) {
    return;
  }
  intro_sort(values, n, 2 * bit_length(static_cast<uint64_t>(n)));
}

int64_t sort_pairs_i64(int64_t *keys, int64_t *values, int64_t n) {
  if (n < 2) return 1;
  int64_t minimum = keys[0];
  int64_t maximum = keys[0];
  bool sorted = true;
  for (int64_t i = 1; i < n; i++) {
    sorted &= keys[i - 1] <= keys[i];
    minimum = keys[i] < minimum ? keys[i] : minimum;
    maximum = keys[i] > maximum ? keys[i] : maximum;
  }
  if (sorted) return 1;
  if (n <= pairs_insertion_below) {
    insertion_sort_pairs(keys, values, n);
    return 1;
  }
  uint64_t base = static_cast<uint64_t>(minimum);
  int bits = bit_length(static_cast<uint64_t>(maximum) - base);
  return radix_sort_pairs(keys, values, n, base, bits, digit_for(n)) ? 1 : 0;
}

int64_t rank_keys(uint32_t *keys, int64_t n, uint32_t *ranks) {
  int32_t *narrow = reinterpret_cast<int32_t *>(keys);
  int32_t *found = reinterpret_cast<int32_t *>(ranks);
  if (has_wide_vectors()) {
    rank_widely(narrow, n, found);
  } else {
    int64_t padded = (n + 3) / 4 * 4;
    for (int64_t i = n; i < padded; i++) narrow[i] = INT32_MAX;
    rank(narrow, padded, found);
  }
  /* Different keys have all ranks from 0 on; each two that are equal leave out a larger one. */
  uint32_t sum = 0;
  for (int64_t i = 0; i < n; i++) sum += ranks[i];
  return sum == static_cast<uint32_t>(n * (n - 1) / 2) ? 1 : 0;
}

void sort_marked(int64_t *positions, int64_t n, const uint8_t *marks, int64_t length) {
  int64_t ordered = 1;
  while (ordered < n && positions[ordered - 1] <= positions[ordered]) ordered++;
  if (ordered >= n) return;
  bool wide = has_wide_vectors();
  if (n < (wide ? marked_from_widely : marked_from)) {
    insertion_sort(positions, n);
    return;
  }
  bool ranked = n <= (wide ? most_ranked_widely : most_ranked) && length <= INT32_MAX;
  if (ranked && rank_sort(positions, n, wide)) return;
  int64_t first = positions[0];
  int64_t last = first;
  for (int64_t i = 1; i < n; i++) {
    first = positions[i] < first ? positions[i] : first;
    last = positions[i] > last ? positions[i] : last;
  }
  if (!ranked && (last - first) / marks_per_bit > n) {
    if (last - first < 64 * most_words) {
      bit_sort(positions, n, first, last - first);
    } else {
      sort_i64(positions, n);
    }
    return;
  }
  int64_t written = 0;
  int64_t base = first;
  for (; base + 64 <= length && written + written_ahead <= n; base += 64) {
    uint64_t bits = mark_bits(marks + base);
    int64_t count = __builtin_popcountll(bits);
    int64_t *to = positions + written;
    for (int64_t ahead = 0; ahead < written_ahead; ahead++) {
      to[ahead] = base + __builtin_ctzll(bits | uint64_t{1} << 63);
      bits &= bits - 1;
    }
    for (int64_t more = written_ahead; more < count; more++) {
      to[more] = base + __builtin_ctzll(bits);
      bits &= bits - 1;
    }
    written += count;
  }
  for (; base + 64 <= length && written < n; base += 64) {
    for (uint64_t bits = mark_bits(marks + base); bits != 0; bits &= bits - 1) {
      positions[written++] = base + __builtin_ctzll(bits);
    }
  }
  for (; written < n; base++) {
    if (marks[base] != 0) positions[written++] = base;
  }
}

}  // namespace weft
