/*
 * The native methods of org.weft.runtime.NativeRuntime. Arguments are raw addresses and numbers, or
 * arrays that are read in place; the Java side checks them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "weft_runtime.h"

#define WEFT_METHOD(type, name) \
  extern "C" JNIEXPORT type JNICALL Java_org_weft_runtime_NativeRuntime_##name

namespace {

template <typename T>
T *at(jlong address) {
  return reinterpret_cast<T *>(address);
}

jlong address_of(const void *pointer) { return reinterpret_cast<jlong>(pointer); }

/* The elements of a Java array. While they are held, the collector waits, and no JNI call
 * is made but to hold more. */
template <typename T>
class Elements {
 public:
  Elements(JNIEnv *of, jarray held)
      : env(of), array(held), data(static_cast<T *>(env->GetPrimitiveArrayCritical(array, nullptr))) {}
  ~Elements() {
    if (data != nullptr) env->ReleasePrimitiveArrayCritical(array, data, 0);
  }
  Elements(const Elements &) = delete;
  Elements &operator=(const Elements &) = delete;
  bool held() const { return data != nullptr; }
  T &operator[](jlong i) const { return data[i]; }

 private:
  JNIEnv *env;
  jarray array;
  T *data;
};

/* Calls `use` with the elements at an address. `type` is the ordinal of org.weft.memory.ElementType. */
template <typename Use>
auto with_elements(jlong address, jint type, Use use) {
  switch (type) {
    case 0:
      return use(at<const uint8_t>(address));
    case 1:
      return use(at<const uint16_t>(address));
    case 2:
      return use(at<const uint32_t>(address));
    case 3:
      return use(at<const int64_t>(address));
    case 4:
      return use(at<const int32_t>(address));
    case 5:
      return use(at<const float>(address));
    default:
      return use(at<const double>(address));
  }
}

}  // namespace

/* Kernels call libm without naming it: make its functions visible to libraries opened later. */
extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *, void *) {
  dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
  return JNI_VERSION_1_8;
}

/* path: a C string. Returns the handle, 0 on failure. */
WEFT_METHOD(jlong, dlopen)(JNIEnv *, jclass, jlong path) {
  return address_of(dlopen(at<const char>(path), RTLD_NOW | RTLD_LOCAL));
}

/* Returns the address, 0 if the library has no such symbol. */
WEFT_METHOD(jlong, dlsym)(JNIEnv *, jclass, jlong handle, jlong symbol) {
  return address_of(dlsym(at<void>(handle), at<const char>(symbol)));
}

/* Why the last dlopen or dlsym of this thread failed: a C string, valid until the next; or 0. */
WEFT_METHOD(jlong, dlerror)(JNIEnv *, jclass) { return address_of(dlerror()); }

WEFT_METHOD(void, call)(JNIEnv *, jclass, jlong function, jlong arguments) {
  reinterpret_cast<void (*)(int64_t *)>(function)(at<int64_t>(arguments));
}

/* name: a C string. Returns a file descriptor, or -errno. */
WEFT_METHOD(jint, memfd)(JNIEnv *, jclass, jlong name) {
  int descriptor = memfd_create(at<const char>(name), MFD_CLOEXEC);
  return descriptor >= 0 ? descriptor : -errno;
}

/*
 * Asks for huge pages for whole ones in [address, address + bytes): advice only, so that where the
 * system has none, small ones do.
 */
WEFT_METHOD(void, adviseHugePages)(JNIEnv *, jclass, jlong address, jlong bytes) {
  constexpr jlong huge_page = jlong{2} << 20;
  jlong from = (address + huge_page - 1) / huge_page * huge_page;
  jlong to = (address + bytes) / huge_page * huge_page;
  if (from < to) madvise(at<void>(from), static_cast<size_t>(to - from), MADV_HUGEPAGE);
}

/* The system may take whole pages in [address, address + bytes), whose content is not needed. */
WEFT_METHOD(void, adviseUnused)(JNIEnv *, jclass, jlong address, jlong bytes) {
  jlong page = sysconf(_SC_PAGESIZE);
  jlong from = (address + page - 1) / page * page;
  jlong to = (address + bytes) / page * page;
  if (from < to) madvise(at<void>(from), static_cast<size_t>(to - from), MADV_FREE);
}

/* Address of the weft_process. */
WEFT_METHOD(jlong, process)(JNIEnv *, jclass) { return address_of(weft_process_table()); }

/* The largest of column[from, to); negative if one of them is, or there is none; the least number of
 * all if the array cannot be held. */
WEFT_METHOD(jlong, largest)(JNIEnv *env, jclass, jintArray column, jint from, jint to) {
  Elements<jint> elements(env, column);
  if (!elements.held()) return INT64_MIN;
  jint largest = -1;
  jint signs = 0;
  for (jint e = from; e < to; e++) {
    jint element = elements[e];
    largest = element > largest ? element : largest;
    signs |= element;
  }
  return signs < 0 ? signs : largest;
}

/* The least of column[from, to), which has elements; the least number of all if the array cannot be
 * held. */
WEFT_METHOD(jlong, least)(JNIEnv *env, jclass, jintArray column, jint from, jint to) {
  Elements<jint> elements(env, column);
  if (!elements.held()) return INT64_MIN;
  jint least = elements[from];
  for (jint e = from; e < to; e++) least = elements[e] < least ? elements[e] : least;
  return least;
}

/* Whether column[from, to) never decreases: 1 or 0; -1 if the array cannot be held. */
WEFT_METHOD(jint, ascends)(JNIEnv *env, jclass, jintArray column, jint from, jint to) {
  Elements<jint> elements(env, column);
  if (!elements.held()) return -1;
  jint descents = 0;
  for (jint e = from + 1; e < to; e++) descents |= elements[e] < elements[e - 1];
  return 1 - descents;
}

/* Puts the last of `ranges` ascending starts that is no larger than each of column[0, size) into
 * `found`: 1, or 0 if an element is not within [starts[0], end); -1 if an array cannot be held. */
WEFT_METHOD(jint, ranges)(JNIEnv *env, jclass, jintArray column, jint size, jlongArray starts,
                          jint ranges, jlong end, jintArray found) {
  Elements<jint> elements(env, column);
  Elements<jlong> firsts(env, starts);
  Elements<jint> out(env, found);
  if (!elements.held() || !firsts.held() || !out.held()) return -1;
  jlong from = 0, to = 0; /* the range of the element before */
  jint range = 0;
  for (jint e = 0; e < size; e++) {
    jlong element = elements[e];
    if (element < from || element >= to) {
      if (element < firsts[0] || element >= end) return 0;
      range = 0;
      for (jint past = ranges; past - range > 1;) {
        jint middle = range + (past - range) / 2;
        (firsts[middle] <= element ? range : past) = middle;
      }
      from = firsts[range];
      to = range + 1 < ranges ? firsts[range + 1] : end;
    }
    out[e] = range;
  }
  return 1;
}

/* Adds 1 to the counts of the elements of column[from, to) without their lowest `shift` bits. */
WEFT_METHOD(jboolean, count)(JNIEnv *env, jclass, jintArray column, jint from, jint to, jint shift,
                             jintArray counts) {
  Elements<jint> elements(env, column);
  Elements<jint> counted(env, counts);
  if (!elements.held() || !counted.held()) return JNI_FALSE;
  for (jint e = from; e < to; e++) counted[elements[e] >> shift]++;
  return JNI_TRUE;
}

/* Multiplies each of `count` rows by scale[0, columns), element by element. */
WEFT_METHOD(jboolean, scaleRows)(JNIEnv *env, jclass, jdoubleArray rows, jint count,
                                 jdoubleArray scale, jint columns) {
  Elements<jdouble> elements(env, rows);
  Elements<jdouble> factors(env, scale);
  if (!elements.held() || !factors.held()) return JNI_FALSE;
  for (jlong row = 0; row < count; row++) {
    for (jint c = 0; c < columns; c++) elements[row * columns + c] *= factors[c];
  }
  return JNI_TRUE;
}

/* Takes `count` elements of some bytes apart: all first bytes, then all second bytes, and so on. */
WEFT_METHOD(void, splitPlanes)(JNIEnv *, jclass, jlong elements, jint width, jlong count,
                               jlong planes) {
  auto *from = at<const char>(elements);
  auto *to = at<char>(planes);
  if (width == 8) {
    for (jlong i = 0; i < count; i++) {
      for (jint b = 0; b < 8; b++) to[b * count + i] = from[i * 8 + b];
    }
    return;
  }
  for (jlong i = 0; i < count; i++) {
    for (jint b = 0; b < width; b++) to[b * count + i] = from[i * width + b];
  }
}

/* Adds `count` elements at `from` to those at `to`, which are others: floats or doubles. */
WEFT_METHOD(void, addElements)(JNIEnv *, jclass, jlong to, jlong from, jlong count, jboolean floats) {
  if (floats) {
    for (jlong e = 0; e < count; e++) at<float>(to)[e] += at<const float>(from)[e];
  } else {
    for (jlong e = 0; e < count; e++) at<double>(to)[e] += at<const double>(from)[e];
  }
}

/* Copies the rows of runs to where they lie one after the other. The next runs are on their way from
 * memory while one is copied. */
WEFT_METHOD(jboolean, gatherRows)(JNIEnv *env, jclass, jintArray firsts, jintArray counts, jint runs,
                                  jint row_bytes, jlong rows, jlong packed) {
  constexpr jint ahead = 8;
  Elements<jint> first(env, firsts);
  Elements<jint> count(env, counts);
  if (!first.held() || !count.held()) return JNI_FALSE;
  auto from = [&](jint run) { return at<const char>(rows + jlong{first[run]} * row_bytes); };
  char *to = at<char>(packed);
  for (jint run = 0; run < runs; run++) {
    if (run + ahead < runs) {
      __builtin_prefetch(from(run + ahead));
      __builtin_prefetch(from(run + ahead) + 64);
    }
    size_t bytes = static_cast<size_t>(count[run]) * static_cast<size_t>(row_bytes);
    memcpy(to, from(run), bytes);
    to += bytes;
  }
  return JNI_TRUE;
}

/* Copies the next bytes of rows that come one after the other to their places. `begun` is the run
 * that the first of them belongs to, above 32 bits, and how many bytes of it were there before.
 * Returns this for the byte after the last one; -1 if there are fewer rows, or they cannot be held. */
WEFT_METHOD(jlong, scatterRows)(JNIEnv *env, jclass, jintArray firsts, jintArray counts, jint runs,
                                jint row_bytes, jlong rows, jlong packed, jlong bytes, jlong begun) {
  Elements<jint> first(env, firsts);
  Elements<jint> count(env, counts);
  if (!first.held() || !count.held()) return -1;
  const char *from = at<const char>(packed);
  jint run = static_cast<jint>(begun >> 32);
  jlong done = begun & UINT32_MAX;
  for (jlong left = bytes; left > 0;) {
    if (run >= runs) return -1;
    jlong whole = jlong{count[run]} * row_bytes;
    jlong some = left < whole - done ? left : whole - done;
    memcpy(at<char>(rows + jlong{first[run]} * row_bytes + done), from, static_cast<size_t>(some));
    from += some;
    left -= some;
    done += some;
    if (done == whole) {
      run++;
      done = 0;
    }
  }
  return jlong{run} << 32 | done;
}

/* Sets bit element / width for each of `count` elements; false if a bit has no place. */
WEFT_METHOD(jboolean, setBits)(JNIEnv *env, jclass, jlong address, jlong count, jint type,
                               jlong width, jlongArray bits) {
  uint64_t most = static_cast<uint64_t>(env->GetArrayLength(bits)) * 64;
  Elements<jlong> words(env, bits);
  if (!words.held()) return JNI_FALSE;
  return with_elements(address, type, [&](auto *elements) -> jboolean {
    for (jlong e = 0; e < count; e++) {
      uint64_t element = static_cast<uint64_t>(elements[e]);
      uint64_t bit = width == 1 ? element : element / static_cast<uint64_t>(width);
      if (bit >= most) return JNI_FALSE;
      jlong &word = words[static_cast<jlong>(bit / 64)];
      word = static_cast<jlong>(static_cast<uint64_t>(word) | uint64_t{1} << bit % 64);
    }
    return JNI_TRUE;
  });
}

/* into[e] = table[column[e]] for e below size. */
WEFT_METHOD(jboolean, lookUp)(JNIEnv *env, jclass, jintArray column, jint size, jintArray table,
                              jintArray into) {
  Elements<jint> elements(env, column);
  Elements<jint> entries(env, table);
  Elements<jint> out(env, into);
  if (!elements.held() || !entries.held() || !out.held()) return JNI_FALSE;
  for (jint e = 0; e < size; e++) out[e] = entries[elements[e]];
  return JNI_TRUE;
}

/* The sum of counts[from, to); negative if the array cannot be held. */
WEFT_METHOD(jlong, sum)(JNIEnv *env, jclass, jintArray counts, jint from, jint to) {
  Elements<jint> elements(env, counts);
  if (!elements.held()) return -1;
  jlong sum = 0;
  for (jint e = from; e < to; e++) sum += elements[e];
  return sum;
}

/* How many of counts[from, to) are `least` or more; negative if the array cannot be held. */
WEFT_METHOD(jint, atLeast)(JNIEnv *env, jclass, jintArray counts, jint from, jint to, jint least) {
  Elements<jint> elements(env, counts);
  if (!elements.held()) return -1;
  jint found = 0;
  for (jint e = from; e < to; e++) found += elements[e] >= least ? 1 : 0;
  return found;
}

/* Those of counts[0, size) that are `least` or more, into found, in their order. */
WEFT_METHOD(jboolean, select)(JNIEnv *env, jclass, jintArray counts, jint size, jint least,
                              jlongArray found) {
  Elements<jint> elements(env, counts);
  Elements<jlong> out(env, found);
  if (!elements.held() || !out.held()) return JNI_FALSE;
  jint at = 0;
  for (jint e = 0; e < size; e++) {
    if (elements[e] >= least) out[at++] = elements[e];
  }
  return JNI_TRUE;
}

/* Adds 1 to heights[count] for each of counts[0, size) that is less than `most`. */
WEFT_METHOD(jboolean, heights)(JNIEnv *env, jclass, jintArray counts, jint size, jint most,
                               jintArray heights) {
  Elements<jint> elements(env, counts);
  Elements<jint> out(env, heights);
  if (!elements.held() || !out.held()) return JNI_FALSE;
  for (jint e = 0; e < size; e++) {
    if (elements[e] >= 0 && elements[e] < most) out[elements[e]]++;
  }
  return JNI_TRUE;
}

/* Into sums[i + 1] the sum of counts[0, i], and of all of them the last. */
WEFT_METHOD(jboolean, runningSums)(JNIEnv *env, jclass, jintArray counts, jint size,
                                   jlongArray sums) {
  Elements<jint> elements(env, counts);
  Elements<jlong> out(env, sums);
  if (!elements.held() || !out.held()) return JNI_FALSE;
  jlong sum = 0;
  for (jint e = 0; e < size; e++) {
    out[e] = sum;
    sum += elements[e];
  }
  out[size] = sum;
  return JNI_TRUE;
}

/* Adds numbers[i] to counts[(first + i) << width >> shift], for i below size. */
WEFT_METHOD(jboolean, addCounts)(JNIEnv *env, jclass, jlongArray numbers, jint size, jlong first,
                                 jint width, jint shift, jintArray counts) {
  Elements<jlong> elements(env, numbers);
  Elements<jint> out(env, counts);
  if (!elements.held() || !out.held()) return JNI_FALSE;
  for (jint e = 0; e < size; e++) {
    out[(first + e) << width >> shift] += static_cast<jint>(elements[e]);
  }
  return JNI_TRUE;
}

/* The sum of numbers[0, size), -2 if one of them is negative or it exceeds `most`; -1 if the array
 * cannot be held. */
WEFT_METHOD(jlong, sumWithin)(JNIEnv *env, jclass, jlongArray numbers, jint size, jlong most) {
  Elements<jlong> elements(env, numbers);
  if (!elements.held()) return -1;
  jlong sum = 0;
  for (jint e = 0; e < size; e++) {
    if (elements[e] < 0 || elements[e] > most - sum) return -2;
    sum += elements[e];
  }
  return sum;
}

/* Takes values[0, size) into sums: adds their squares to the first number and counts those that are
 * not finite in the fourth; the second and third are the smallest and the largest. */
WEFT_METHOD(jboolean, summarize)(JNIEnv *env, jclass, jdoubleArray values, jint size,
                                 jdoubleArray sums) {
  Elements<jdouble> all(env, values);
  Elements<jdouble> out(env, sums);
  if (!all.held() || !out.held()) return JNI_FALSE;
  jdouble squares = 0, least = out[1], most = out[2], others = 0;
  for (jint i = 0; i < size; i++) {
    jdouble value = all[i];
    squares += value * value;
    least = value < least ? value : least;
    most = value > most ? value : most;
    others += value - value == 0 ? 0 : 1;
  }
  out[0] += squares;
  out[1] = least;
  out[2] = most;
  out[3] += others;
  return JNI_TRUE;
}
