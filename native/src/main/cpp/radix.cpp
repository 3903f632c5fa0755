/* Stable radix sort of records. Large ranges are divided by their leading bits, by all threads, into
 * parts that stay in a core's cache, and these are sorted from the least significant digit. A range that
 * is in order of a digit stays where it is. */
#include <stdlib.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "memory.h"
#include "records.h"

namespace weft {
namespace {

constexpr int most_digit_bits = 11;
constexpr int64_t most_digits = int64_t{1} << most_digit_bits;
/* Fewer records do not pay for the counters of a wide digit. */
constexpr int64_t wide_digits_from = 4096;
constexpr int narrow_digit_bits = 8;
constexpr int64_t insertion_below = 24;
/* Bytes that fill half of a core's second-level cache with as many of scratch. */
constexpr int64_t cached_bytes = 128 << 10;
/* Ranges that are divided by all threads. */
constexpr int64_t shared_from = 1 << 19;
constexpr int64_t chunks_per_thread = 4;
constexpr int64_t line_words = 8;

/* Some neighbouring bits of the pieces that are sorted by. */
struct Digit {
  int width;
  int parts;
  struct {
    int word;
    int down;
    uint64_t mask;
    int up;
  } part[most_digit_bits];

  template <bool Single>
  uint64_t of(const uint64_t *key) const {
    uint64_t digit = key[part[0].word] >> part[0].down & part[0].mask;
    if (Single) return digit;
    digit <<= part[0].up;
    for (int p = 1; p < parts; p++) {
      digit |= (key[part[p].word] >> part[p].down & part[p].mask) << part[p].up;
    }
    return digit;
  }
};

int passes(int bits, int most) { return (bits + most - 1) / most; }

template <int K>
class Sort {
 public:
  explicit Sort(const Request &from)
      : request(from),
        buffer{from.records<K>(), from.others<K>()},
        keeps_values(from.args[9] != 0),
        chunks(from.threads() <= 1 ? 1 : from.threads() * chunks_per_thread) {}

  /* Which buffer the result is in; -1 if there is no memory. */
  int run() {
    int bits = 0;
    for (int64_t p = 0; p < request.listed(); p++) bits += request.piece(p).bits;
    int64_t n = request.count();
    if (n < 2 || bits == 0) return 0;
    if (n < shared_from) {
      /* One range, which ends where it is if it is in order. */
      if (in_order(0, n, bits, 0)) return 0;
      sort(0, n, bits, 0, 1);
      return 1;
    }
    counts = static_cast<int64_t *>(allocate(chunks * most_digits * 8));
    if (counts == nullptr) return -1;
    int target = keeps_values ? 1 : -1;
    bool done = share(0, n, bits, 0, target);
    release(counts, chunks * most_digits * 8);
    return done ? target : -1;
  }

 private:
  const Request &request;
  Records<K> buffer[2];
  bool keeps_values; /* of buffer 0 */
  int64_t chunks;
  int64_t *counts = nullptr;

  /* Bits [low, low + width) of all that is sorted by, counted from the least significant. */
  Digit digit(int low, int width) const {
    Digit digit;
    digit.width = width;
    digit.parts = 0;
    int at = 0;
    for (int64_t p = request.listed() - 1; p >= 0; p--) {
      Piece piece = request.piece(p);
      int begin = low > at ? low : at;
      int end = low + width < at + piece.bits ? low + width : at + piece.bits;
      if (begin < end) {
        auto &part = digit.part[digit.parts++];
        part = {piece.word, piece.shift + begin - at, Piece::mask(end - begin), begin - low};
      }
      at += piece.bits;
    }
    return digit;
  }

  /* Whether record b of a buffer is less than record a in the last `bits` bits. */
  bool less(const uint64_t *b, const uint64_t *a, int bits) const {
    int left = 0;
    for (int64_t p = 0; p < request.listed(); p++) left += request.piece(p).bits;
    for (int64_t p = 0; p < request.listed(); p++) {
      Piece piece = request.piece(p);
      left -= piece.bits;
      if (left >= bits) continue;
      if (left + piece.bits > bits) piece.bits = bits - left;
      if (piece.of(b) != piece.of(a)) return piece.of(b) < piece.of(a);
    }
    return false;
  }

  bool in_order(int64_t begin, int64_t end, int bits, int where) const {
    for (int64_t i = begin + 1; i < end; i++) {
      if (less(buffer[where].at(i), buffer[where].at(i - 1), bits)) return false;
    }
    return true;
  }

  int64_t part_records() const { return cached_bytes / ((buffer[0].width() + 1) * 8); }

  /* By how many leading bits to divide: into parts that a cache holds, and then further if that saves
   * a pass over them. */
  int dividing_bits(int64_t n, int bits) const {
    if (bits <= most_digit_bits) return bits;
    int least = 1;
    while (least < most_digit_bits && n >> least > part_records()) least++;
    int best = least;
    for (int d = least; d <= most_digit_bits; d++) {
      if (passes(bits - d, most_digit_bits) < passes(bits - best, most_digit_bits)) best = d;
    }
    return best;
  }

  template <bool Single>
  void count(int64_t begin, int64_t end, const Digit &digit, int where, int64_t *sizes) const {
    const Records<K> &from = buffer[where];
    for (int64_t i = begin; i < end; i++) sizes[digit.of<Single>(from.at(i))]++;
  }

  void count(int64_t begin, int64_t end, const Digit &digit, int where, int64_t *sizes) const {
    memset(sizes, 0, sizeof(int64_t) << digit.width);
    digit.parts == 1 ? count<true>(begin, end, digit, where, sizes)
                     : count<false>(begin, end, digit, where, sizes);
  }

  template <bool Single>
  void move(int64_t begin, int64_t end, const Digit &digit, int where, int64_t *next) const {
    const Records<K> &from = buffer[where];
    const Records<K> &to = buffer[1 - where];
    for (int64_t i = begin; i < end; i++) to.copy(next[digit.of<Single>(from.at(i))]++, from, i);
  }

  void move(int64_t begin, int64_t end, const Digit &digit, int where, int64_t *next) const {
    digit.parts == 1 ? move<true>(begin, end, digit, where, next)
                     : move<false>(begin, end, digit, where, next);
  }

  /* As `move`, past the caches: keys and values are gathered to a line of each first. */
  template <bool Single>
  void stream(int64_t begin, int64_t end, const Digit &digit, int where, int64_t *next,
              uint64_t *lines, int64_t *starts) const {
    const Records<K> &from = buffer[where];
    const Records<K> &to = buffer[1 - where];
    int64_t digits = int64_t{1} << digit.width;
    memcpy(starts, next, static_cast<size_t>(digits) * 8);
    for (int64_t i = begin; i < end; i++) {
      const uint64_t *key = from.at(i);
      uint64_t d = digit.of<Single>(key);
      int64_t at = next[d]++;
      uint64_t *line = lines + d * 2 * line_words;
      int64_t slot = at & (line_words - 1);
      line[slot] = *key;
      line[line_words + slot] = from.value(i);
      if (slot == line_words - 1) flush(to, at - slot, starts[d], at + 1, line);
    }
    for (int64_t d = 0; d < digits; d++) {
      int64_t rest = next[d] & (line_words - 1);
      int64_t first = next[d] - rest > starts[d] ? next[d] - rest : starts[d];
      store(to, next[d] - rest, first, next[d], lines + d * 2 * line_words);
    }
#if defined(__SSE2__)
    _mm_sfence();
#endif
  }

  /* Stores records [first, end) of a line of keys and one of values that begin with record `line_first`. */
  static void store(const Records<K> &to, int64_t line_first, int64_t first, int64_t end,
                    const uint64_t *line) {
    for (int64_t at = first; at < end; at++) {
      *to.at(at) = line[at - line_first];
      to.value(at) = line[line_words + at - line_first];
    }
  }

  /* Stores full lines of records, but for those before `least`. */
  static void flush(const Records<K> &to, int64_t first, int64_t least, int64_t end,
                    const uint64_t *line) {
#if defined(__SSE2__)
    if (first >= least) {
      const __m128i *source = reinterpret_cast<const __m128i *>(line);
      __m128i *keys = reinterpret_cast<__m128i *>(to.at(first));
      __m128i *values = reinterpret_cast<__m128i *>(to.values + first);
      for (int part = 0; part < 4; part++) _mm_stream_si128(keys + part, source[part]);
      for (int part = 0; part < 4; part++) _mm_stream_si128(values + part, source[4 + part]);
      return;
    }
#endif
    store(to, first, first > least ? first : least, end, line);
  }

  static bool is_aligned(const uint64_t *block) {
    return (reinterpret_cast<uintptr_t>(block) & 63) == 0;
  }

  /* Moves one thread's chunk of a large range. */
  void move_chunk(int64_t begin, int64_t end, const Digit &digit, int where, int64_t *next) const {
    int64_t digits = int64_t{1} << digit.width;
    int64_t bytes = digits * (2 * line_words + 1) * 8;
    const Records<K> &to = buffer[1 - where];
    bool aligned = is_aligned(to.data) && is_aligned(to.values);
    uint64_t *lines =
        K == 1 && aligned ? static_cast<uint64_t *>(allocate(bytes)) : nullptr;
    if (lines == nullptr) {
      move(begin, end, digit, where, next);
      return;
    }
    int64_t *starts = reinterpret_cast<int64_t *>(lines + digits * 2 * line_words);
    if (digit.parts == 1) {
      stream<true>(begin, end, digit, where, next, lines, starts);
    } else {
      stream<false>(begin, end, digit, where, next, lines, starts);
    }
    release(lines, bytes);
  }

  enum Division { ONE_PART, IN_PLACE, MOVED };

  int64_t chunk_begin(int64_t begin, int64_t end, int64_t chunk) const {
    return chunk == chunks ? end : begin + (end - begin) / chunks * chunk;
  }

  /* Divides a range by all threads, and gives where parts end. Records stay where they are if all have
   * the same digit, or are in its order. */
  Division divide(int64_t begin, int64_t end, const Digit &digit, int where, int64_t *ends) {
    int64_t digits = int64_t{1} << digit.width;
    each(request.threads(), chunks, [&](int64_t chunk) {
      count(chunk_begin(begin, end, chunk), chunk_begin(begin, end, chunk + 1), digit, where,
            counts + chunk * digits);
    });
    bool in_place = is_ascending(begin, end, digit, where);
    int64_t start = begin;
    for (int64_t d = 0; d < digits; d++) {
      int64_t before = start;
      for (int64_t chunk = 0; chunk < chunks; chunk++) {
        int64_t size = counts[chunk * digits + d];
        counts[chunk * digits + d] = start;
        start += size;
      }
      ends[d] = start;
      if (start - before == end - begin) return ONE_PART;
    }
    if (in_place) return IN_PLACE;
    each(request.threads(), chunks, [&](int64_t chunk) {
      move_chunk(chunk_begin(begin, end, chunk), chunk_begin(begin, end, chunk + 1), digit, where,
                 counts + chunk * digits);
    });
    return MOVED;
  }

  /* Whether counted records are in order of a digit. Where they are not, that shows in the counts, or
   * most likely in the first records. */
  bool is_ascending(int64_t begin, int64_t end, const Digit &digit, int where) const {
    int64_t digits = int64_t{1} << digit.width;
    int64_t least = 0;
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
      const int64_t *sizes = counts + chunk * digits;
      for (int64_t d = 0; d < least; d++) {
        if (sizes[d] != 0) return false;
      }
      for (int64_t d = digits - 1; d > least; d--) {
        if (sizes[d] != 0) least = d;
      }
    }
    uint64_t before = 0;
    for (int64_t i = begin; i < end; i++) {
      uint64_t d = digit.template of<false>(buffer[where].at(i));
      if (d < before) return false;
      before = d;
    }
    return true;
  }

  /* Sorts a large range in buffer `where` by its last `bits` bits; it ends in buffer `target`, or in
   * any if that is -1, which is then set. False if there is no memory. */
  bool share(int64_t begin, int64_t end, int bits, int where, int &target) {
    int64_t *ends = static_cast<int64_t *>(allocate(most_digits * 8));
    if (ends == nullptr) return false;
    Division division = ONE_PART;
    int64_t parts = 1;
    while (bits > 0 && division == ONE_PART) {
      int width = dividing_bits(end - begin, bits);
      bits -= width;
      division = divide(begin, end, digit(bits, width), where, ends);
      parts = int64_t{1} << width;
    }
    if (division == ONE_PART) {
      parts = 1;
      ends[0] = end;
    }
    int now = division == MOVED ? 1 - where : where;
    if (target < 0 || (keeps_values && division != MOVED && bits == 0)) target = now;
    bool done = bits == 0 && now == target;
    if (!done) done = sort_parts(begin, ends, parts, bits, now, target);
    release(ends, most_digits * 8);
    return done;
  }

  bool sort_parts(int64_t begin, const int64_t *ends, int64_t parts, int bits, int where,
                  int target) {
    auto first = [&](int64_t part) { return part == 0 ? begin : ends[part - 1]; };
    auto is_large = [&](int64_t part) { return bits > 0 && ends[part] - first(part) >= shared_from; };
    int64_t failed = 0;
    each(request.threads(), parts, [&](int64_t part) {
      if (is_large(part)) return;
      bool done = with_scratch(first(part), ends[part], bits, where, [&](const Sort &sorter) {
        sorter.sort(first(part), ends[part], bits, where, target);
        return true;
      });
      if (!done) __atomic_store_n(&failed, 1, __ATOMIC_RELAXED);
    });
    for (int64_t part = 0; part < parts && failed == 0; part++) {
      if (!is_large(part)) continue;
      bool done = with_scratch(first(part), ends[part], bits, where, [&](Sort &sorter) {
        return sorter.share(first(part), ends[part], bits, where, target);
      });
      if (!done) return false;
    }
    return failed == 0;
  }

  /* Has f sort a range; where values of buffer 0 must stay as they are, with a copy of these. */
  template <typename F>
  bool with_scratch(int64_t begin, int64_t end, int bits, int where, F f) {
    if (!keeps_values || bits == 0 || end - begin < 2) return f(*this);
    int64_t bytes = (end - begin) * 8;
    uint64_t *copy = static_cast<uint64_t *>(allocate(bytes));
    if (copy == nullptr) return false;
    if (where == 0) memcpy(copy, buffer[0].values + begin, static_cast<size_t>(bytes));
    Sort sorter = *this;
    sorter.keeps_values = false;
    sorter.buffer[0].values = copy - begin;
    bool done = f(sorter);
    release(copy, bytes);
    return done;
  }

  /* Sorts a range in buffer `where` by its last `bits` bits on this thread; it ends in `target`. */
  void sort(int64_t begin, int64_t end, int bits, int where, int target) const {
    int64_t n = end - begin;
    if (n < 2 || bits == 0) {
      if (where != target && n > 0) buffer[target].copy_all(begin, end, buffer[where]);
    } else if (n <= insertion_below) {
      insert(begin, end, bits, where, target);
    } else if (n <= 4 * part_records() || bits <= most_digit_bits ||
               !divide_alone(begin, end, bits, where, target)) {
      sort_digits(begin, end, bits, where, target);
    }
  }

  void insert(int64_t begin, int64_t end, int bits, int where, int target) const {
    uint64_t key[most_words];
    uint64_t value;
    Records<K> to = buffer[target];
    if (where != target) to.copy_all(begin, end, buffer[where]);
    Records<K> saved{key, &value, to.words};
    for (int64_t i = begin + 1; i < end; i++) {
      if (!less(to.at(i), to.at(i - 1), bits)) continue;
      saved.copy(0, to, i);
      int64_t at = i;
      for (; at > begin && less(key, to.at(at - 1), bits); at--) to.copy(at, to, at - 1);
      to.copy(at, saved, 0);
    }
  }

  /* False, with nothing done, if there is no memory for counters. */
  bool divide_alone(int64_t begin, int64_t end, int bits, int where, int target) const {
    int64_t *next = static_cast<int64_t *>(malloc(static_cast<size_t>(most_digits) * 8));
    if (next == nullptr) return false;
    int d = dividing_bits(end - begin, bits);
    Digit top = digit(bits - d, d);
    count(begin, end, top, where, next);
    int64_t digits = int64_t{1} << d;
    bool same = to_starts(next, digits, begin, end);
    if (!same) move(begin, end, top, where, next);
    int64_t first = begin;
    for (int64_t part = 0; part < digits && !same; part++) {
      sort(first, next[part], bits - d, 1 - where, target);
      first = next[part];
    }
    free(next);
    if (same) sort(begin, end, bits - d, where, target);
    return true;
  }

  /* Turns sizes into starts; whether all have one digit. */
  static bool to_starts(int64_t *sizes, int64_t digits, int64_t begin, int64_t end) {
    bool same = false;
    int64_t start = begin;
    for (int64_t d = 0; d < digits; d++) {
      int64_t size = sizes[d];
      same |= size == end - begin;
      sizes[d] = start;
      start += size;
    }
    return same;
  }

  void sort_digits(int64_t begin, int64_t end, int bits, int where, int target) const {
    int most = end - begin < wide_digits_from ? narrow_digit_bits : most_digit_bits;
    int count_of_passes = passes(bits, most);
    int width = passes(bits, count_of_passes);
    int64_t next[most_digits];
    for (int low = 0; low < bits; low += width) {
      Digit d = digit(low, low + width < bits ? width : bits - low);
      count(begin, end, d, where, next);
      if (to_starts(next, int64_t{1} << d.width, begin, end)) continue;
      move(begin, end, d, where, next);
      where = 1 - where;
    }
    if (where != target) buffer[target].copy_all(begin, end, buffer[where]);
  }
};

}  // namespace

void sort_records(Request request) {
  int result = request.words() == 1 ? Sort<1>(request).run() : Sort<0>(request).run();
  if (result < 0) request.args[0] = WEFT_OUT_OF_MEMORY;
  request.args[8] = result == 1;
}

}  // namespace weft
