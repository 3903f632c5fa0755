#include "entries.h"

#include <string.h>

#include "memory.h"
#include "weft_runtime.h"

namespace weft {
namespace {

constexpr int most_digit_bits = 11;
/* Fewer records do not pay for the counters of a wide digit. */
constexpr int64_t wide_digits_from = 4096;
constexpr int narrow_digit_bits = 8;
constexpr int64_t insertion_below = 24;
/* With a copy of as many, these fill half of a megabyte. */
constexpr int64_t cached_records = 16384;
/* More streams than 2^10 at once are slower than another pass. */
constexpr int most_dividing_bits = 10;
constexpr int64_t block = 2048;

struct Column {
  char *data;
  int64_t bytes;
  int bits;
};

struct Entries {
  int64_t count;
  int64_t columns;
  int64_t keys;
  char *values;
  int64_t value_bytes;
  const int64_t *args;

  Column column(int64_t c) const {
    const int64_t *at = args + 6 + 3 * c;
    return {reinterpret_cast<char *>(at[0]), at[1], static_cast<int>(at[2])};
  }
};

/* An entry whose coordinates fit one word. */
struct Record {
  uint64_t key;
  uint64_t value;
};

/* What the radix sort of a permutation moves: the digit source and where the entry was. */
struct Place {
  uint64_t key;
  int64_t entry;
};

template <typename T>
const T *elements(const char *data) {
  return reinterpret_cast<const T *>(data);
}

template <typename T>
T *elements(char *data) {
  return reinterpret_cast<T *>(data);
}

/* Calls f with a pointer of the element type of `bytes` bytes. */
template <typename F>
void typed(char *data, int64_t bytes, F f) {
  switch (bytes) {
    case 1: f(elements<uint8_t>(data)); break;
    case 2: f(elements<uint16_t>(data)); break;
    case 4: f(elements<uint32_t>(data)); break;
    default: f(elements<uint64_t>(data)); break;
  }
}

/* `value` as an element of `data`, in which it fits. */
template <typename T>
T narrow(const T *, uint64_t value) {
  return static_cast<T>(value);
}

/* Stable, by bits [low, high) of the key, from `from` to whichever buffer it ends in. Digits in
 * which all keys agree are passed over. */
template <typename T>
T *radix_sort(T *from, T *to, int64_t n, int low, int high) {
  int most = n < wide_digits_from ? narrow_digit_bits : most_digit_bits;
  int passes = (high - low + most - 1) / most;
  int width = passes == 0 ? 1 : (high - low + passes - 1) / passes;
  uint64_t mask = (uint64_t{1} << width) - 1;
  int64_t starts[int64_t{1} << most_digit_bits];
  for (int shift = low; shift < high; shift += width) {
    uint64_t digit_mask = shift + width > high ? (uint64_t{1} << (high - shift)) - 1 : mask;
    memset(starts, 0, sizeof(int64_t) << width);
    for (int64_t i = 0; i < n; i++) starts[(from[i].key >> shift) & digit_mask]++;
    if (starts[(from[0].key >> shift) & digit_mask] == n) continue;
    int64_t start = 0;
    for (uint64_t digit = 0; digit <= digit_mask; digit++) {
      int64_t size = starts[digit];
      starts[digit] = start;
      start += size;
    }
    for (int64_t i = 0; i < n; i++) to[starts[(from[i].key >> shift) & digit_mask]++] = from[i];
    T *sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

/* Whether the entries are in the order of their first `keys` columns. */
bool in_order(const Entries &entries) {
  unsigned char decided[block];
  for (int64_t begin = 1; begin < entries.count; begin += block) {
    int64_t end = begin + block < entries.count ? begin + block : entries.count;
    memset(decided, 0, sizeof decided);
    bool wrong = false;
    for (int64_t c = 0; c < entries.keys; c++) {
      Column column = entries.column(c);
      typed(column.data, column.bytes, [&](auto *data) {
        for (int64_t i = begin; i < end; i++) {
          unsigned char &known = decided[i - begin];
          wrong |= !known && data[i] < data[i - 1];
          known |= data[i] > data[i - 1];
        }
      });
      if (wrong) return false;
    }
  }
  return true;
}

void pack(const Entries &entries, Record *records) {
  for (int64_t begin = 0; begin < entries.count; begin += block) {
    int64_t end = begin + block < entries.count ? begin + block : entries.count;
    for (int64_t i = begin; i < end; i++) records[i].key = 0;
    for (int64_t c = 0; c < entries.columns; c++) {
      Column column = entries.column(c);
      typed(column.data, column.bytes, [&](auto *data) {
        for (int64_t i = begin; i < end; i++) {
          records[i].key = records[i].key << column.bits | static_cast<uint64_t>(data[i]);
        }
      });
    }
    typed(entries.values, entries.value_bytes, [&](auto *data) {
      for (int64_t i = begin; i < end; i++) records[i].value = data[i];
    });
  }
}

/* Stores `count` records as the entries from `first` on. */
void unpack(const Entries &entries, const Record *records, int64_t first, int64_t count) {
  for (int64_t begin = 0; begin < count; begin += block) {
    int64_t end = begin + block < count ? begin + block : count;
    int shift = 0;
    for (int64_t c = entries.columns - 1; c >= 0; c--) {
      Column column = entries.column(c);
      uint64_t mask = (uint64_t{1} << column.bits) - 1;
      typed(column.data, column.bytes, [&](auto *data) {
        for (int64_t i = begin; i < end; i++) {
          data[first + i] = narrow(data, records[i].key >> shift & mask);
        }
      });
      shift += column.bits;
    }
    typed(entries.values, entries.value_bytes, [&](auto *data) {
      for (int64_t i = begin; i < end; i++) data[first + i] = narrow(data, records[i].value);
    });
  }
}

/* Stable. */
void insertion_sort(Record *records, int64_t n, int low) {
  for (int64_t i = 1; i < n; i++) {
    Record record = records[i];
    int64_t at = i;
    for (; at > 0 && records[at - 1].key >> low > record.key >> low; at--) {
      records[at] = records[at - 1];
    }
    records[at] = record;
  }
}

/* How many leading bits of keys divide n records into parts that stay in a core's cache. */
int dividing_bits(int64_t n, int most) {
  int bits = 0;
  while (bits < most && bits < most_dividing_bits && n >> bits > cached_records) bits++;
  return bits;
}

/* Sorts records by bits [low, high) of the key and stores them as the entries. Records are divided
 * by leading bits first, so that all later passes, and the stores, find them in the cache. */
void divide_and_store(const Entries &entries, Record *from, Record *to, int low, int high) {
  int64_t n = entries.count;
  int dividing = dividing_bits(n, high - low);
  int rest = high - dividing;
  int shift = dividing == 0 ? 0 : rest;
  int64_t parts = int64_t{1} << dividing;
  uint64_t mask = static_cast<uint64_t>(parts - 1);
  int64_t ends[int64_t{1} << most_dividing_bits] = {};
  for (int64_t i = 0; i < n; i++) ends[from[i].key >> shift & mask]++;
  int64_t start = 0;
  for (int64_t part = 0; part < parts; part++) {
    int64_t size = ends[part];
    ends[part] = start;
    start += size;
  }
  for (int64_t i = 0; i < n; i++) to[ends[from[i].key >> shift & mask]++] = from[i];
  int64_t begin = 0;
  for (int64_t part = 0; part < parts; part++) {
    int64_t count = ends[part] - begin;
    Record *sorted = to + begin;
    if (count <= insertion_below) {
      insertion_sort(sorted, count, low);
    } else {
      sorted = radix_sort(sorted, from + begin, count, low, rest);
    }
    unpack(entries, sorted, begin, count);
    begin = ends[part];
  }
}

bool sort_records(const Entries &entries, int bits) {
  int64_t bytes = 2 * entries.count * static_cast<int64_t>(sizeof(Record));
  Record *scratch = static_cast<Record *>(allocate(bytes));
  if (scratch == nullptr) return false;
  int low = bits;
  for (int64_t c = 0; c < entries.keys; c++) low -= entries.column(c).bits;
  pack(entries, scratch);
  divide_and_store(entries, scratch, scratch + entries.count, low, bits);
  release(scratch, bytes);
  return true;
}

void permute(char *data, int64_t bytes, const Place *places, int64_t n, char *scratch) {
  typed(data, bytes, [&](auto *from) {
    auto *to = reinterpret_cast<__decltype(from)>(scratch);
    for (int64_t i = 0; i < n; i++) to[i] = from[places[i].entry];
  });
  memcpy(data, scratch, static_cast<size_t>(n * bytes));
}

bool sort_permutation(const Entries &entries) {
  int64_t n = entries.count;
  int64_t bytes = 2 * n * static_cast<int64_t>(sizeof(Place));
  Place *scratch = static_cast<Place *>(allocate(bytes));
  if (scratch == nullptr) return false;
  Place *places = scratch;
  for (int64_t i = 0; i < n; i++) places[i].entry = i;
  for (int64_t c = entries.keys - 1; c >= 0; c--) {
    Column column = entries.column(c);
    typed(column.data, column.bytes, [&](auto *data) {
      for (int64_t i = 0; i < n; i++) places[i].key = data[places[i].entry];
    });
    Place *other = places == scratch ? scratch + n : scratch;
    places = radix_sort(places, other, n, 0, column.bits);
  }
  char *other = reinterpret_cast<char *>(places == scratch ? scratch + n : scratch);
  for (int64_t c = 0; c < entries.columns; c++) {
    Column column = entries.column(c);
    permute(column.data, column.bytes, places, n, other);
  }
  permute(entries.values, entries.value_bytes, places, n, other);
  release(scratch, bytes);
  return true;
}

}  // namespace

void sort_entries(int64_t *args) {
  Entries entries = {args[1], args[2], args[3], reinterpret_cast<char *>(args[4]), args[5], args};
  args[0] = WEFT_OK;
  if (entries.count < 2 || in_order(entries)) return;
  int bits = 0;
  for (int64_t c = 0; c < entries.columns; c++) bits += entries.column(c).bits;
  bool sorted = bits <= 64 ? sort_records(entries, bits) : sort_permutation(entries);
  if (!sorted) args[0] = WEFT_OUT_OF_MEMORY;
}

}  // namespace weft
