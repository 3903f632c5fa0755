/**
 * What commands make of the folders of decompositions: checkpoints, figures of a report, the labels
 * that weigh most, and the comparison of two models. {@link org.weft.spark.model.ModelValue} is the
 * seam between kinds of models: {@link LabelledModel} adds labels to it and knows biases apart.
 *
 * <p>Read {@link LabelledModel} first, then {@link ModelFigures} and {@link ModelComparison}.
 */
@NullMarked
package org.weft.jobs.model;

import org.jspecify.annotations.NullMarked;
