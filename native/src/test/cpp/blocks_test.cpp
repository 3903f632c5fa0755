/* Check sums and rules of blocks against the obvious loops. */
#include "blocks.h"

#include <stdlib.h>

#include "blocks_test.h"
#include "expect.h"

namespace {

/* One bit at a time. */
uint32_t crc32c(const uint8_t *bytes, int64_t n) {
  uint32_t crc = ~uint32_t{0};
  for (int64_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78 : 0);
  }
  return ~crc;
}

using Check = void (*)(int64_t *);

int64_t sum(Check check, int64_t before, const uint8_t *bytes, int64_t n) {
  int64_t args[8] = {before, reinterpret_cast<int64_t>(bytes), n, 1, 0, 0, 0, 0};
  check(args);
  EXPECT(args[7] == -1);
  return args[0];
}

void check_sums_are_right(Check check) {
  const char *digits = "123456789";
  EXPECT(sum(check, 0, reinterpret_cast<const uint8_t *>(digits), 9) == 0xE3069283);
  constexpr int64_t most = 100000;
  uint8_t *bytes = static_cast<uint8_t *>(malloc(most));
  Random random = {7};
  for (int64_t i = 0; i < most; i++) bytes[i] = static_cast<uint8_t>(random.next());
  const int64_t sizes[] = {0,    1,    7,    8,    63,    64,    255,   256,   511,   512,   513,
                           1023, 3071, 3072, 4095, 24575, 24576, 24577, 49152, 50001, 73728, 99990};
  for (int64_t size : sizes) {
    for (int64_t shift = 0; shift < 10; shift += 3) {
      uint32_t expected = crc32c(bytes + shift, size);
      EXPECT(sum(check, 0, bytes + shift, size) == expected);
      int64_t half = size / 3;
      int64_t first = sum(check, 0, bytes + shift, half);
      EXPECT(sum(check, first, bytes + shift + half, size - half) == expected);
    }
  }
  free(bytes);
}

/* What check finds in n elements at `bytes`; the element before, or the least, is `first`. */
int64_t wrong(Check check, const void *bytes, int64_t n, int64_t width, int64_t rule, uint64_t first,
              uint64_t largest) {
  int64_t args[8] = {-1,   reinterpret_cast<int64_t>(bytes), n * width, width,
                     rule, static_cast<int64_t>(first),      static_cast<int64_t>(largest),
                     0};
  check(args);
  EXPECT(args[0] == -1);
  return args[7];
}

template <typename T>
void rules_are_kept(Check check) {
  constexpr int64_t width = sizeof(T);
  constexpr uint64_t top = static_cast<T>(~T{0});
  const int64_t counts[] = {1, 2, 15, 16, 17, 3072, 24576 / width, 24576 / width + 1, 60001};
  for (int64_t n : counts) {
    T *elements = static_cast<T *>(malloc(static_cast<size_t>(n * width)));
    const int64_t places[] = {0, n / 2, n - 1, 24576 / width - 1, 24576 / width};
    for (int64_t i = 0; i < n; i++) elements[i] = static_cast<T>(10 + i % 90);
    EXPECT(wrong(check, elements, n, width, 1, 10, 99) == -1);
    EXPECT(wrong(check, elements, n, width, 1, 0, ~uint64_t{0}) == -1);
    EXPECT(wrong(check, elements, n, width, 1, 11, 99) == 0);
    EXPECT(wrong(check, elements, n, width, 1, 12, 11) == 0);
    if (width < 8) EXPECT(wrong(check, elements, n, width, 1, top + 1, ~uint64_t{0}) == 0);
    for (int64_t place : places) {
      if (place >= n) continue;
      T right = elements[place];
      const T others[] = {T{9}, T{100}, T{0}, static_cast<T>(top)};
      for (T other : others) {
        elements[place] = other;
        EXPECT(wrong(check, elements, n, width, 1, 10, 99) == place);
        EXPECT(wrong(check, elements, n, width, 0, 10, 99) == -1);
      }
      elements[place] = right;
    }
    /* Ascending, with repetitions, up to the largest there is. */
    for (int64_t i = 0; i < n; i++) {
      elements[i] = static_cast<T>(top - static_cast<uint64_t>(n - 1 - i) * 50 / (n + 1));
    }
    EXPECT(wrong(check, elements, n, width, 2, elements[0], 0) == -1);
    EXPECT(wrong(check, elements, n, width, 2, elements[0] + uint64_t{1}, 0) ==
           (elements[0] == ~uint64_t{0} ? -1 : 0));
    for (int64_t place : places) {
      if (place >= n) continue;
      T right = elements[place];
      elements[place] = 3;
      EXPECT(wrong(check, elements, n, width, 2, 4, 0) == place);
      elements[place] = right;
    }
    free(elements);
  }
}

/* The element before is carried from call to call. */
void ascent_goes_on(Check check) {
  uint16_t elements[] = {1, 5, 5, 9, 8, 8};
  int64_t args[8] = {-1, reinterpret_cast<int64_t>(elements), 6, 2, 2, 0, 0, 0};
  check(args);
  EXPECT(args[7] == -1 && args[5] == 5);
  args[1] += 6;
  args[2] = 2;
  check(args);
  EXPECT(args[7] == -1 && args[5] == 9);
  args[1] += 2;
  args[2] = 4;
  check(args);
  EXPECT(args[7] == 0);
}

}  // namespace

void test_blocks() {
  const Check checks[] = {weft::check_block, weft::check_block_portably};
  for (Check check : checks) {
    check_sums_are_right(check);
    rules_are_kept<uint8_t>(check);
    rules_are_kept<uint16_t>(check);
    rules_are_kept<uint32_t>(check);
    rules_are_kept<uint64_t>(check);
    ascent_goes_on(check);
  }
}
