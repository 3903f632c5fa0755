/**
 * Whole jobs by the clock: the {@code weft} command as a user starts it, one process a run.
 *
 * <p>Read {@link org.weft.it.bench.MainJobBenchmark} first. Every run has an empty kernel cache, so
 * that {@code compile} counts. {@code GeneratedTensorTest} of the differential suite checks the
 * workloads' answers on small tensors of the same kinds. Nothing here asserts a time.
 */
@NullMarked
package org.weft.it.bench;

import org.jspecify.annotations.NullMarked;
