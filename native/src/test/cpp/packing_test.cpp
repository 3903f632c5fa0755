#include "packing_test.h"

#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "packing.h"

namespace {

constexpr int header = 14;

int64_t address(const void *pointer) { return reinterpret_cast<int64_t>(pointer); }

/* Records whose values are their numbers, in blocks of whole lines, and other blocks. */
struct Records {
  int64_t n;
  int words;
  uint64_t *keys;
  uint64_t *values;
  uint64_t *other_keys;
  uint64_t *other_values;

  Records(int64_t count, int key_words) : n(count), words(key_words) {
    keys = make(words);
    values = make(1);
    other_keys = make(words);
    other_values = make(1);
  }
  ~Records() {
    free(keys);
    free(values);
    free(other_keys);
    free(other_values);
  }
  uint64_t *make(int each) const {
    size_t bytes = static_cast<size_t>(n * each) * 8;
    return static_cast<uint64_t *>(aligned_alloc(64, (bytes / 64 + 1) * 64));
  }
  uint64_t *at(int64_t i) const { return keys + i * words; }
  void describe(int64_t *args, int step, int64_t threads, int64_t listed) const {
    args[1] = step;
    args[2] = n;
    args[3] = words;
    args[4] = address(keys);
    args[5] = address(other_keys);
    args[6] = threads;
    args[7] = listed;
    args[12] = address(values);
    args[13] = address(other_values);
  }
  void exchange() {
    uint64_t *kept = keys;
    keys = other_keys;
    other_keys = kept;
    kept = values;
    values = other_values;
    other_values = kept;
  }
  void fill(Random &random, uint64_t mask) {
    for (int64_t i = 0; i < n; i++) {
      /* Small numbers are frequent. */
      for (int w = 0; w < words; w++) at(i)[w] = (random.next() & mask) >> (random.next() & 7);
      values[i] = static_cast<uint64_t>(i);
    }
  }
};

struct Bits {
  int64_t word, shift, bits;
};

uint64_t of(const Bits &piece, const uint64_t *key) {
  uint64_t all = key[piece.word] >> piece.shift;
  return piece.bits == 64 ? all : all & ((uint64_t{1} << piece.bits) - 1);
}

int compare(const Bits *pieces, int64_t count, const uint64_t *a, const uint64_t *b) {
  for (int64_t p = 0; p < count; p++) {
    if (of(pieces[p], a) != of(pieces[p], b)) return of(pieces[p], a) < of(pieces[p], b) ? -1 : 1;
  }
  return 0;
}

/* keeps_values: whether those that are sorted must stay as they are. */
void check_sort(int64_t n, int words, const Bits *pieces, int64_t count, uint64_t mask,
                int64_t threads, Random &random, bool keeps_values = false) {
  Records records(n, words);
  records.fill(random, mask);
  int64_t args[64] = {};
  records.describe(args, weft::SORT, threads, count);
  memcpy(args + header, pieces, static_cast<size_t>(count) * sizeof(Bits));
  args[9] = keeps_values;
  uint64_t *before = records.make(words);
  memcpy(before, records.keys, static_cast<size_t>(n * words) * 8);
  process()->pack(args);
  EXPECT(args[0] == WEFT_OK);
  for (int64_t i = 0; i < n && keeps_values; i++) {
    EXPECT(records.values[i] == static_cast<uint64_t>(i));
  }
  if (args[8]) records.exchange();
  for (int64_t i = 0; i < n; i++) {
    uint64_t number = records.values[i];
    EXPECT(number < static_cast<uint64_t>(n));
    uint64_t *was = before + static_cast<int64_t>(number) * words;
    EXPECT(memcmp(was, records.at(i), static_cast<size_t>(words) * 8) == 0);
    if (i == 0) continue;
    int order = compare(pieces, count, records.at(i - 1), records.at(i));
    EXPECT(order < 0 || (order == 0 && records.values[i - 1] < number));
  }
  free(before);
  records.describe(args, weft::ORDER, threads, count);
  process()->pack(args);
  EXPECT(args[8] == 1);
  if (n < 3 || count == 0) return;
  uint64_t most = pieces[0].bits == 64 ? ~uint64_t{0} : (uint64_t{1} << pieces[0].bits) - 1;
  records.at(n / 2 - 1)[pieces[0].word] |= most << pieces[0].shift;
  records.at(n / 2)[pieces[0].word] &= ~(most << pieces[0].shift);
  process()->pack(args);
  EXPECT(args[8] == 0);
}

void records_sort() {
  Random random{3};
  const Bits all[] = {{0, 0, 43}};
  const Bits mixed[] = {{0, 20, 7}, {0, 3, 9}, {0, 29, 14}};
  const Bits one[] = {{0, 29, 14}};
  const Bits words[] = {{1, 5, 20}, {0, 0, 64}, {2, 1, 3}};
  const int64_t lengths[] = {0, 1, 2, 20, 3000, 70000};
  const uint64_t mask = (uint64_t{1} << 43) - 1;
  for (int64_t n : lengths) {
    for (int64_t threads = 1; threads <= 4; threads += 3) {
      check_sort(n, 1, all, 1, mask, threads, random);
      check_sort(n, 1, mixed, 3, mask, threads, random);
      check_sort(n, 1, one, 1, mask, threads, random);
      check_sort(n, 1, all, 0, mask, threads, random);
      check_sort(n, 3, words, 3, ~uint64_t{0}, threads, random);
    }
  }
  /* Large ranges, also with heavy parts and the same leading bits. */
  check_sort(700000, 1, mixed, 3, mask, 4, random);
  check_sort(700000, 1, all, 1, mask >> 25, 3, random);
  check_sort(700001, 1, one, 1, mask, 1, random);
  check_sort(600000, 2, words, 2, uint64_t{0xfff}, 4, random);
  /* The same where values go to a form. */
  check_sort(700000, 1, mixed, 3, mask, 4, random, true);
  check_sort(700000, 1, all, 1, mask >> 25, 3, random, true);
  check_sort(1700000, 1, all, 1, mask >> 36, 3, random, true);
  check_sort(700001, 1, one, 1, mask, 1, random, true);
  check_sort(600000, 2, words, 2, uint64_t{0xfff}, 4, random, true);
  check_sort(600000, 1, all, 0, mask, 4, random, true);
}

void duplicates_merge() {
  Random random{4};
  const int64_t lengths[] = {0, 1, 5, 200000};
  for (int64_t n : lengths) {
    for (int exact = 0; exact <= 1; exact++) {
      Records records(n, 1);
      uint64_t key = 0;
      int64_t different = 0;
      double sum = 0;
      for (int64_t i = 0; i < n; i++) {
        bool next = i == 0 || random.next() % 3 > 0;
        key += next;
        different += next;
        double value = static_cast<double>(i);
        sum += value;
        records.at(i)[0] = key;
        if (exact) records.values[i] = static_cast<uint64_t>(i);
        else memcpy(records.values + i, &value, 8);
      }
      int64_t args[header] = {};
      records.describe(args, weft::MERGE, 3, 0);
      args[8] = exact;
      process()->pack(args);
      EXPECT(args[9] == different);
      EXPECT((args[10] != 0) == (different < n));
      if (args[10]) records.exchange();
      double all = 0;
      for (int64_t i = 0; i < different; i++) {
        EXPECT(records.at(i)[0] == static_cast<uint64_t>(i + 1));
        double value;
        memcpy(&value, records.values + i, 8);
        all += exact ? static_cast<double>(records.values[i]) : value;
      }
      EXPECT(all == sum);
    }
  }
}

/* Entries from `from` on as columns; the arrays are those of the next test. */
void check_unpacked(const Records &records, int64_t from, int64_t count, int64_t rows,
                    const uint32_t *pos, const uint16_t *crd, const int32_t *values) {
  int32_t *row = static_cast<int32_t *>(malloc(static_cast<size_t>(count) * 4));
  int64_t *column = static_cast<int64_t *>(malloc(static_cast<size_t>(count) * 8));
  double *value = static_cast<double *>(malloc(static_cast<size_t>(count) * 8));
  int64_t args[header + 18] = {};
  args[1] = weft::UNPACK;
  args[2] = count;
  args[5] = address(values);
  args[7] = 2;
  args[8] = address(value);
  args[9] = 2;
  args[11] = from;
  const int64_t levels[] = {weft::DENSE, rows, rows, 0, 0, 0, 0, address(row), 4,
                            weft::COMPRESSED, 0, records.n, address(pos), 4, address(crd), 2,
                            address(column), 8};
  memcpy(args + header, levels, sizeof levels);
  process()->pack(args);
  EXPECT(args[0] == WEFT_OK);
  for (int64_t i = 0; i < count; i++) {
    uint64_t key = static_cast<uint64_t>(row[i]) << 16 | static_cast<uint64_t>(column[i]);
    EXPECT(records.at(from + i)[0] == key);
    EXPECT(value[i] == static_cast<double>(from + i));
  }
  free(row);
  free(column);
  free(value);
}

/* Compressed below dense, of a matrix of 16-bit rows and columns. */
void levels_are_built() {
  constexpr int64_t n = 150000;
  constexpr int64_t rows = 40000;
  Random random{5};
  Records records(n, 1);
  uint64_t key = 0;
  for (int64_t i = 0; i < n; i++) {
    key += 1 + random.next() % 15000;
    records.at(i)[0] = key;
    records.values[i] = static_cast<uint64_t>(i);
  }
  EXPECT(key >> 16 < rows);
  uint32_t *pos = static_cast<uint32_t *>(malloc((rows + 1) * 4));
  uint16_t *crd = static_cast<uint16_t *>(malloc(n * 2));
  int32_t *values = static_cast<int32_t *>(malloc(n * 4));
  int64_t chunks[2 * 3];
  int64_t args[header + 26] = {};
  records.describe(args, weft::COUNT, 4, 2);
  args[5] = address(chunks);
  const int64_t levels[] = {weft::DENSE,      0, rows,  0, 16, 16, 1, 0, 0, 0, 0, 0, 0,
                            weft::COMPRESSED, 1, 65536, 0, 0,  16, 1, 0, 0, 0, 0, 0, 0};
  memcpy(args + header, levels, sizeof levels);
  process()->pack(args);
  EXPECT(args[header + 13 + 8] == n);
  const int64_t arrays[] = {n, address(pos), 4, address(crd), 2};
  memcpy(args + header + 13 + 8, arrays, sizeof arrays);
  args[header + 8] = rows;
  args[1] = weft::BUILD;
  args[8] = address(values);
  args[9] = 2;
  args[10] = 1;
  process()->pack(args);
  EXPECT(pos[0] == 0 && pos[rows] == n);
  for (int64_t row = 0; row < rows; row++) {
    for (int64_t p = pos[row]; p < pos[row + 1]; p++) {
      EXPECT(records.at(p)[0] == (static_cast<uint64_t>(row) << 16 | crd[p]));
      EXPECT(values[p] == p);
    }
  }
  for (int64_t from = 0; from < n; from += 50001) {
    check_unpacked(records, from, n - from < 777 ? n - from : 777, rows, pos, crd, values);
  }
  free(pos);
  free(crd);
  free(values);
}

void coordinates_are_checked() {
  const int32_t first[] = {7, 9, 8};
  const int64_t second[] = {0, 4, 2};
  const double values[] = {1, 2, 3};
  Records records(3, 1);
  int64_t args[header + 16] = {};
  records.describe(args, weft::LOAD, 1, 2);
  args[8] = address(values);
  const int64_t columns[] = {address(first),  4, 7, 3, 0, 3, 0, 0,
                             address(second), 8, 0, 5, 0, 0, 3, 2};
  memcpy(args + header, columns, sizeof columns);
  process()->pack(args);
  EXPECT(args[0] == WEFT_OK);
  EXPECT(records.at(0)[0] == 0);
  EXPECT(records.at(1)[0] == (2 << 3 | 1 << 2 | 1)); /* 4 = 1 * 3 + 1 */
  EXPECT(records.at(2)[0] == (1 << 3 | 2));
  args[header + 3] = 2;
  process()->pack(args);
  EXPECT(args[0] == WEFT_BOUNDS);
  args[header + 3] = 3;
  args[header + 2] = 8;
  process()->pack(args);
  EXPECT(args[0] == WEFT_BOUNDS);
}

}  // namespace

void test_packing() {
  coordinates_are_checked();
  records_sort();
  duplicates_merge();
  levels_are_built();
}
