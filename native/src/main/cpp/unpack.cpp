/* Stored entries as columns: the way back from levels to coordinates. From the last level to the first,
 * entries that share a position stay together as a run. */
#include "records.h"

namespace weft {
namespace {

constexpr int64_t block = 512;
constexpr int per_level = 9;

/* A level as listed. */
struct Stored {
  int kind;
  uint64_t size;
  int64_t positions;
  char *pos;
  int64_t pos_bytes;
  char *crd;
  int64_t crd_bytes;
  char *column;
  int64_t column_bytes;
};

Stored stored(const int64_t *at) {
  return {static_cast<int>(at[0]),        static_cast<uint64_t>(at[1]),
          at[2],                          reinterpret_cast<char *>(at[3]),
          at[4],                          reinterpret_cast<char *>(at[5]),
          at[6],                          reinterpret_cast<char *>(at[7]),
          at[8]};
}

/* Runs of entries with one position each: entries [end[i - 1], end[i]) have position at[i]. */
struct Runs {
  int64_t count;
  uint64_t at[block];
  int64_t end[block];

  /* Puts together the runs whose positions have the same parent; parent(position) is asked for
   * ascending positions. */
  template <typename F>
  void ascend(F parent) {
    int64_t made = 0;
    for (int64_t i = 0; i < count; i++) {
      uint64_t above = parent(at[i]);
      if (made == 0 || at[made - 1] != above) made++;
      at[made - 1] = above;
      end[made - 1] = end[i];
    }
    count = made;
  }
};

template <typename F>
void fill(const Runs &runs, const Stored &level, int64_t from, F coordinate) {
  typed(level.column, level.column_bytes, [&](auto *data) {
    auto *column = data + from;
    int64_t e = 0;
    for (int64_t i = 0; i < runs.count; i++) {
      auto c = narrow(column, coordinate(runs.at[i]));
      do column[e++] = c;
      while (e < runs.end[i]);
    }
  });
}

void put_coordinates(const Runs &runs, const Stored &level, int64_t from) {
  if (level.kind == DENSE) {
    fill(runs, level, from, [&](uint64_t p) { return p % level.size; });
  } else {
    typed(level.crd, level.crd_bytes, [&](auto *crd) {
      fill(runs, level, from, [&](uint64_t p) { return static_cast<uint64_t>(crd[p]); });
    });
  }
}

/* From positions of `level` to those of the one above, which has `above` of them. */
void ascend(Runs &runs, const Stored &level, int64_t above) {
  if (level.kind == DENSE) {
    runs.ascend([&](uint64_t p) { return p / level.size; });
  } else if (level.kind == COMPRESSED) {
    typed(level.pos, level.pos_bytes, [&](auto *pos) {
      int64_t low = 0;
      for (int64_t high = above; high - low > 1;) {
        int64_t middle = low + (high - low) / 2;
        (pos[middle] <= runs.at[0] ? low : high) = middle;
      }
      runs.ascend([&](uint64_t p) {
        while (pos[low + 1] <= p) low++;
        return static_cast<uint64_t>(low);
      });
    });
  }
}

template <typename T>
void put_values(const Request &request, int64_t first) {
  const T *values = reinterpret_cast<const T *>(request.args[5]) + first;
  double *out = reinterpret_cast<double *>(request.args[8]);
  for (int64_t i = 0; i < request.count(); i++) out[i] = static_cast<double>(values[i]);
}

}  // namespace

void unpack_entries(Request request) {
  int64_t first = request.args[11];
  int levels = static_cast<int>(request.listed());
  for (int64_t begin = 0; begin < request.count(); begin += block) {
    Runs runs;
    runs.count = begin + block < request.count() ? block : request.count() - begin;
    for (int64_t i = 0; i < runs.count; i++) {
      runs.at[i] = static_cast<uint64_t>(first + begin + i);
      runs.end[i] = i + 1;
    }
    for (int l = levels - 1; l >= 0; l--) {
      Stored level = stored(request.item(l, per_level));
      put_coordinates(runs, level, begin);
      if (l > 0) ascend(runs, level, request.item(l - 1, per_level)[2]);
    }
  }
  bool exact = request.args[10] != 0;
  switch (exact ? 0 : request.args[9]) {
    case 0:
      memcpy(reinterpret_cast<void *>(request.args[8]),
             reinterpret_cast<const char *>(request.args[5]) + 8 * first,
             static_cast<size_t>(request.count()) * 8);
      break;
    case 1: put_values<float>(request, first); break;
    case 2: put_values<int32_t>(request, first); break;
    default: put_values<int64_t>(request, first); break;
  }
}

}  // namespace weft
