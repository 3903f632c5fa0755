/**
 * Decompositions. A {@link org.weft.decomposition.Method} is statements over a sparse tensor and
 * {@link org.weft.decomposition.rows.Step}s on {@link org.weft.decomposition.rows.Rows}, which have
 * a row for each slice of a mode and lie where the {@link org.weft.decomposition.rows.Site} has
 * them: {@link org.weft.decomposition.cp.AlternatingLeastSquares} (whose {@link
 * org.weft.decomposition.constraint.FactorConstraint}s are of modes), {@link
 * org.weft.decomposition.OrthogonalIteration}, {@link org.weft.decomposition.NonnegativeTucker},
 * {@link org.weft.decomposition.completion.Completion} by a {@link
 * org.weft.decomposition.completion.Solver}, {@link org.weft.decomposition.count.CpApr}, {@link
 * org.weft.decomposition.gcp.Gcp} (whose {@link org.weft.decomposition.loss.Loss} is a formula),
 * and {@link org.weft.decomposition.Corcondia} of a model. Those that take long are {@link
 * org.weft.decomposition.Resumable}: {@link org.weft.decomposition.Checkpoints} keep their states.
 * No Spark here. All sums have a fixed order: the same rows give the same bits, whatever the number
 * of threads.
 */
@NullMarked
package org.weft.decomposition;

import org.jspecify.annotations.NullMarked;
