/**
 * The driver's part of CP decomposition: alternating least squares over MTTKRPs that somebody else
 * computes. {@link org.weft.spark.cpd.AlternatingLeastSquares} is the algorithm; {@link
 * org.weft.spark.cpd.GramMatrix} and {@link org.weft.spark.cpd.NormalEquations} its linear algebra,
 * which comes from EJML. No Spark here. All sums have a fixed order: the same MTTKRPs give the same
 * bits, whatever the number of threads.
 */
@NullMarked
package org.weft.spark.cpd;

import org.jspecify.annotations.NullMarked;
