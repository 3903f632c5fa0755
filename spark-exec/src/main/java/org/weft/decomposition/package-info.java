/**
 * Methods of decomposition: what they compute, on rows that may lie anywhere.
 *
 * <p>A {@link org.weft.decomposition.Method} is a list of statements over a sparse tensor and a
 * loop over {@link org.weft.decomposition.rows.Step}s. A step changes {@link
 * org.weft.decomposition.rows.Rows}, which have a row for each slice of a mode. A {@link
 * org.weft.decomposition.rows.Site} holds the rows. Each kind of model has a package: {@code cp},
 * {@code completion}, {@code count} and {@code gcp}. Tucker's methods and {@link
 * org.weft.decomposition.Corcondia} are here. A method that takes long is {@link
 * org.weft.decomposition.Resumable}: {@link org.weft.decomposition.Checkpoints} keep its states.
 *
 * <p>Invariants: no class here knows Spark; all sums have a fixed order, so the same rows give the
 * same bits on any number of threads. Read {@code Method} first.
 */
@NullMarked
package org.weft.decomposition;

import org.jspecify.annotations.NullMarked;
