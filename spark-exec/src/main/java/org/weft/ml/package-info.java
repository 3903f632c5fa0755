/**
 * Decompositions as stages of Spark's machine learning: an estimator takes a table whose rows are
 * entries, and its model predicts rows and recommends labels. Read {@link org.weft.ml.Cp} first.
 * Stages are saved and loaded alone and in a {@code Pipeline}. Needs {@code spark-mllib}, which
 * every Spark has. The models {@code CpModel} and {@code TuckerModel} bear the names of those of
 * {@link org.weft.api} on purpose: Spark's users expect the model of the estimator {@code Cp} under
 * the name {@code CpModel}.
 */
@NullMarked
package org.weft.ml;

import org.jspecify.annotations.NullMarked;
