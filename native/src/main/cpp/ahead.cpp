#include "ahead.h"

#include <cpuid.h>
#include <string.h>

#include "memory.h"
#include "operands.h"
#include "placement.h"
#include "weft_runtime.h"

namespace weft {
namespace {

/* The numbers of org.weft.runtime.Slot.Kind. */
enum Kind {
  RUNTIME,
  STATUS,
  STATUS_DETAIL,
  MODE_SIZE,
  POSITIONS,
  POS,
  CRD,
  VALS,
  SCALAR,
  POS_LENGTH,
  CRD_LENGTH,
  VALS_LENGTH,
  LEVEL_SIZE
};

constexpr int64_t most_narrow = INT32_MAX;

bool has_bits(uint32_t word, uint32_t bits) { return (word & bits) == bits; }

/* The x86-64 level of this processor, as far as the system lets programs use it. */
int64_t cpu_level() {
  uint32_t a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return 2;
  constexpr uint32_t fma_movbe_osxsave_avx_f16c = 1u << 12 | 1u << 22 | 1u << 27 | 1u << 28 | 1u << 29;
  if (!has_bits(c, fma_movbe_osxsave_avx_f16c)) return 2;
  uint32_t enabled, high;
  __asm__("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
  uint32_t features;
  if (!has_bits(enabled, 0x6) || !__get_cpuid_count(7, 0, &a, &features, &c, &d)) return 2;
  constexpr uint32_t bmi_avx2_bmi2 = 1u << 3 | 1u << 5 | 1u << 8;
  constexpr uint32_t lzcnt = 1u << 5;
  if (!has_bits(features, bmi_avx2_bmi2)) return 2;
  if (!__get_cpuid(0x80000001, &a, &b, &c, &d) || !has_bits(c, lzcnt)) return 2;
  constexpr uint32_t avx512 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
  return has_bits(enabled, 0xe6) && has_bits(features, avx512) ? 4 : 3;
}

int64_t processors() {
  static const int64_t known = cpus_of_process();
  return known;
}

int64_t value_bytes(int64_t type) { return type == WEFT_INT32 || type == WEFT_FLOAT ? 4 : 8; }

/* Bytes in memory. */
struct Range {
  const void *from;
  int64_t bytes;

  bool meets(const Range &other) const {
    uintptr_t here = reinterpret_cast<uintptr_t>(from);
    uintptr_t there = reinterpret_cast<uintptr_t>(other.from);
    return there < here + static_cast<uintptr_t>(bytes) &&
           here < there + static_cast<uintptr_t>(other.bytes);
  }
};

/* One call: its tensors and what it makes. */
class Call {
 public:
  Call(const weft_ahead *library, weft_tensor *tensors) : library_(library), tensors_(tensors) {}

  int32_t run(int32_t threads, int32_t check) {
    static const int64_t level = cpu_level();
    if (level < library_->cpu) {
      return fail(WEFT_WRONG_CPU, "the library is compiled for x86-64-v%d, this processor has v%d",
                  static_cast<int>(library_->cpu), static_cast<int>(level));
    }
    int32_t code = look(check);
    if (code == WEFT_DONE) code = size_up();
    if (code != WEFT_DONE) return code;
    threads_ = threads > 0 ? threads : library_->threads > 0 ? library_->threads : processors();
    bool wide = needs_wide();
    if (!wide) code = call(library_->kernel[0]);
    bool too_narrow = !wide && code == WEFT_TOO_WIDE && library_->kernels > 1;
    if (wide || too_narrow) {
      clear_message();
      code = call_wide();
    }
    return code;
  }

 private:
  const weft_ahead_tensor &spec(int64_t t) const { return library_->tensor[t]; }

  /* `check` says whether the order of all operands is looked at, and by bit t the coordinates of t. */
  int32_t look(int32_t check) {
    for (int64_t t = 1; t < library_->tensors; t++) {
      Look look = check & 1 ? ORDER : check >> t & 1 ? RANGES : OFFSETS;
      int32_t code = look_at(spec(t), tensors_[t], &views_[t], look);
      if (code != WEFT_DONE) return code;
    }
    return WEFT_DONE;
  }

  /* Compares sizes that have to agree, and finds the result's. */
  int32_t size_up() {
    weft_tensor *result = &tensors_[0];
    bool given = result->vals != nullptr;
    if (given && spec(0).role == WEFT_ASSEMBLED) {
      return fail(WEFT_WRONG_FORMAT, "the result %s is sparse: the library makes it, vals is null",
                  spec(0).name);
    }
    if (given && result->order != spec(0).order) {
      return fail(WEFT_WRONG_SIZE, "the result %s has %d modes, expected %d", spec(0).name,
                  result->order, static_cast<int>(spec(0).order));
    }
    for (int64_t r = 0; r < library_->rules; r++) {
      const weft_ahead_rule &rule = library_->rule[r];
      int64_t expected =
          rule.other < 0 ? rule.size : tensors_[rule.other].sizes[rule.other_mode];
      int64_t *found = &tensors_[rule.tensor].sizes[rule.mode];
      if (rule.tensor == 0 && !given) *found = expected;
      if (*found == expected) continue;
      if (rule.other < 0) {
        return fail(WEFT_WRONG_SIZE, "mode %d of %s has size %lld, expected %lld, the size of %s",
                    static_cast<int>(rule.mode), spec(rule.tensor).name,
                    static_cast<long long>(*found), static_cast<long long>(expected), rule.label);
      }
      return fail(WEFT_WRONG_SIZE,
                  "mode %d of %s has size %lld, expected %lld as mode %d of %s: both are %s",
                  static_cast<int>(rule.mode), spec(rule.tensor).name,
                  static_cast<long long>(*found), static_cast<long long>(expected),
                  static_cast<int>(rule.other_mode), spec(rule.other).name, rule.label);
    }
    return spec(0).role == WEFT_ASSEMBLED ? WEFT_DONE : look_at_result(given);
  }

  int32_t look_at_result(bool given) {
    weft_tensor *result = &tensors_[0];
    cells_ = 1;
    for (int64_t m = 0; m < spec(0).order; m++) {
      if (__builtin_mul_overflow(cells_, result->sizes[m], &cells_)) cells_ = INT64_MAX;
    }
    if (cells_ > most_elements) {
      return fail(WEFT_NO_MEMORY, "the result %s has too many cells", spec(0).name);
    }
    if (!given) return WEFT_DONE;
    if (result->value_type != spec(0).value_type) return wrong_type(spec(0), *result);
    if (result->vals_length != cells_) {
      return fail(WEFT_WRONG_SIZE, "the result %s has %lld values, expected %lld", spec(0).name,
                  static_cast<long long>(result->vals_length), static_cast<long long>(cells_));
    }
    for (int64_t t = 1; t < library_->tensors; t++) {
      if (shares_memory(*result, t)) {
        return fail(WEFT_OVERLAP, "the result %s shares memory with %s", spec(0).name,
                    spec(t).name);
      }
    }
    return WEFT_DONE;
  }

  /* Whether the values of a result lie in an array of operand t. */
  bool shares_memory(const weft_tensor &result, int64_t t) const {
    Range made{result.vals, cells_ * value_bytes(spec(0).value_type)};
    const weft_tensor &operand = tensors_[t];
    if (made.meets({operand.vals, operand.vals_length * value_bytes(spec(t).value_type)})) {
      return true;
    }
    int64_t index_bytes = operand.index_bits / 8;
    for (int64_t l = 0; l < spec(t).order; l++) {
      if (spec(t).levels[l].kind == WEFT_DENSE_LEVEL) continue;
      const weft_level &level = operand.levels[l];
      if (made.meets({level.crd, level.crd_length * index_bytes})) return true;
      bool has_pos = spec(t).levels[l].kind == WEFT_COMPRESSED_LEVEL && level.pos != nullptr;
      if (has_pos && made.meets({level.pos, level.pos_length * index_bytes})) return true;
    }
    return false;
  }

  /* Whether the kernel of 32-bit indices cannot serve. */
  bool needs_wide() const {
    if (library_->kernels < 2) return false;
    for (int64_t t = 0; t < library_->tensors; t++) {
      if (t > 0 && tensors_[t].index_bits == 64) return true;
      for (int64_t m = 0; m < spec(t).order; m++) {
        if (tensors_[t].sizes[m] > most_narrow) return true;
      }
    }
    return false;
  }

  int32_t call_wide() {
    Widened widened;
    for (int64_t t = 1; t < library_->tensors; t++) {
      if (!widened.widen(spec(t), tensors_[t], &views_[t])) return no_memory();
    }
    return call(library_->kernel[1]);
  }

  int32_t no_memory() const {
    return fail(WEFT_NO_MEMORY, "there is no memory for the result %s or for the work on it",
                spec(0).name);
  }

  int32_t call(const weft_ahead_kernel &kernel) {
    weft_tensor *result = &tensors_[0];
    bool assembled = spec(0).role == WEFT_ASSEMBLED;
    values_ = result->vals;
    if (!assembled) {
      size_t bytes = static_cast<size_t>(cells_ * value_bytes(spec(0).value_type));
      if (values_ == nullptr) values_ = allocate(bytes < 8 ? 8 : static_cast<int64_t>(bytes));
      if (values_ == nullptr) return no_memory();
      bool keeps = result->vals != nullptr && library_->adds;
      if (spec(0).role != WEFT_OVERWRITTEN && !keeps) memset(values_, 0, bytes);
    }
    weft_runtime table = weft_process_table()->table;
    table.threads = threads_;
    int64_t words[WEFT_MOST_SLOTS];
    for (int64_t s = 0; s < kernel.slots; s++) words[s] = word(kernel.slot[s]);
    words[0] = reinterpret_cast<int64_t>(&table);
    kernel.function(words);
    int32_t code = status(words[1]);
    if (assembled) return take(kernel, words, code);
    if (code != WEFT_DONE) {
      if (result->vals == nullptr) release(values_, 0);
      return code;
    }
    if (result->vals == nullptr) {
      name_result(0);
      result->vals = values_;
      result->vals_length = cells_;
    }
    return code;
  }

  void name_result(int32_t index_bits) {
    tensors_[0].order = static_cast<int32_t>(spec(0).order);
    tensors_[0].value_type = static_cast<int32_t>(spec(0).value_type);
    tensors_[0].index_bits = index_bits;
    tensors_[0].owned = 1;
  }

  /* What a slot holds at the start. */
  int64_t word(const weft_ahead_slot &slot) const {
    int64_t t = slot.tensor;
    if (t < 0) return 0;
    if (slot.kind == MODE_SIZE) return tensors_[t].sizes[slot.level];
    if (t == 0) return slot.kind == VALS ? reinterpret_cast<int64_t>(values_) : 0;
    const View &view = views_[t];
    switch (slot.kind) {
      case POSITIONS: return view.counts[slot.level];
      case POS: return reinterpret_cast<int64_t>(view.pos[slot.level]);
      case CRD: return reinterpret_cast<int64_t>(view.crd[slot.level]);
      case VALS: return reinterpret_cast<int64_t>(tensors_[t].vals);
      case SCALAR: return scalar(t);
      default: return 0;
    }
  }

  int64_t scalar(int64_t t) const {
    int64_t bits = 0;
    memcpy(&bits, tensors_[t].vals, static_cast<size_t>(value_bytes(spec(t).value_type)));
    return bits;
  }

  int32_t status(int64_t number) const {
    switch (number) {
      case WEFT_OK: return WEFT_DONE;
      case WEFT_OUT_OF_MEMORY: return no_memory();
      case WEFT_WIDTH_OVERFLOW:
        return fail(WEFT_TOO_WIDE, "the result %s has more entries than its indices can count",
                    spec(0).name);
      default:
        return fail(WEFT_NO_FIT, "the format %s of the result %s cannot hold its entries",
                    spec(0).format, spec(0).name);
    }
  }

  /* Takes over, or frees, the arrays of a result that the kernel assembled. */
  int32_t take(const weft_ahead_kernel &kernel, const int64_t *words, int32_t code) {
    weft_tensor made = {};
    memcpy(made.sizes, tensors_[0].sizes, sizeof made.sizes);
    int64_t counts[WEFT_MOST_MODES] = {};
    for (int64_t s = 0; s < kernel.slots; s++) {
      const weft_ahead_slot &slot = kernel.slot[s];
      if (slot.tensor != 0) continue;
      void *block = reinterpret_cast<void *>(words[s]);
      if (slot.kind == POSITIONS) counts[slot.level] = words[s];
      if (slot.kind == POS) made.levels[slot.level].pos = block;
      if (slot.kind == CRD) made.levels[slot.level].crd = block;
      if (slot.kind == VALS) made.vals = block;
    }
    made.owned = 1;
    if (code == WEFT_DONE) code = complete(&made, counts, kernel.index_bits);
    if (code != WEFT_DONE) {
      weft_ahead_free(&made);
      return code;
    }
    tensors_[0] = made;
    name_result(static_cast<int32_t>(kernel.index_bits));
    return WEFT_DONE;
  }

  /* Sets the lengths, and makes arrays that the kernel left out because they have no entry. */
  int32_t complete(weft_tensor *made, const int64_t *counts, int64_t bits) const {
    int64_t parents = 1;
    for (int64_t l = 0; l < spec(0).order; l++) {
      const weft_ahead_level &level = spec(0).levels[l];
      int64_t count = parents;
      if (level.kind == WEFT_DENSE_LEVEL) count *= made->sizes[level.mode];
      if (level.kind == WEFT_COMPRESSED_LEVEL) count = counts[l];
      if (bits == 32 && (count > most_narrow || parents > most_narrow)) {
        return status(WEFT_WIDTH_OVERFLOW);
      }
      weft_level *to = &made->levels[l];
      if (level.kind == WEFT_COMPRESSED_LEVEL) {
        to->pos_length = parents + 1;
        if (!present(&to->pos, (parents + 1) * bits / 8)) return no_memory();
      }
      if (level.kind != WEFT_DENSE_LEVEL) {
        to->crd_length = count;
        if (!present(&to->crd, count * bits / 8)) return no_memory();
      }
      parents = count;
    }
    made->vals_length = parents;
    return present(&made->vals, parents * value_bytes(spec(0).value_type)) ? WEFT_DONE : no_memory();
  }

  /* Makes an array of zeros if there is none. */
  static bool present(void **array, int64_t bytes) {
    if (*array != nullptr) return true;
    *array = allocate(bytes < 8 ? 8 : bytes);
    if (*array != nullptr) memset(*array, 0, static_cast<size_t>(bytes));
    return *array != nullptr;
  }

  const weft_ahead *library_;
  weft_tensor *tensors_;
  View views_[WEFT_MOST_TENSORS];
  int64_t threads_ = 1;
  int64_t cells_ = 0;
  void *values_ = nullptr;
};

}  // namespace
}  // namespace weft

extern "C" int32_t weft_ahead_call(const weft_ahead *library, weft_tensor *tensors, int32_t threads,
                                   int32_t check) {
  weft::clear_message();
  if (tensors == nullptr) {
    return weft::fail(WEFT_NO_OPERAND, "the result %s is missing", library->tensor[0].name);
  }
  return weft::Call(library, tensors).run(threads, check);
}

extern "C" void weft_ahead_free(weft_tensor *result) {
  if (result == nullptr || !result->owned) return;
  for (weft_level &level : result->levels) {
    weft::release(level.pos, 0);
    weft::release(level.crd, 0);
    level = {};
  }
  weft::release(result->vals, 0);
  result->vals = nullptr;
  result->vals_length = 0;
  result->owned = 0;
}

extern "C" const char *weft_ahead_message(void) { return weft::message(); }
