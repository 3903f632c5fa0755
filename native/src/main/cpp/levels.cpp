/* Levels of a form from its sorted records. Records that agree down to some level share a position
 * there; its number is how many such runs begin before, or follows from the one above in a dense level.
 * Runs are counted by chunks of records first, so that all chunks can be made at the same time. */
#include "records.h"

#include "memory.h"

namespace weft {
namespace {

constexpr int64_t block = 512;
constexpr int per_level = 13;

/* A level as listed. */
struct Shape {
  int kind;
  int depth;
  uint64_t size;
  Piece piece;
  uint64_t factor;
  int low;
  int64_t positions;
  char *pos;
  int64_t pos_bytes;
  char *crd;
  int64_t crd_bytes;

  bool is_ranked() const { return kind != DENSE; }
  uint64_t coordinate(const uint64_t *key) const {
    uint64_t field = piece.of(key);
    return (field >> low) * factor + (field & Piece::mask(low));
  }
};

Shape shape(const int64_t *at) {
  return {static_cast<int>(at[0]),
          static_cast<int>(at[1]),
          static_cast<uint64_t>(at[2]),
          {static_cast<int>(at[3]), static_cast<int>(at[4]), static_cast<int>(at[5])},
          static_cast<uint64_t>(at[6]),
          static_cast<int>(at[7]),
          at[8],
          reinterpret_cast<char *>(at[9]),
          at[10],
          reinterpret_cast<char *>(at[11]),
          at[12]};
}

template <typename T>
void swap(T *&a, T *&b) {
  T *kept = a;
  a = b;
  b = kept;
}

/* The levels of a form, and what tells of two keys the first level in which they differ. */
template <int K>
class Form {
 public:
  explicit Form(const Request &from)
      : request(from), records(from.records<K>()), count(static_cast<int>(from.listed())) {
    for (int l = 0; l < count; l++) levels[l] = shape(from.item(l, per_level));
  }

  /* Sets first[i - begin] to the level in which record i differs from the one before, or the number of
   * levels. The first of all differs in level 0. */
  void differences(int64_t begin, int64_t end, uint8_t *first) const {
    if (begin == end) return;
    if constexpr (K == 1) {
      compare_words(begin, end, first);
    } else {
      compare_pieces(begin, end, first);
    }
    if (begin == 0) first[0] = 0;
  }

  const Request &request;
  Records<K> records;
  int count;
  Shape levels[most_levels];

 private:
  /* Of the bits in which two keys of one word differ, those of a level and the levels above it tell. */
  void compare_words(int64_t begin, int64_t end, uint8_t *first) const {
    uint64_t down_to[most_levels];
    uint64_t all = 0;
    for (int l = 0; l < count; l++) {
      all |= Piece::mask(levels[l].piece.bits) << levels[l].piece.shift;
      down_to[l] = all;
    }
    switch (count) {
      case 1: count_same<1>(begin, end, down_to, first); break;
      case 2: count_same<2>(begin, end, down_to, first); break;
      case 3: count_same<3>(begin, end, down_to, first); break;
      case 4: count_same<4>(begin, end, down_to, first); break;
      default: count_same<0>(begin, end, down_to, first); break;
    }
  }

  /* For L levels, or any number of levels if L is 0. */
  template <int L>
  void count_same(int64_t begin, int64_t end, const uint64_t *down_to, uint8_t *first) const {
    int compared = L == 0 ? count : L;
    int64_t from = begin == 0 ? 1 : begin;
    uint64_t before = *records.at(from - 1);
    for (int64_t i = from; i < end; i++) {
      uint64_t key = *records.at(i);
      uint64_t changed = key ^ before;
      int same = 0;
      for (int l = 0; l < compared; l++) same += (changed & down_to[l]) == 0;
      first[i - begin] = static_cast<uint8_t>(same);
      before = key;
    }
  }

  void compare_pieces(int64_t begin, int64_t end, uint8_t *first) const {
    int64_t n = end - begin;
    memset(first, 0, static_cast<size_t>(n));
    uint64_t changed[block];
    for (int64_t i = 0; i < n; i++) changed[i] = 0;
    for (int l = 0; l < count; l++) {
      const Piece &piece = levels[l].piece;
      uint64_t mask = Piece::mask(piece.bits) << piece.shift;
      const uint64_t *word = records.at(begin) + piece.word;
      int64_t stride = records.width();
      if (piece.bits > 0) {
        for (int64_t i = begin == 0 ? 1 : 0; i < n; i++) {
          changed[i] |= (word[i * stride] ^ word[(i - 1) * stride]) & mask;
        }
      }
      for (int64_t i = 0; i < n; i++) first[i] += changed[i] == 0;
    }
  }
};

template <int K>
void count_chunk(const Form<K> &form, int64_t chunk, int64_t *runs) {
  uint8_t first[block];
  int64_t end = form.request.chunk_end(chunk);
  for (int l = 0; l < form.count; l++) runs[l] = 0;
  for (int64_t begin = chunk * chunk_records; begin < end; begin += block) {
    int64_t n = begin + block < end ? block : end - begin;
    form.differences(begin, begin + n, first);
    for (int l = 0; l < form.count; l++) {
      if (form.levels[l].is_ranked()) {
        int most = form.levels[l].depth;
        int found = 0;
        for (int64_t i = 0; i < n; i++) found += first[i] <= most;
        runs[l] += found;
      }
    }
  }
}

template <int K>
void count_runs(Request &request) {
  Form<K> form(request);
  int64_t *runs = reinterpret_cast<int64_t *>(request.args[5]);
  int64_t levels = request.listed();
  each(request.threads(), request.chunks(),
       [&](int64_t chunk) { count_chunk(form, chunk, runs + chunk * levels); });
  for (int64_t l = 0; l < levels; l++) {
    int64_t before = 0;
    for (int64_t chunk = 0; chunk < request.chunks(); chunk++) {
      int64_t size = runs[chunk * levels + l];
      runs[chunk * levels + l] = before;
      before += size;
    }
    request.item(l, per_level)[8] = before;
  }
}

/* Bits of a value as Java converts: NaN to 0, and what is too large to the largest. */
int64_t to_int64(double value) {
  if (value != value) return 0;
  if (value >= 9223372036854775808.0) return INT64_MAX;
  if (value < -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(value);
}

double to_double(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The value of a record as an element of `to`. */
void store(double *to, uint64_t bits, bool exact) {
  *to = exact ? static_cast<double>(static_cast<int64_t>(bits)) : to_double(bits);
}
void store(float *to, uint64_t bits, bool exact) {
  *to = exact ? static_cast<float>(static_cast<int64_t>(bits))
              : static_cast<float>(to_double(bits));
}
void store(int64_t *to, uint64_t bits, bool exact) {
  *to = exact ? static_cast<int64_t>(bits) : to_int64(to_double(bits));
}
void store(int32_t *to, uint64_t bits, bool exact) {
  *to = static_cast<int32_t>(exact ? static_cast<int64_t>(bits) : to_int64(to_double(bits)));
}

template <typename F>
void typed_values(int64_t address, int64_t type, F f) {
  switch (type) {
    case 0: f(reinterpret_cast<double *>(address)); break;
    case 1: f(reinterpret_cast<float *>(address)); break;
    case 2: f(reinterpret_cast<int32_t *>(address)); break;
    default: f(reinterpret_cast<int64_t *>(address)); break;
  }
}

/* Makes the levels of one chunk, block by block. */
template <int K>
class Build {
 public:
  Build(const Form<K> &of, int64_t chunk, const int64_t *runs)
      : form(of), begin(chunk * chunk_records), end(of.request.chunk_end(chunk)) {
    for (int l = 0; l < form.count; l++) {
      const Shape &level = form.levels[l];
      rank[l] = runs[l];
      if (begin == 0) {
        last[l] = -1;
      } else if (level.is_ranked()) {
        last[l] = rank[l] - 1;
      } else {
        last[l] = position(level, l == 0 ? 0 : last[l - 1], begin - 1);
      }
    }
  }

  void run() {
    for (; begin < end; begin += block) {
      n = begin + block < end ? block : end - begin;
      form.differences(begin, begin + n, first);
      for (int l = 0; l < form.count; l++) {
        find_starts(l);
        const Shape &level = form.levels[l];
        if (level.is_ranked()) {
          if (level.kind == COMPRESSED) store_pos(l);
          store_crd(level);
        } else {
          for (int64_t i = 0; i < n; i++) {
            here[i] = position(level, l == 0 ? 0 : above[i], begin + i);
          }
        }
        if (l > 0) last[l - 1] = above[n - 1];
        swap(here, above);
        swap(starts, parents);
        parent_count = start_count;
      }
      if (form.count > 0) last[form.count - 1] = above[n - 1];
      if (form.request.args[8] != 0) store_values();
    }
  }

 private:
  const Form<K> &form;
  int64_t begin;
  int64_t end;
  int64_t n = 0;
  int64_t rank[most_levels]; /* runs that have begun */
  int64_t last[most_levels]; /* position of the last record */
  uint8_t first[block];
  /* Positions of the records of a block at a level and at the one above, and those records that are the
   * first of theirs. */
  int64_t positions[2][block];
  uint16_t firsts[2][block];
  int64_t *here = positions[0];
  int64_t *above = positions[1];
  uint16_t *starts = firsts[0];
  uint16_t *parents = firsts[1];
  int64_t start_count = 0;
  int64_t parent_count = 0;

  int64_t position(const Shape &level, int64_t parent, int64_t record) const {
    return parent * static_cast<int64_t>(level.size) +
           static_cast<int64_t>(level.coordinate(form.records.at(record)));
  }

  /* Lists the records that begin a run, and numbers the runs of all records. */
  void find_starts(int l) {
    int most = form.levels[l].depth;
    int64_t before = rank[l] - 1;
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
      starts[found] = static_cast<uint16_t>(i);
      found += first[i] <= most;
      here[i] = before + found;
    }
    start_count = found;
    rank[l] += found;
  }

  /* Stores for every parent that begins here, and those without records in front of it, how many
   * positions are before it. */
  void store_pos(int l) {
    const Shape &level = form.levels[l];
    typed(level.pos, level.pos_bytes, [&](auto *pos) {
      if (l == 0) {
        if (begin == 0) pos[0] = 0;
        return;
      }
      int64_t before = last[l - 1];
      for (int64_t s = 0; s < parent_count; s++) {
        int64_t i = parents[s];
        auto bound = narrow(pos, static_cast<uint64_t>(here[i]));
        for (int64_t p = before + 1; p <= above[i]; p++) pos[p] = bound;
        before = above[i];
      }
    });
  }

  void store_crd(const Shape &level) {
    if (start_count == 0) return;
    int64_t at = here[starts[0]];
    typed(level.crd, level.crd_bytes, [&](auto *crd) {
      const auto *records = &form.records;
      for (int64_t s = 0; s < start_count; s++) {
        crd[at + s] = narrow(crd, level.coordinate(records->at(begin + starts[s])));
      }
    });
  }

  void store_values() {
    bool exact = form.request.args[10] != 0;
    typed_values(form.request.args[8], form.request.args[9], [&](auto *values) {
      bool each = form.count > 0 && form.levels[form.count - 1].is_ranked();
      for (int64_t i = 0; i < n; i++) {
        int64_t at = each ? begin + i : form.count == 0 ? 0 : above[i];
        store(values + at, form.records.value(begin + i), exact);
      }
    });
  }
};

/* Stores the bounds behind the last parent with a record. */
template <int K>
void finish(const Form<K> &form) {
  int64_t n = form.request.count();
  int64_t parents = 1;
  int64_t last = n == 0 ? -1 : 0;
  for (int l = 0; l < form.count; l++) {
    const Shape &level = form.levels[l];
    if (level.kind == COMPRESSED) {
      typed(level.pos, level.pos_bytes, [&](auto *pos) {
        if (n == 0) pos[0] = 0;
        auto all = narrow(pos, static_cast<uint64_t>(level.positions));
        for (int64_t p = last + 1; p <= parents; p++) pos[p] = all;
      });
    }
    if (level.is_ranked()) {
      last = level.positions - 1;
    } else if (last >= 0) {
      last = last * static_cast<int64_t>(level.size) +
             static_cast<int64_t>(level.coordinate(form.records.at(n - 1)));
    }
    parents = level.positions;
  }
}

template <int K>
void build(const Request &request) {
  Form<K> form(request);
  const int64_t *runs = reinterpret_cast<const int64_t *>(request.args[5]);
  each(request.threads(), request.chunks(), [&](int64_t chunk) {
    Build<K> part(form, chunk, runs + chunk * request.listed());
    part.run();
  });
  finish(form);
}

}  // namespace

void count_levels(Request request) {
  request.words() == 1 ? count_runs<1>(request) : count_runs<0>(request);
}

void build_levels(Request request) {
  request.words() == 1 ? build<1>(request) : build<0>(request);
}

}  // namespace weft
