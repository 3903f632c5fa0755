/*
 * The native methods of org.weft.runtime.NativeRuntime. Arguments are raw addresses and numbers;
 * the Java side checks them. Nothing here touches a Java object.
 */
#include <dlfcn.h>
#include <errno.h>
#include <jni.h>
#include <sys/mman.h>

#include "weft_runtime.h"

#define WEFT_METHOD(type, name) \
  extern "C" JNIEXPORT type JNICALL Java_org_weft_runtime_NativeRuntime_##name

namespace {

template <typename T>
T *at(jlong address) {
  return reinterpret_cast<T *>(address);
}

jlong address_of(const void *pointer) { return reinterpret_cast<jlong>(pointer); }

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

/* Address of the weft_process. */
WEFT_METHOD(jlong, process)(JNIEnv *, jclass) { return address_of(weft_process_table()); }
