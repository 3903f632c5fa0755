#include "operands.h"

#include <stdarg.h>
#include <stdio.h>

#include "memory.h"

namespace weft {
namespace {

thread_local char last_message[512];

long long shown(int64_t number) { return static_cast<long long>(number); }

int number(int64_t small) { return static_cast<int>(small); }

int64_t at(const void *array, int64_t bits, int64_t index) {
  return bits == 32 ? static_cast<const int32_t *>(array)[index]
                    : static_cast<const int64_t *>(array)[index];
}

const char *type_name(int64_t type) {
  switch (type) {
    case WEFT_INT32: return "WEFT_INT32";
    case WEFT_INT64: return "WEFT_INT64";
    case WEFT_FLOAT: return "WEFT_FLOAT";
    case WEFT_DOUBLE: return "WEFT_DOUBLE";
    default: return "no type";
  }
}

bool is_dense(const weft_ahead_tensor &spec) {
  for (int64_t l = 0; l < spec.order; l++) {
    if (spec.levels[l].kind != WEFT_DENSE_LEVEL) return false;
  }
  return true;
}

int32_t wrong_length(const weft_ahead_tensor &spec, int64_t level, const char *array, int64_t found,
                     int64_t expected) {
  return fail(WEFT_WRONG_FORMAT, "%s of level %d of %s (%s) has %lld elements, expected %lld", array,
              number(level), spec.name, spec.format, shown(found), shown(expected));
}

/* What an array without elements may be, too. */
bool is_missing(const void *array, int64_t length) { return array == nullptr && length > 0; }

int32_t missing_array(const weft_ahead_tensor &spec, int64_t level, const char *array) {
  return fail(WEFT_WRONG_FORMAT, "%s of level %d of %s (%s) is null", array, number(level), spec.name,
              spec.format);
}

/* The lengths of a level's arrays, and the ends of pos. Sets the number of its positions. */
int32_t look_at_level(const weft_ahead_tensor &spec, const weft_tensor &tensor, int64_t l,
                      int64_t parents, View *view) {
  const weft_ahead_level &level = spec.levels[l];
  const weft_level &arrays = tensor.levels[l];
  int64_t count = parents;
  if (level.kind == WEFT_DENSE_LEVEL) {
    if (__builtin_mul_overflow(parents, tensor.sizes[level.mode], &count) || count > most_elements) {
      return fail(WEFT_WRONG_SIZE, "%s (%s) has too many cells", spec.name, spec.format);
    }
  } else {
    if (level.kind == WEFT_COMPRESSED_LEVEL) {
      count = arrays.crd_length;
      view->pos[l] = arrays.pos;
      if (count < 0) return wrong_length(spec, l, "crd", count, 0);
      if (arrays.pos == nullptr && l == 0) {
        view->root[0] = 0;
        view->root[1] = count;
        if (tensor.index_bits == 32) reinterpret_cast<int32_t *>(view->root)[1] = number(count);
        view->pos[l] = view->root;
      } else if (arrays.pos == nullptr) {
        return missing_array(spec, l, "pos");
      } else if (arrays.pos_length != parents + 1) {
        return wrong_length(spec, l, "pos", arrays.pos_length, parents + 1);
      }
      int64_t first = at(view->pos[l], tensor.index_bits, 0);
      int64_t last = at(view->pos[l], tensor.index_bits, parents);
      if (first != 0 || last != count) {
        return fail(WEFT_WRONG_FORMAT,
                    "pos of level %d of %s (%s) goes from %lld to %lld, expected 0 to %lld",
                    number(l), spec.name, spec.format, shown(first), shown(last), shown(count));
      }
    }
    if (arrays.crd_length != count) return wrong_length(spec, l, "crd", arrays.crd_length, count);
    if (is_missing(arrays.crd, count)) return missing_array(spec, l, "crd");
    view->crd[l] = arrays.crd;
  }
  view->counts[l] = count;
  return WEFT_DONE;
}

/* Whether no number is less than the one before. Without a branch, so that it takes vectors. */
template <typename T>
bool ascends(const void *array, int64_t length) {
  const T *numbers = static_cast<const T *>(array);
  int64_t falls = 0;
  for (int64_t i = 1; i < length; i++) falls |= numbers[i] < numbers[i - 1];
  return falls == 0;
}

/* Whether all numbers are from 0 to size - 1; a negative one is large without its sign. */
template <typename T>
bool within(const void *array, int64_t length, uint64_t size) {
  const T *numbers = static_cast<const T *>(array);
  T most = 0;
  for (int64_t i = 0; i < length; i++) most = numbers[i] > most ? numbers[i] : most;
  return length == 0 || most < size;
}

/* pos ascends. Its ends are known. */
int32_t check_segments(const weft_ahead_tensor &spec, const weft_tensor &tensor, int64_t l,
                       int64_t parents, const View &view) {
  bool ascend = tensor.index_bits == 32 ? ascends<int32_t>(view.pos[l], parents + 1)
                                        : ascends<int64_t>(view.pos[l], parents + 1);
  for (int64_t p = 0; p < parents && !ascend; p++) {
    int64_t from = at(view.pos[l], tensor.index_bits, p);
    int64_t to = at(view.pos[l], tensor.index_bits, p + 1);
    if (from > to) {
      return fail(WEFT_BAD_INDEX, "pos of level %d of %s (%s) has %lld after %lld, at %lld of %lld",
                  number(l), spec.name, spec.format, shown(to), shown(from), shown(p + 1),
                  shown(parents));
    }
  }
  return WEFT_DONE;
}

/* Coordinates are in range. */
int32_t check_range(const weft_ahead_tensor &spec, const weft_tensor &tensor, int64_t l,
                    const View &view) {
  int64_t size = tensor.sizes[spec.levels[l].mode];
  uint64_t limit = static_cast<uint64_t>(size);
  bool inside = tensor.index_bits == 32 ? within<uint32_t>(view.crd[l], view.counts[l], limit)
                                        : within<uint64_t>(view.crd[l], view.counts[l], limit);
  for (int64_t p = 0; p < view.counts[l] && !inside; p++) {
    int64_t crd = at(view.crd[l], tensor.index_bits, p);
    if (crd < 0 || crd >= size) {
      return fail(WEFT_BAD_INDEX, "crd of level %d of %s (%s) has coordinate %lld at %lld, expected 0 to %lld",
                  number(l), spec.name, spec.format, shown(crd), shown(p), shown(size - 1));
    }
  }
  return WEFT_DONE;
}

/* Compares the entries at p - 1 and p of a level and the singletons below that share its
 * positions: < 0, 0, > 0. */
int64_t compare(const weft_ahead_tensor &spec, const weft_tensor &tensor, int64_t l, int64_t p,
                const View &view, int64_t *last) {
  for (;; l++) {
    *last = l;
    int64_t before = at(view.crd[l], tensor.index_bits, p - 1);
    int64_t here = at(view.crd[l], tensor.index_bits, p);
    if (before != here) return before < here ? -1 : 1;
    if (l + 1 == spec.order || spec.levels[l + 1].kind != WEFT_SINGLETON_LEVEL) return 0;
  }
}

/* Coordinates ascend below every position, and are there once where the format says so. */
int32_t check_order(const weft_ahead_tensor &spec, const weft_tensor &tensor, int64_t l,
                    int64_t parents, const View &view) {
  if (!spec.levels[l].ordered) return WEFT_DONE;
  for (int64_t parent = 0; parent < parents; parent++) {
    int64_t from = at(view.pos[l], tensor.index_bits, parent);
    int64_t to = at(view.pos[l], tensor.index_bits, parent + 1);
    for (int64_t p = from + 1; p < to; p++) {
      int64_t last = l;
      int64_t order = compare(spec, tensor, l, p, view, &last);
      if (order > 0 || (order == 0 && spec.levels[last].unique)) {
        return fail(WEFT_NOT_SORTED,
                    "crd of level %d of %s (%s) has coordinate %lld after %lld at %lld: %s",
                    number(last), spec.name, spec.format,
                    shown(at(view.crd[last], tensor.index_bits, p)),
                    shown(at(view.crd[last], tensor.index_bits, p - 1)), shown(p),
                    order > 0 ? "sort the entries" : "add up entries with the same coordinates");
      }
    }
  }
  return WEFT_DONE;
}

int32_t check_level(const weft_ahead_tensor &spec, const weft_tensor &tensor, int64_t l,
                    int64_t parents, const View &view, Look look) {
  int64_t kind = spec.levels[l].kind;
  if (kind == WEFT_DENSE_LEVEL) return WEFT_DONE;
  int32_t code = WEFT_DONE;
  if (kind == WEFT_COMPRESSED_LEVEL) code = check_segments(spec, tensor, l, parents, view);
  return code == WEFT_DONE && look >= RANGES ? check_range(spec, tensor, l, view) : code;
}

int32_t look_at_type(const weft_ahead_tensor &spec, const weft_tensor &tensor) {
  if (tensor.vals == nullptr && tensor.order == 0 && tensor.value_type == 0) {
    return fail(WEFT_NO_OPERAND, "the operand %s is missing", spec.name);
  }
  if (tensor.order != spec.order) {
    return fail(WEFT_WRONG_SIZE, "%s has %d modes, expected %d", spec.name, tensor.order,
                number(spec.order));
  }
  if (tensor.value_type != spec.value_type) return wrong_type(spec, tensor);
  if (!is_dense(spec) && tensor.index_bits != 32 && tensor.index_bits != 64) {
    return fail(WEFT_WRONG_TYPE, "pos and crd of %s have %d bits, expected 32 or 64", spec.name,
                tensor.index_bits);
  }
  for (int64_t m = 0; m < spec.order; m++) {
    if (tensor.sizes[m] < 0) {
      return fail(WEFT_WRONG_SIZE, "mode %d of %s has size %lld, expected 0 or more", number(m),
                  spec.name, shown(tensor.sizes[m]));
    }
  }
  return WEFT_DONE;
}

}  // namespace

int32_t look_at(const weft_ahead_tensor &spec, const weft_tensor &tensor, View *view, Look look) {
  int32_t code = look_at_type(spec, tensor);
  int64_t parents = 1;
  for (int64_t l = 0; l < spec.order && code == WEFT_DONE; l++) {
    code = look_at_level(spec, tensor, l, parents, view);
    if (code == WEFT_DONE) parents = view->counts[l];
  }
  if (code != WEFT_DONE) return code;
  if (tensor.vals_length != parents) {
    return fail(WEFT_WRONG_FORMAT, "%s (%s) has %lld values, expected %lld", spec.name, spec.format,
                shown(tensor.vals_length), shown(parents));
  }
  if (is_missing(tensor.vals, parents)) {
    return fail(WEFT_WRONG_FORMAT, "the values of %s are null", spec.name);
  }
  parents = 1; /* whose lengths all agree: arrays are read that are as long as they say */
  for (int64_t l = 0; l < spec.order; l++) {
    code = check_level(spec, tensor, l, parents, *view, look);
    if (code != WEFT_DONE) return code;
    parents = view->counts[l];
  }
  parents = 1;
  for (int64_t l = 0; l < spec.order && look == ORDER; l++) {
    if (spec.levels[l].kind == WEFT_COMPRESSED_LEVEL) {
      code = check_order(spec, tensor, l, parents, *view);
      if (code != WEFT_DONE) return code;
    }
    parents = view->counts[l];
  }
  return WEFT_DONE;
}

Widened::~Widened() {
  for (int b = 0; b < count_; b++) release(blocks_[b], 0);
}

const void *Widened::copy(const void *from, int64_t length) {
  int64_t *to = static_cast<int64_t *>(allocate(length < 1 ? 8 : length * 8));
  if (to == nullptr) return nullptr;
  blocks_[count_++] = to;
  for (int64_t i = 0; i < length; i++) to[i] = static_cast<const int32_t *>(from)[i];
  return to;
}

bool Widened::widen(const weft_ahead_tensor &spec, const weft_tensor &tensor, View *view) {
  if (tensor.index_bits == 64) return true;
  int64_t parents = 1;
  for (int64_t l = 0; l < spec.order; l++) {
    if (spec.levels[l].kind == WEFT_COMPRESSED_LEVEL) {
      view->pos[l] = copy(view->pos[l], parents + 1);
      if (view->pos[l] == nullptr) return false;
    }
    if (spec.levels[l].kind != WEFT_DENSE_LEVEL) {
      view->crd[l] = copy(view->crd[l], view->counts[l]);
      if (view->crd[l] == nullptr) return false;
    }
    parents = view->counts[l];
  }
  return true;
}

int32_t wrong_type(const weft_ahead_tensor &spec, const weft_tensor &tensor) {
  return fail(WEFT_WRONG_TYPE, "the values of %s are %s, expected %s", spec.name,
              type_name(tensor.value_type), type_name(spec.value_type));
}

int32_t fail(int32_t code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(last_message, sizeof last_message, format, arguments);
  va_end(arguments);
  return code;
}

void clear_message() { last_message[0] = 0; }

const char *message() { return last_message; }

}  // namespace weft
