/* Which CPUs threads run on. Schedulers wake a thread on the CPU of the thread that wakes it, and
 * leave it there for milliseconds while another CPU is idle: some do so on purpose, to save power or
 * to pack virtual machines. A parallel loop of a millisecond then takes as long as a sequential one. */
#ifndef WEFT_PLACEMENT_H
#define WEFT_PLACEMENT_H

#include <sys/types.h>

namespace weft {

constexpr int no_cpu = -1;

/* The CPU that the calling thread runs on; `no_cpu` if the system does not tell. */
int this_cpu();

/* The calling thread's number in the system. */
pid_t this_thread();

/* CPUs that the main thread of the process may use, at least 1. */
int cpus_of_process();

/* Keeps a thread of the process off `cpu`, at once if it runs there; it may run on all others that
 * the main thread may use. False, and nothing is changed, if `cpu` is none of these or the only one,
 * or if the system refuses. */
bool keep_off(pid_t thread, int cpu);

}  // namespace weft

#endif
