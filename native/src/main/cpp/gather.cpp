#include "gather.h"

#include <pthread.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "memory.h"

namespace weft {
namespace {

/* What a thread makes before it is copied: it stays in the thread's own cache. */
constexpr int64_t piece_bytes = int64_t{384} << 10;
/* Items of the first pieces, before it is known what an item yields. */
constexpr int64_t first_items = 512;
/* Results from here on do not fit a cache: they are written past it. */
constexpr int64_t streamed_from = int64_t{16} << 20;
constexpr int64_t most_parts = 256; /* three arrays at most for each of 64 levels, and values */
/* Pieces left per thread when the items run out, so that threads end at the same time. */
constexpr int64_t last_pieces = 4;

/* A piece that came before the one it follows: `waiting` until it has its place, then `ready` to be
 * copied. Its maker copies it, which has it in its cache perhaps, or once all items are taken whoever
 * comes. */
struct Kept {
  Kept *next;
  int64_t piece;
  const weft_part *maker;
  weft_part parts[];
};

struct Gather {
  const weft_runtime *runtime;
  int64_t parts;
  int64_t items;
  int64_t threads;
  int64_t taken;   /* items given out */
  int64_t pieces;  /* pieces given out */
  int64_t placed;  /* pieces that have their place, all before the others */
  int64_t bytes;   /* of pieces that were made */
  int64_t made;    /* items of these pieces */
  int64_t copying; /* threads that write to the whole */
  Kept *waiting;
  Kept *ready;
  Kept *spare; /* with blocks for the next piece that waits */
  pthread_mutex_t lock;
  pthread_cond_t still; /* nobody copies */
  weft_part whole[]; /* behind it, for every part: */
};

/* The last element of a part with a joint, which is not in the whole yet: the next piece may go on
 * there. */
uint64_t *last_of(Gather *gather) {
  return reinterpret_cast<uint64_t *>(gather->whole + gather->parts);
}

struct Lock {
  explicit Lock(Gather *gather) : mutex(&gather->lock) { pthread_mutex_lock(mutex); }
  ~Lock() { pthread_mutex_unlock(mutex); }
  pthread_mutex_t *mutex;
};

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Copies past the caches. */
void stream(char *to, const char *from, int64_t bytes) {
#if defined(__SSE2__)
  int64_t head = least(bytes, (64 - static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % 64)) % 64);
  memcpy(to, from, static_cast<size_t>(head));
  int64_t at = head;
  for (; at + 64 <= bytes; at += 64) {
    const __m128i *source = reinterpret_cast<const __m128i *>(from + at);
    __m128i *target = reinterpret_cast<__m128i *>(to + at);
    __m128i a = _mm_loadu_si128(source);
    __m128i b = _mm_loadu_si128(source + 1);
    __m128i c = _mm_loadu_si128(source + 2);
    __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
  memcpy(to + at, from + at, static_cast<size_t>(bytes - at));
#else
  memcpy(to, from, static_cast<size_t>(bytes));
#endif
}

template <typename T>
void shifted(void *to, const void *from, int64_t count, int64_t shift) {
  T *target = static_cast<T *>(to);
  const T *source = static_cast<const T *>(from);
  for (int64_t i = 0; i < count; i++) target[i] = static_cast<T>(source[i] + static_cast<T>(shift));
}

char *element(const weft_part &part, int64_t at) {
  return static_cast<char *>(part.block) + (part.lead + at) * part.width;
}

/* Elements are little-endian. */
uint64_t read(const weft_part &part, int64_t at) {
  uint64_t value = 0;
  memcpy(&value, element(part, at), static_cast<size_t>(part.width));
  return value;
}

/* The elements of a piece behind its lead, to their place; but for the last if it may go on. */
void copy(char *to, const weft_part &piece, int64_t shift, bool large) {
  const char *from = element(piece, 0);
  int64_t count = piece.joint >= 0 ? most(piece.count - 1, 0) : piece.count;
  if (piece.shift < 0) {
    if (large) {
      stream(to, from, count * piece.width);
    } else {
      memcpy(to, from, static_cast<size_t>(count * piece.width));
    }
  } else if (piece.width == 1) {
    shifted<uint8_t>(to, from, count, shift);
  } else if (piece.width == 2) {
    shifted<uint16_t>(to, from, count, shift);
  } else if (piece.width == 4) {
    shifted<uint32_t>(to, from, count, shift);
  } else {
    shifted<uint64_t>(to, from, count, shift);
  }
}

void release_blocks(Gather *gather, weft_part *parts) {
  for (int64_t p = 0; p < gather->parts; p++) {
    gather->runtime->release(parts[p].block, parts[p].bytes);
    parts[p].block = nullptr;
    parts[p].bytes = 0;
  }
}

/* What all items will need if the others yield as much as those so far, and a little more: pages
 * that are not written cost nothing. */
int64_t expected_bytes(const Gather *gather, int64_t bytes) {
  double share = static_cast<double>(gather->items) / static_cast<double>(most(1, gather->made));
  double expected = 1.1 * share * static_cast<double>(bytes);
  return expected < 1e12 ? static_cast<int64_t>(expected) : 0;
}

bool grow_whole(Gather *gather, weft_part &whole, int64_t bytes) {
  void *block = gather->runtime->grow(whole.block, whole.bytes, bytes);
  if (block == nullptr) return false;
  whole.block = block;
  whole.bytes = bytes;
  return true;
}

/* Room for one more piece. Nobody copies while a whole moves. Under the lock. */
bool make_room(Gather *gather, const weft_part *parts) {
  for (int64_t p = 0; p < gather->parts; p++) {
    weft_part &whole = gather->whole[p];
    int64_t needed = whole.lead + whole.count + parts[p].count;
    if (needed * whole.width <= whole.bytes) continue;
    while (gather->copying > 0) pthread_cond_wait(&gather->still, &gather->lock);
    int64_t doubled = most(2 * whole.bytes, needed * whole.width);
    int64_t expected = expected_bytes(gather, needed * whole.width);
    if (expected > doubled && grow_whole(gather, whole, expected)) continue;
    if (!grow_whole(gather, whole, doubled)) return false;
  }
  return true;
}

/* How many groups go on with a piece: their last coordinates are its first. */
int64_t joined(Gather *gather, const weft_part *parts) {
  const uint64_t *last = last_of(gather);
  int64_t groups = 0;
  for (int64_t p = 0; p < gather->parts; p++) {
    const weft_part &part = parts[p];
    if (part.joint < 0 || part.shift >= 0) continue;
    bool same = gather->whole[p].count > 0 && part.count > 0 && read(part, 0) == last[p];
    if (!same) return least(groups, part.joint);
    groups = part.joint + 1;
  }
  return groups;
}

/* Writes the last element of a part with a joint, under the lock: the whole does not move. */
void write_last(Gather *gather, int64_t p) {
  const weft_part &whole = gather->whole[p];
  if (whole.count == 0) return;
  memcpy(element(whole, whole.count - 1), last_of(gather) + p, static_cast<size_t>(whole.width));
}

/* Gives a piece the next place: behind the elements that there are, or on the last of them where it
 * goes on. */
bool assign(Gather *gather, const weft_part *parts, int64_t *place) {
  if (!make_room(gather, parts)) return false;
  int64_t groups = joined(gather, parts);
  for (int64_t p = 0; p < gather->parts; p++) {
    const weft_part &part = parts[p];
    bool again = part.joint >= 0 && part.joint < groups;
    if (part.joint >= 0 && part.count > 0 && !again) write_last(gather, p);
    place[p] = gather->whole[p].count - again;
    gather->whole[p].count = place[p] + part.count;
  }
  for (int64_t p = 0; p < gather->parts; p++) {
    const weft_part &part = parts[p];
    if (part.joint < 0 || part.count == 0) continue;
    uint64_t shift = part.shift >= 0 ? static_cast<uint64_t>(place[part.shift]) : 0;
    last_of(gather)[p] = read(part, part.count - 1) + shift;
  }
  gather->placed++;
  return true;
}

/* Copies a piece to its place, with the lock released. */
void copy_piece(Gather *gather, const weft_part *parts, const int64_t *place) {
  char *to[most_parts];
  bool large = false;
  for (int64_t p = 0; p < gather->parts; p++) {
    to[p] = element(gather->whole[p], place[p]);
    large = large || gather->whole[p].bytes >= streamed_from;
  }
  gather->copying++;
  pthread_mutex_unlock(&gather->lock);
  for (int64_t p = 0; p < gather->parts; p++) {
    copy(to[p], parts[p], parts[p].shift < 0 ? 0 : place[parts[p].shift], large);
  }
  pthread_mutex_lock(&gather->lock);
  if (--gather->copying == 0) pthread_cond_broadcast(&gather->still);
}

/* The place of a kept piece stands behind its parts. */
int64_t *place_of(Gather *gather, Kept *kept) {
  return reinterpret_cast<int64_t *>(kept->parts + gather->parts);
}

/* Keeps a piece for later; the thread that made it goes on with the blocks of one that was copied,
 * or with none. */
bool keep(Gather *gather, int64_t piece, weft_part *parts) {
  Kept *kept = gather->spare;
  if (kept != nullptr) {
    gather->spare = kept->next;
  } else {
    size_t each = sizeof(weft_part) + sizeof(int64_t);
    size_t bytes = sizeof(Kept) + static_cast<size_t>(gather->parts) * each;
    kept = static_cast<Kept *>(gather->runtime->alloc(static_cast<int64_t>(bytes)));
    if (kept == nullptr) return false;
    memset(kept, 0, bytes);
  }
  for (int64_t p = 0; p < gather->parts; p++) {
    weft_part spare = kept->parts[p];
    kept->parts[p] = parts[p];
    parts[p].block = spare.block;
    parts[p].bytes = spare.bytes;
  }
  kept->piece = piece;
  kept->maker = parts;
  kept->next = gather->waiting;
  gather->waiting = kept;
  return true;
}

/* Gives all waiting pieces whose turn has come their places. */
bool assign_waiting(Gather *gather) {
  for (Kept **link = &gather->waiting; *link != nullptr;) {
    Kept *first = *link;
    if (first->piece != gather->placed) {
      link = &first->next;
      continue;
    }
    *link = first->next;
    bool assigned = assign(gather, first->parts, place_of(gather, first)); /* may release the lock */
    Kept **list = assigned ? &gather->ready : &gather->spare;
    first->next = *list;
    *list = first;
    if (!assigned) return false;
    link = &gather->waiting;
  }
  return true;
}

/* Takes a piece off the ready ones that `maker` is to copy. */
Kept *take_ready(Gather *gather, const weft_part *maker) {
  for (Kept **link = &gather->ready; *link != nullptr; link = &(*link)->next) {
    if ((*link)->maker != maker && gather->taken < gather->items) continue;
    Kept *found = *link;
    *link = found->next;
    return found;
  }
  return nullptr;
}

void release_all(Gather *gather, Kept *list) {
  while (list != nullptr) {
    Kept *first = list;
    list = first->next;
    release_blocks(gather, first->parts);
    gather->runtime->release(first, 0);
  }
}

}  // namespace

void *open_gather(const weft_runtime *runtime, const weft_part *wholes, int64_t parts,
                  int64_t items, int64_t threads) {
  size_t bytes = static_cast<size_t>(parts) * sizeof(weft_part);
  size_t all = sizeof(Gather) + bytes + static_cast<size_t>(parts) * sizeof(uint64_t);
  Gather *gather = static_cast<Gather *>(runtime->alloc(static_cast<int64_t>(all)));
  if (gather == nullptr) return nullptr;
  memset(gather, 0, all);
  gather->runtime = runtime;
  gather->parts = parts;
  gather->items = items;
  gather->threads = threads;
  pthread_mutex_init(&gather->lock, nullptr);
  pthread_cond_init(&gather->still, nullptr);
  memcpy(gather->whole, wholes, bytes);
  return gather;
}

int64_t take_items(void *opaque, int64_t *range) {
  Gather *gather = static_cast<Gather *>(opaque);
  Lock lock(gather);
  int64_t left = gather->items - gather->taken;
  if (left <= 0) return 0;
  int64_t wanted = left;
  if (gather->threads > 1) {
    wanted = first_items;
    if (gather->bytes > 0) {
      double yield = static_cast<double>(gather->bytes) / static_cast<double>(gather->made);
      wanted = static_cast<int64_t>(static_cast<double>(piece_bytes) / yield);
    } else if (gather->made > 0) {
      wanted = left;
    }
    wanted = least(wanted, left / (gather->threads * last_pieces));
    wanted = least(most(wanted, 1), left);
  }
  range[0] = gather->pieces++;
  range[1] = gather->taken;
  range[2] = gather->taken += wanted;
  return 1;
}

int64_t place_piece(void *opaque, const int64_t *range, weft_part *parts) {
  Gather *gather = static_cast<Gather *>(opaque);
  if (range[2] - range[1] == gather->items) { /* the only piece is the whole */
    release_blocks(gather, gather->whole);
    memcpy(gather->whole, parts, static_cast<size_t>(gather->parts) * sizeof(weft_part));
    for (int64_t p = 0; p < gather->parts; p++) {
      parts[p].block = nullptr;
      parts[p].bytes = 0;
    }
    return 1;
  }
  Lock lock(gather);
  for (int64_t p = 0; p < gather->parts; p++) gather->bytes += parts[p].count * parts[p].width;
  gather->made += range[2] - range[1];
  if (range[0] != gather->placed) {
    if (!keep(gather, range[0], parts)) return 0;
  } else {
    int64_t place[most_parts];
    if (!assign(gather, parts, place) || !assign_waiting(gather)) return 0;
    copy_piece(gather, parts, place);
  }
  for (Kept *own; (own = take_ready(gather, parts)) != nullptr;) {
    copy_piece(gather, own->parts, place_of(gather, own));
    own->next = gather->spare;
    gather->spare = own;
  }
  return 1;
}

void close_gather(void *opaque, weft_part *wholes) {
  Gather *gather = static_cast<Gather *>(opaque);
  release_all(gather, gather->waiting);
  release_all(gather, gather->ready);
  release_all(gather, gather->spare);
  for (int64_t p = 0; p < gather->parts; p++) {
    if (gather->whole[p].joint >= 0 && gather->placed > 0) write_last(gather, p);
  }
  memcpy(wholes, gather->whole, static_cast<size_t>(gather->parts) * sizeof(weft_part));
  pthread_mutex_destroy(&gather->lock);
  pthread_cond_destroy(&gather->still);
  gather->runtime->release(gather, 0);
}

}  // namespace weft
