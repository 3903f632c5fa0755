/*
 * Python looks for k.so before k.py when it imports k. A library that lies beside a module with its
 * name is therefore an extension module, too: one that runs the module. It finds Python's functions
 * when Python asks, so that other programs need no Python.
 */
#include <dlfcn.h>
#include <string.h>

#include "ahead.h"

namespace weft {
namespace {

/* PyModuleDef of Python's stable ABI. */
struct Definition {
  int64_t references;
  void *type;
  void *init;
  int64_t index;
  void *copy;
  const char *name;
  const char *doc;
  int64_t size;
  void *methods;
  const void *slots;
  void *traverse;
  void *clear;
  void *free;
};

struct Slot {
  int slot;
  void *value;
};

constexpr int exec_slot = 2;   /* Py_mod_exec */
constexpr int file_input = 257; /* Py_file_input */

constexpr char code[] =
    "__file__ = __file__[:-2] + 'py'\n"
    "with open(__file__, encoding='utf-8') as _module:\n"
    "    exec(compile(_module.read(), __file__, 'exec'))\n";

template <typename F>
F *python(const char *name) {
  return reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, name));
}

int run(void *module) {
  auto *dict = python<void *(void *)>("PyModule_GetDict");
  auto *compiled = python<void *(const char *, const char *, int)>("Py_CompileString");
  auto *evaluate = python<void *(void *, void *, void *)>("PyEval_EvalCode");
  auto *release = python<void(void *)>("Py_DecRef");
  if (!dict || !compiled || !evaluate || !release) return -1;
  void *program = compiled(code, "weft", file_input);
  if (program == nullptr) return -1;
  void *globals = dict(module);
  void *result = evaluate(program, globals, globals);
  release(program);
  if (result == nullptr) return -1;
  release(result);
  return 0;
}

Slot slots[] = {{exec_slot, reinterpret_cast<void *>(run)}, {0, nullptr}};

Definition definition = {1, nullptr, nullptr, 0, nullptr, "weft", nullptr, 0,
                         nullptr, slots, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace weft

extern "C" void *weft_ahead_module(void) {
  auto *version = weft::python<const char *()>("Py_GetVersion");
  auto *init = weft::python<void *(void *)>("PyModuleDef_Init");
  auto *refuse = weft::python<void(void *, const char *)>("PyErr_SetString");
  void **error = static_cast<void **>(dlsym(RTLD_DEFAULT, "PyExc_ImportError"));
  if (!version || !init || !refuse || !error) return nullptr;
  if (strstr(version(), "free-threading") != nullptr) {
    refuse(*error, "give the library another name than its module: this Python has another ABI");
    return nullptr;
  }
  return init(&weft::definition);
}
