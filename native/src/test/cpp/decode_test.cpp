/* Blocks as their specification says, one bit at a time; and blocks that are none. */
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#include "decode_test.h"
#include "expect.h"

namespace {

constexpr int64_t slack = 8;
constexpr uint8_t untouched = 0xA5;

/* Bytes of a block that is written front to back. */
struct Block {
  uint8_t bytes[1 << 16] = {};
  int64_t size = 0;

  void number(uint64_t value, int64_t width) {
    for (int64_t b = 0; b < width; b++) bytes[size++] = static_cast<uint8_t>(value >> (8 * b));
  }
  void packed(const uint64_t *numbers, int64_t n, int width) {
    for (int64_t bit = 0; bit < n * width; bit++) {
      uint64_t set = numbers[bit / width] >> (bit % width) & 1;
      bytes[size + bit / 8] = static_cast<uint8_t>(bytes[size + bit / 8] | set << (bit % 8));
    }
    size += (n * width + 7) / 8;
  }
};

/* The block in memory of its own that ends where it may be read, and elements in theirs, so that a
 * sanitizer sees what is not theirs. */
template <typename T>
struct Decoding {
  T *elements;
  int64_t count;
  int64_t status;

  Decoding(int64_t coding, const uint8_t *bytes, int64_t size, int64_t n) : count(n) {
    uint8_t *block = static_cast<uint8_t *>(malloc(static_cast<size_t>(size + slack)));
    memcpy(block, bytes, static_cast<size_t>(size));
    memset(block + size, 0xFF, slack);
    int64_t room = n * static_cast<int64_t>(sizeof(T));
    elements = static_cast<T *>(malloc(static_cast<size_t>(room + 1)));
    memset(elements, untouched, static_cast<size_t>(room + 1));
    int64_t args[10] = {-1, coding, reinterpret_cast<int64_t>(block), size, sizeof(T),
                        reinterpret_cast<int64_t>(elements), n, 0, 0, 0};
    process()->decode_block(args);
    status = args[0];
    EXPECT(reinterpret_cast<uint8_t *>(elements)[room] == untouched);
    free(block);
  }
  ~Decoding() { free(elements); }
  Decoding(const Decoding &) = delete;
  Decoding &operator=(const Decoding &) = delete;
};

template <typename T>
int64_t status(int64_t coding, const Block &block, int64_t size, int64_t count) {
  return Decoding<T>(coding, block.bytes, size, count).status;
}

/* A block is that of its count and its bytes and of no others. */
template <typename T>
void others_are_refused(int64_t coding, const Block &block, int64_t count) {
  int64_t step = block.size < 300 ? 1 : block.size / 61;
  for (int64_t size = 0; size < block.size; size += step) {
    EXPECT(status<T>(coding, block, size, count) == weft::NO_SUCH_BLOCK);
  }
  EXPECT(status<T>(coding, block, block.size - 1, count) == weft::NO_SUCH_BLOCK);
  EXPECT(status<T>(coding, block, block.size + 1, count) == weft::NO_SUCH_BLOCK);
}

template <typename T>
void differences_are_added(Random &random) {
  constexpr int64_t word = sizeof(T) == 8 ? 8 : 4;
  const int64_t counts[] = {1, 2, 8, 255, 256, 257, 700};
  Block *block = static_cast<Block *>(malloc(sizeof(Block)));
  for (int64_t count : counts) {
    for (int width = 0; width <= 64; width++) {
      T expected[700];
      *block = {};
      for (int64_t from = 0; from < count; from += 256) {
        int64_t n = count - from < 256 ? count - from : 256;
        uint64_t numbers[256];
        for (int64_t i = 0; i < n; i++) numbers[i] = width == 0 ? 0 : random.next() >> (64 - width);
        uint64_t kind = random.next() % 2;
        uint64_t base = random.next();
        uint64_t step = random.next();
        block->number(static_cast<uint64_t>(width), 1);
        block->number(kind, 1);
        block->number(base, word);
        if (kind == 1) block->number(step, word);
        block->packed(numbers, n, width);
        uint64_t last = base;
        for (int64_t i = 0; i < n; i++) {
          last = kind == 1 ? last + step + numbers[i] : base + numbers[i];
          expected[from + i] = static_cast<T>(last);
        }
      }
      Decoding<T> decoded(weft::DIFFERENCE, block->bytes, block->size, count);
      if (width > 56) {
        EXPECT(decoded.status == weft::NO_SUCH_BLOCK);
        continue;
      }
      EXPECT(decoded.status == weft::DECODED);
      EXPECT(memcmp(decoded.elements, expected, static_cast<size_t>(count) * sizeof(T)) == 0);
      others_are_refused<T>(weft::DIFFERENCE, *block, count);
      if (count % 256 != 0 && width >= 8) {
        EXPECT(status<T>(weft::DIFFERENCE, *block, block->size, count - 1) == weft::NO_SUCH_BLOCK);
      }
      EXPECT(status<T>(weft::DIFFERENCE, *block, block->size, count + 600) == weft::NO_SUCH_BLOCK);
      EXPECT(status<T>(weft::DIFFERENCE, *block, block->size, 0) == weft::NO_SUCH_BLOCK);
      for (int wrong = 2; wrong < 256; wrong += 23) {
        block->bytes[1] = static_cast<uint8_t>(wrong);
        EXPECT(status<T>(weft::DIFFERENCE, *block, block->size, count) == weft::NO_SUCH_BLOCK);
      }
      block->bytes[1] = 0;
      for (int wrong = 57; wrong < 256; wrong++) {
        block->bytes[0] = static_cast<uint8_t>(wrong);
        EXPECT(status<T>(weft::DIFFERENCE, *block, block->size, count) == weft::NO_SUCH_BLOCK);
      }
    }
  }
  free(block);
}

template <typename T>
void dictionaries_are_looked_up(Random &random) {
  constexpr int64_t element = sizeof(T);
  const uint64_t sizes[] = {1, 2, 3, 200, 4095, 4096};
  Block *block = static_cast<Block *>(malloc(sizeof(Block)));
  T *like = static_cast<T *>(malloc(4096 * element));
  for (uint64_t entries : sizes) {
    for (int width = 0; width <= 20; width++) {
      constexpr int64_t count = 333;
      *block = {};
      block->number(entries, 4);
      for (uint64_t e = 0; e < entries; e++) {
        like[e] = static_cast<T>(random.next());
        block->number(like[e], element);
      }
      block->number(static_cast<uint64_t>(width), 1);
      uint64_t numbers[count];
      for (uint64_t &number : numbers) number = width == 0 ? 0 : random.next() >> (64 - width);
      block->packed(numbers, count, width);
      Decoding<T> decoded(weft::DICTIONARY, block->bytes, block->size, count);
      EXPECT(decoded.status == (width > 12 ? weft::NO_SUCH_BLOCK : weft::DECODED));
      if (width > 12) continue;
      for (int64_t i = 0; i < count; i++) {
        EXPECT(decoded.elements[i] == like[numbers[i] < entries ? numbers[i] : 0]);
      }
      others_are_refused<T>(weft::DICTIONARY, *block, count);
      const uint64_t lies[] = {0, entries + 1, 4097, 0x80000000, 0xFFFFFFFF};
      for (uint64_t lie : lies) {
        int64_t size = block->size;
        block->size = 0;
        block->number(lie, 4);
        block->size = size;
        Decoding<T> wrong(weft::DICTIONARY, block->bytes, size, count);
        /* One entry more may be what the bytes say by chance: then the block is as long. */
        if (lie != entries + 1) EXPECT(wrong.status == weft::NO_SUCH_BLOCK);
      }
    }
  }
  free(like);
  free(block);
}

/* Any bytes and any counts: whatever comes of them, only the elements are written. */
template <typename T>
void noise_is_harmless(Random &random) {
  for (int round = 0; round < 4000; round++) {
    uint8_t bytes[600];
    for (uint8_t &byte : bytes) byte = static_cast<uint8_t>(random.next());
    bytes[0] = static_cast<uint8_t>(random.next() % 66);
    bytes[1] = static_cast<uint8_t>(random.next() % 3);
    if (random.next() % 2 == 0) bytes[2] = bytes[3] = 0;
    int64_t size = static_cast<int64_t>(random.next() % sizeof bytes);
    int64_t count = static_cast<int64_t>(random.next() % 900);
    int64_t differences = Decoding<T>(weft::DIFFERENCE, bytes, size, count).status;
    EXPECT(differences == weft::DECODED || differences == weft::NO_SUCH_BLOCK);
    if (sizeof(T) < 4) continue;
    int64_t numbers = Decoding<T>(weft::DICTIONARY, bytes, size, count).status;
    EXPECT(numbers == weft::DECODED || numbers == weft::NO_SUCH_BLOCK);
  }
}

template <typename T>
void planes_are_joined(Random &random) {
  for (int64_t count = 0; count < 70; count++) {
    uint8_t planes[70 * sizeof(T)];
    int64_t size = count * static_cast<int64_t>(sizeof(T));
    for (uint8_t &byte : planes) byte = static_cast<uint8_t>(random.next());
    Decoding<T> joined(weft::PLANES, planes, size, count);
    EXPECT(joined.status == weft::DECODED);
    for (int64_t i = 0; i < count; i++) {
      uint64_t expected = 0;
      for (int64_t b = 0; b < static_cast<int64_t>(sizeof(T)); b++) {
        expected |= uint64_t{planes[b * count + i]} << (8 * b);
      }
      EXPECT(joined.elements[i] == expected);
    }
    EXPECT(Decoding<T>(weft::PLANES, planes, size, count + 1).status == weft::NO_SUCH_BLOCK);
  }
}

/* What comes of one number of type F as one of type T. */
template <typename F, typename T>
void expect_widened(F number, bool is_signed, int64_t largest, int64_t status) {
  F from[3] = {1, number, 2};
  T to[3];
  int64_t args[10] = {-1, weft::WIDEN, reinterpret_cast<int64_t>(from), sizeof from, sizeof(F),
                      reinterpret_cast<int64_t>(to), 3, is_signed, sizeof(T), largest};
  process()->decode_block(args);
  EXPECT(args[0] == status);
  EXPECT(to[0] == 1 && to[2] == 2 && to[1] == static_cast<T>(number));
}

void numbers_are_widened() {
  expect_widened<uint8_t, uint64_t>(255, false, INT64_MAX, weft::DECODED);
  expect_widened<uint16_t, uint32_t>(65535, false, 0xFFFFFFFF, weft::DECODED);
  expect_widened<uint32_t, uint64_t>(0xFFFFFFFF, false, INT64_MAX, weft::DECODED);
  expect_widened<uint32_t, uint16_t>(65535, false, 65535, weft::DECODED);
  expect_widened<uint32_t, uint16_t>(65536, false, 65535, weft::TOO_LARGE);
  expect_widened<uint64_t, uint8_t>(255, true, 255, weft::DECODED);
  expect_widened<uint64_t, uint8_t>(256, true, 255, weft::TOO_LARGE);
  expect_widened<uint64_t, uint32_t>(~uint64_t{0}, true, 0xFFFFFFFF, weft::TOO_LARGE);
  expect_widened<int32_t, uint64_t>(-1, true, INT64_MAX, weft::TOO_LARGE);
  expect_widened<int32_t, uint64_t>(INT32_MAX, true, INT64_MAX, weft::DECODED);
  expect_widened<uint32_t, uint32_t>(0xFFFFFFFF, false, -1, weft::DECODED);
}

}  // namespace

void test_decoding() {
  Random random = {11};
  differences_are_added<uint8_t>(random);
  differences_are_added<uint16_t>(random);
  differences_are_added<uint32_t>(random);
  differences_are_added<uint64_t>(random);
  dictionaries_are_looked_up<uint32_t>(random);
  dictionaries_are_looked_up<uint64_t>(random);
  noise_is_harmless<uint8_t>(random);
  noise_is_harmless<uint32_t>(random);
  noise_is_harmless<uint64_t>(random);
  planes_are_joined<uint8_t>(random);
  planes_are_joined<uint16_t>(random);
  planes_are_joined<uint32_t>(random);
  planes_are_joined<uint64_t>(random);
  numbers_are_widened();
}
