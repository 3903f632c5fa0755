/* What the steps of packing share. */
#ifndef WEFT_RECORDS_H
#define WEFT_RECORDS_H

#include <stdint.h>
#include <string.h>

#include "packing.h"
#include "tasks.h"
#include "weft_runtime.h"

namespace weft {

constexpr int first_listed = 14;
constexpr int most_words = 64;
constexpr int most_levels = 64;
/* Records whose levels are made by one task; the count of them must not depend on threads. */
constexpr int64_t chunk_records = 65536;

/* Keys of K words, and a value each in an array of its own; of as many words as `words` says if K is 0. */
template <int K>
struct Records {
  uint64_t *data;
  uint64_t *values;
  int words;

  int width() const { return K == 0 ? words : K; }
  uint64_t *at(int64_t i) const { return data + i * width(); }
  uint64_t &value(int64_t i) const { return values[i]; }
  void copy(int64_t to, const Records &from, int64_t i) const {
    const uint64_t *key = from.at(i);
    uint64_t *target = at(to);
    for (int w = 0; w < width(); w++) target[w] = key[w];
    values[to] = from.values[i];
  }
  void copy_all(int64_t begin, int64_t end, const Records &from) const {
    size_t n = static_cast<size_t>(end - begin) * 8;
    memcpy(at(begin), from.at(begin), n * static_cast<size_t>(width()));
    memcpy(values + begin, from.values + begin, n);
  }
  bool same(int64_t a, int64_t b) const {
    for (int w = 0; w < width(); w++) {
      if (at(a)[w] != at(b)[w]) return false;
    }
    return true;
  }
};

/* Bits of a key that are compared together. */
struct Piece {
  int word;
  int shift;
  int bits;

  uint64_t of(const uint64_t *key) const { return key[word] >> shift & mask(bits); }
  static uint64_t mask(int bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
};

/* The argument block of a step. */
struct Request {
  int64_t *args;

  int64_t count() const { return args[2]; }
  int words() const { return static_cast<int>(args[3]); }
  int64_t threads() const { return args[6]; }
  int64_t listed() const { return args[7]; }
  template <int K>
  Records<K> records() const {
    return {reinterpret_cast<uint64_t *>(args[4]), reinterpret_cast<uint64_t *>(args[12]), words()};
  }
  template <int K>
  Records<K> others() const {
    return {reinterpret_cast<uint64_t *>(args[5]), reinterpret_cast<uint64_t *>(args[13]), words()};
  }
  const int64_t *item(int64_t number, int size) const {
    return args + first_listed + number * size;
  }
  int64_t *item(int64_t number, int size) { return args + first_listed + number * size; }
  Piece piece(int64_t number) const {
    const int64_t *at = item(number, 3);
    return {static_cast<int>(at[0]), static_cast<int>(at[1]), static_cast<int>(at[2])};
  }
  int64_t chunks() const { return (count() + chunk_records - 1) / chunk_records; }
  int64_t chunk_end(int64_t chunk) const {
    return (chunk + 1) * chunk_records < count() ? (chunk + 1) * chunk_records : count();
  }
};

/* Calls f with a pointer of the unsigned element type of `bytes` bytes. */
template <typename F>
void typed(char *data, int64_t bytes, F f) {
  switch (bytes) {
    case 1: f(reinterpret_cast<uint8_t *>(data)); break;
    case 2: f(reinterpret_cast<uint16_t *>(data)); break;
    case 4: f(reinterpret_cast<uint32_t *>(data)); break;
    default: f(reinterpret_cast<uint64_t *>(data)); break;
  }
}

/* `value` as an element of the array, in which it fits. */
template <typename T>
T narrow(const T *, uint64_t value) {
  return static_cast<T>(value);
}

/* Calls f(number) for each of `tasks` numbers, on as many threads as the request has. */
template <typename F>
void each(int64_t threads, int64_t tasks, F f) {
  weft_runtime runtime = weft_process_table()->table;
  runtime.threads = threads;
  parallel_for(
      &runtime, tasks, [](void *ctx, int64_t task) { (*static_cast<F *>(ctx))(task); }, &f);
}

void load_records(Request request);
void check_order(Request request);
void sort_records(Request request);
void merge_records(Request request);
void count_levels(Request request);
void build_levels(Request request);
void sum_squares(Request request);
void unpack_entries(Request request);

}  // namespace weft

#endif
