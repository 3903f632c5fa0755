/**
 * Times kernels for {@code weft bench}. A {@link org.weft.jobs.bench.BenchTensor} is what kernels
 * work on, a {@link org.weft.jobs.bench.Workload} one kernel on it with a number of threads,
 * compiled and called the way jobs compile and call it, with the {@link org.weft.jobs.bench.Work}
 * that it cannot avoid. {@link org.weft.jobs.bench.Benchmark} runs workloads in turns beside the
 * {@link org.weft.jobs.bench.Bounds} of the machine, which are kernels of the same compiler. Read
 * {@code Benchmark} first.
 */
@NullMarked
package org.weft.jobs.bench;

import org.jspecify.annotations.NullMarked;
