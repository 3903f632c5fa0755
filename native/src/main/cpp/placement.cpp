#include "placement.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft {
namespace {

/* False where it is not known, as on systems with more CPUs than a set holds. */
bool ask_main_thread(cpu_set_t *cpus) {
  CPU_ZERO(cpus);
  return sched_getaffinity(getpid(), sizeof *cpus, cpus) == 0;
}

}  // namespace

int this_cpu() {
  int cpu = sched_getcpu();
  return cpu < 0 ? no_cpu : cpu;
}

pid_t this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

int cpus_of_process() {
  cpu_set_t cpus;
  if (ask_main_thread(&cpus)) return CPU_COUNT(&cpus);
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : static_cast<int>(online);
}

bool keep_off(pid_t thread, int cpu) {
  cpu_set_t cpus;
  if (cpu < 0 || cpu >= CPU_SETSIZE || !ask_main_thread(&cpus)) return false;
  if (!CPU_ISSET(cpu, &cpus) || CPU_COUNT(&cpus) == 1) return false;
  CPU_CLR(cpu, &cpus);
  return sched_setaffinity(thread, sizeof cpus, &cpus) == 0;
}

}  // namespace weft
