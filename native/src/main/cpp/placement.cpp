#include "placement.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft {
namespace {

struct Cpus {
  cpu_set_t set;
  int count; /* 0: not known, as on systems with more CPUs than a set holds */
};

pthread_once_t asked = PTHREAD_ONCE_INIT;
Cpus process;

void ask() {
  CPU_ZERO(&process.set);
  bool known = sched_getaffinity(getpid(), sizeof process.set, &process.set) == 0;
  process.count = known ? CPU_COUNT(&process.set) : 0;
}

const Cpus &of_process() {
  pthread_once(&asked, ask);
  return process;
}

}  // namespace

int this_cpu() {
  int cpu = sched_getcpu();
  return cpu < 0 ? no_cpu : cpu;
}

pid_t this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

int cpus_of_process() {
  if (of_process().count > 0) return of_process().count;
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : static_cast<int>(online);
}

bool keep_off(pid_t thread, int cpu) {
  if (cpu < 0 || cpu >= CPU_SETSIZE) return false;
  cpu_set_t others = of_process().set;
  CPU_CLR(cpu, &others);
  if (CPU_COUNT(&others) == 0) return false;
  return sched_setaffinity(thread, sizeof others, &others) == 0;
}

}  // namespace weft
