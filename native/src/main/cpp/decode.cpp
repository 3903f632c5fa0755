#include "decode.h"

#include <emmintrin.h>
#include <string.h>

namespace weft {
namespace {

constexpr int64_t group = 256;
constexpr int widest_difference = 56;
constexpr int64_t most_entries = 4096;
constexpr int widest_number = 12;

template <typename T>
T loaded(const char *at) {
  T element;
  memcpy(&element, at, sizeof element);
  return element;
}

/* Bytes that n numbers of `width` bits take. */
int64_t packed_bytes(int64_t n, int width) { return (n * width + 7) >> 3; }

/* Calls use(i, number) for each of n numbers of at most 56 bits; reads up to 8 bytes behind them. */
template <typename F>
void each_number(const char *packed, int64_t n, int width, F use) {
  uint64_t mask = (uint64_t{1} << width) - 1;
  uint64_t bit = 0;
  for (int64_t i = 0; i < n; i++) {
    use(i, loaded<uint64_t>(packed + (bit >> 3)) >> (bit & 7) & mask);
    bit += static_cast<uint64_t>(width);
  }
}

/* The type of the bases of a group of elements, and of sums. */
template <typename T>
struct Word {
  using type = uint32_t;
};
template <>
struct Word<uint64_t> {
  using type = uint64_t;
};

template <typename T>
Decoded decode_differences(const char *at, int64_t bytes, T *elements, int64_t count) {
  using W = typename Word<T>::type;
  constexpr int64_t word = sizeof(W);
  const char *end = at + bytes;
  for (int64_t from = 0; from < count; from += group) {
    int64_t n = group < count - from ? group : count - from;
    if (end - at < 2 + word) return NO_SUCH_BLOCK;
    int width = static_cast<unsigned char>(at[0]);
    int kind = static_cast<unsigned char>(at[1]);
    if (width > widest_difference || kind > 1) return NO_SUCH_BLOCK;
    int64_t head = 2 + (1 + kind) * word;
    int64_t packed = packed_bytes(n, width);
    if (end - at < head + packed) return NO_SUCH_BLOCK;
    W base = loaded<W>(at + 2);
    T *out = elements + from;
    if (kind == 0) {
      each_number(at + head, n, width, [&](int64_t i, uint64_t d) {
        out[i] = static_cast<T>(base + static_cast<W>(d));
      });
    } else {
      W step = loaded<W>(at + 2 + word);
      W last = base;
      each_number(at + head, n, width, [&](int64_t i, uint64_t d) {
        last += step + static_cast<W>(d);
        out[i] = static_cast<T>(last);
      });
    }
    at += head + packed;
  }
  return at == end ? DECODED : NO_SUCH_BLOCK;
}

template <typename T>
Decoded look_up(const char *at, int64_t bytes, T *elements, int64_t count) {
  constexpr int64_t element = sizeof(T);
  if (bytes < 5) return NO_SUCH_BLOCK;
  int64_t entries = loaded<uint32_t>(at);
  if (entries < 1 || entries > most_entries || bytes < 5 + entries * element) return NO_SUCH_BLOCK;
  T table[most_entries];
  memcpy(table, at + 4, static_cast<size_t>(entries * element));
  const char *packed = at + 4 + entries * element;
  int width = static_cast<unsigned char>(*packed++);
  if (width > widest_number) return NO_SUCH_BLOCK;
  if (packed - at + packed_bytes(count, width) != bytes) return NO_SUCH_BLOCK;
  for (int64_t i = entries; i < int64_t{1} << width; i++) table[i] = table[0];
  each_number(packed, count, width, [&](int64_t i, uint64_t number) { elements[i] = table[number]; });
  return DECODED;
}

/* Seen as one run of bytes, the registers are halved and the halves interleaved, until the bits of the
 * plane have moved below those of the element. */
template <int W>
void interleave(const char *planes, char *out, int64_t count) {
  constexpr int64_t lanes = 16;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    __m128i from[W];
    for (int b = 0; b < W; b++) {
      from[b] = _mm_loadu_si128(reinterpret_cast<const __m128i *>(planes + b * count + i));
    }
    for (int step = 1; step < W; step *= 2) {
      __m128i to[W];
      for (int b = 0; b < W / 2; b++) {
        to[2 * b] = _mm_unpacklo_epi8(from[b], from[b + W / 2]);
        to[2 * b + 1] = _mm_unpackhi_epi8(from[b], from[b + W / 2]);
      }
      memcpy(from, to, sizeof from);
    }
    memcpy(out + i * W, from, sizeof from);
  }
  for (; i < count; i++) {
    for (int b = 0; b < W; b++) out[i * W + b] = planes[b * count + i];
  }
}

Decoded join_planes(const char *planes, int64_t width, char *out, int64_t count) {
  switch (width) {
    case 1: memcpy(out, planes, static_cast<size_t>(count)); break;
    case 2: interleave<2>(planes, out, count); break;
    case 4: interleave<4>(planes, out, count); break;
    default: interleave<8>(planes, out, count); break;
  }
  return DECODED;
}

/* F is signed if elements of the block are. */
template <typename F, typename T>
Decoded widen(const char *from, T *to, int64_t count, int64_t largest) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < count; i++) {
    F element = loaded<F>(from + i * static_cast<int64_t>(sizeof(F)));
    bits |= static_cast<uint64_t>(element);
    to[i] = static_cast<T>(element);
  }
  bool all = largest < 0 || bits <= static_cast<uint64_t>(largest);
  return all ? DECODED : TOO_LARGE;
}

template <typename T>
Decoded widen(const char *from, int64_t width, bool is_signed, T *to, int64_t count,
              int64_t largest) {
  switch (width) {
    case 1: return widen<uint8_t>(from, to, count, largest);
    case 2: return widen<uint16_t>(from, to, count, largest);
    case 4:
      return is_signed ? widen<int32_t>(from, to, count, largest)
                       : widen<uint32_t>(from, to, count, largest);
    default: return widen<uint64_t>(from, to, count, largest);
  }
}

/* Calls f with the address as one of elements of `width` bytes. */
template <typename F>
Decoded with_elements(int64_t address, int64_t width, F f) {
  switch (width) {
    case 1: return f(reinterpret_cast<uint8_t *>(address));
    case 2: return f(reinterpret_cast<uint16_t *>(address));
    case 4: return f(reinterpret_cast<uint32_t *>(address));
    default: return f(reinterpret_cast<uint64_t *>(address));
  }
}

Decoded decode(const int64_t *args) {
  const char *block = reinterpret_cast<const char *>(args[2]);
  int64_t bytes = args[3];
  int64_t width = args[4];
  int64_t count = args[6];
  switch (args[1]) {
    case DIFFERENCE:
      return with_elements(args[5], width, [&](auto *elements) {
        return decode_differences(block, bytes, elements, count);
      });
    case DICTIONARY:
      return width == 8 ? look_up(block, bytes, reinterpret_cast<uint64_t *>(args[5]), count)
                        : look_up(block, bytes, reinterpret_cast<uint32_t *>(args[5]), count);
    case PLANES:
      if (bytes != count * width) return NO_SUCH_BLOCK;
      return join_planes(block, width, reinterpret_cast<char *>(args[5]), count);
    default:
      if (bytes != count * width) return NO_SUCH_BLOCK;
      return with_elements(args[5], args[8], [&](auto *elements) {
        return widen(block, width, args[7] != 0, elements, count, args[9]);
      });
  }
}

}  // namespace

void decode_block(int64_t *args) { args[0] = decode(args); }

}  // namespace weft
