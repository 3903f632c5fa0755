/**
 * Decompositions. A {@link org.weft.decomposition.Method} is statements over a sparse tensor and
 * {@link org.weft.decomposition.Step}s on {@link org.weft.decomposition.Rows}, which have a row for
 * each slice of a mode and lie where the {@link org.weft.decomposition.Site} has them: {@link
 * org.weft.decomposition.Tucker}.
 *
 * <p>CP decomposition runs wherever the factors are. {@link
 * org.weft.decomposition.AlternatingLeastSquares} is the algorithm, on {@link
 * org.weft.decomposition.FactorUpdates}: all that is R x R, with {@link
 * org.weft.decomposition.NormalEquations} on EJML. {@link org.weft.decomposition.FactorSteps} is
 * what a backend does: all that has a mode's size. No Spark here. All sums have a fixed order: the
 * same MTTKRPs give the same bits, whatever the number of threads.
 */
@NullMarked
package org.weft.decomposition;

import org.jspecify.annotations.NullMarked;
