/**
 * Runs jobs on tensors, in one process or on Spark. {@link org.weft.engine.Engine} is the front
 * door: it reads tensors, plans jobs and runs their passes on a {@link org.weft.engine.Backend},
 * which is the threads of this process ({@link org.weft.engine.local.LocalBackend}) or Spark
 * ({@code org.weft.spark.SparkEngine}). No Spark here.
 *
 * <p>Invariants: text is parsed once; a form is packed once; off-heap memory is freed explicitly;
 * the same plan gives the same bits.
 */
@NullMarked
package org.weft.engine;

import org.jspecify.annotations.NullMarked;
