#include "records.h"

#include "memory.h"

namespace weft {
namespace {

constexpr int64_t block = 512;

/* A mode's column and its field. */
struct Column {
  const char *data;
  int64_t bytes;
  uint64_t first;
  uint64_t size;
  int word;
  int shift;
  uint64_t factor;
  int low;

  explicit Column(const int64_t *at)
      : data(reinterpret_cast<const char *>(at[0])),
        bytes(at[1]),
        first(static_cast<uint64_t>(at[2])),
        size(static_cast<uint64_t>(at[3])),
        word(static_cast<int>(at[4])),
        shift(static_cast<int>(at[5])),
        factor(static_cast<uint64_t>(at[6])),
        low(static_cast<int>(at[7])) {}

  /* Adds the fields of n entries to every `stride`th word; whether a coordinate is out of range. */
  template <typename T>
  bool put(int64_t begin, int64_t n, uint64_t *words, int64_t stride) const {
    const T *column = reinterpret_cast<const T *>(data) + begin;
    bool wrong = false;
    for (int64_t i = 0; i < n; i++) {
      uint64_t c = static_cast<uint64_t>(static_cast<int64_t>(column[i])) - first;
      wrong |= c >= size;
      if (factor != 0) c = c / factor << low | c % factor;
      words[i * stride] |= c << shift;
    }
    return wrong;
  }
};

template <int K>
bool load(const Request &request) {
  Records<K> records = request.records<K>();
  const uint64_t *values = reinterpret_cast<const uint64_t *>(request.args[8]);
  bool wrong = false;
  uint64_t keys[block];
  for (int64_t begin = 0; begin < request.count(); begin += block) {
    int64_t n = begin + block < request.count() ? block : request.count() - begin;
    if (K != 1) memset(records.at(begin), 0, static_cast<size_t>(n * records.width()) * 8);
    memset(keys, 0, sizeof keys);
    for (int64_t c = 0; c < request.listed(); c++) {
      Column column(request.item(c, 8));
      uint64_t *words = K == 1 ? keys : records.at(begin) + column.word;
      int64_t stride = K == 1 ? 1 : records.width();
      wrong |= column.bytes == 4 ? column.put<int32_t>(begin, n, words, stride)
                                 : column.put<int64_t>(begin, n, words, stride);
    }
    if (K == 1) memcpy(records.at(begin), keys, static_cast<size_t>(n) * 8);
    memcpy(records.values + begin, values + begin, static_cast<size_t>(n) * 8);
  }
  return wrong;
}

template <int K>
bool decreases(const Request &request, int64_t begin, int64_t end) {
  Records<K> records = request.records<K>();
  for (int64_t i = begin; i < end; i++) {
    for (int64_t p = 0; p < request.listed(); p++) {
      Piece piece = request.piece(p);
      uint64_t a = piece.of(records.at(i - 1));
      uint64_t b = piece.of(records.at(i));
      if (a > b) return true;
      if (a < b) break;
    }
  }
  return false;
}

uint64_t sum(uint64_t a, uint64_t b, bool exact) {
  if (exact) return a + b;
  double x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  x += y;
  memcpy(&a, &x, sizeof a);
  return a;
}

template <int K>
int64_t count_kept(const Records<K> &records, int64_t begin, int64_t end) {
  int64_t kept = 0;
  for (int64_t i = begin; i < end; i++) kept += i == 0 || !records.same(i, i - 1);
  return kept;
}

/* Moves the records [begin, end) that differ from the one before, with the sums of those that do not,
 * to `at` and behind. Those of the last one may lie past the end. */
template <int K>
void move_kept(const Request &request, int64_t begin, int64_t end, int64_t at) {
  Records<K> from = request.records<K>();
  Records<K> to = request.others<K>();
  bool exact = request.args[8] != 0;
  int64_t i = begin;
  while (i < end && i > 0 && from.same(i, i - 1)) i++;
  while (i < end) {
    int64_t first = i;
    uint64_t value = from.value(i++);
    for (; i < request.count() && from.same(i, first); i++) value = sum(value, from.value(i), exact);
    to.copy(at, from, first);
    to.value(at++) = value;
  }
}

template <int K>
void merge(Request &request) {
  int64_t chunks = request.chunks();
  request.args[10] = 0;
  int64_t *starts = static_cast<int64_t *>(allocate((chunks + 1) * 8));
  if (starts == nullptr) {
    request.args[0] = WEFT_OUT_OF_MEMORY;
    return;
  }
  each(request.threads(), chunks, [&](int64_t chunk) {
    int64_t begin = chunk * chunk_records;
    starts[chunk] = count_kept(request.records<K>(), begin, request.chunk_end(chunk));
  });
  int64_t kept = 0;
  for (int64_t chunk = 0; chunk < chunks; chunk++) {
    int64_t size = starts[chunk];
    starts[chunk] = kept;
    kept += size;
  }
  request.args[9] = kept;
  if (kept < request.count() && request.args[5] != 0) {
    each(request.threads(), chunks, [&](int64_t chunk) {
      move_kept<K>(request, chunk * chunk_records, request.chunk_end(chunk), starts[chunk]);
    });
    request.args[10] = 1;
  }
  release(starts, (chunks + 1) * 8);
}

/* Four sums, so that additions do not wait for each other. */
template <typename T>
double squares(const T *values, int64_t n) {
  double sums[4] = {};
  for (int64_t i = 0; i < n; i++) {
    double value = static_cast<double>(values[i]);
    sums[i % 4] += value * value;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double squares(const Request &request, int64_t begin, int64_t n) {
  const char *data = reinterpret_cast<const char *>(request.args[4]);
  switch (request.args[9]) {
    case 0: return squares(reinterpret_cast<const double *>(data) + begin, n);
    case 1: return squares(reinterpret_cast<const float *>(data) + begin, n);
    case 2: return squares(reinterpret_cast<const int32_t *>(data) + begin, n);
    default: return squares(reinterpret_cast<const int64_t *>(data) + begin, n);
  }
}

}  // namespace

void load_records(Request request) {
  bool wrong = request.words() == 1 ? load<1>(request) : load<0>(request);
  if (wrong) request.args[0] = WEFT_BOUNDS;
}

void check_order(Request request) {
  int64_t wrong = 0;
  each(request.threads(), request.chunks(), [&](int64_t chunk) {
    int64_t begin = chunk == 0 ? 1 : chunk * chunk_records;
    int64_t end = request.chunk_end(chunk);
    for (; begin < end && !__atomic_load_n(&wrong, __ATOMIC_RELAXED); begin += block) {
      int64_t stop = begin + block < end ? begin + block : end;
      bool found = request.words() == 1 ? decreases<1>(request, begin, stop)
                                        : decreases<0>(request, begin, stop);
      if (found) __atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
    }
  });
  request.args[8] = wrong == 0;
}

void merge_records(Request request) {
  request.words() == 1 ? merge<1>(request) : merge<0>(request);
}

void sum_squares(Request request) {
  int64_t chunks = request.chunks();
  double *sums = static_cast<double *>(allocate((chunks + 1) * 8));
  if (sums == nullptr) {
    request.args[0] = WEFT_OUT_OF_MEMORY;
    return;
  }
  each(request.threads(), chunks, [&](int64_t chunk) {
    int64_t begin = chunk * chunk_records;
    sums[chunk] = squares(request, begin, request.chunk_end(chunk) - begin);
  });
  double all = 0;
  for (int64_t chunk = 0; chunk < chunks; chunk++) all += sums[chunk];
  release(sums, (chunks + 1) * 8);
  memcpy(&request.args[8], &all, sizeof all);
}

void pack(int64_t *args) {
  args[0] = WEFT_OK;
  Request request{args};
  switch (args[1]) {
    case LOAD: load_records(request); break;
    case ORDER: check_order(request); break;
    case SORT: sort_records(request); break;
    case MERGE: merge_records(request); break;
    case COUNT: count_levels(request); break;
    case BUILD: build_levels(request); break;
    case SQUARES: sum_squares(request); break;
    default: unpack_entries(request); break;
  }
}

}  // namespace weft
