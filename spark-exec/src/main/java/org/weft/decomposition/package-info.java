/**
 * Decompositions. A {@link org.weft.decomposition.Method} is statements over a sparse tensor and
 * {@link org.weft.decomposition.Step}s on {@link org.weft.decomposition.Rows}, which have a row for
 * each slice of a mode and lie where the {@link org.weft.decomposition.Site} has them: {@link
 * org.weft.decomposition.AlternatingLeastSquares}, {@link org.weft.decomposition.Tucker}, {@link
 * org.weft.decomposition.Completion}, {@link org.weft.decomposition.CpApr}. No Spark here. All sums
 * have a fixed order: the same rows give the same bits, whatever the number of threads.
 */
@NullMarked
package org.weft.decomposition;

import org.jspecify.annotations.NullMarked;
