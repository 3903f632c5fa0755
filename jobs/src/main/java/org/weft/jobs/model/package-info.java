/**
 * What commands make of the folders of decompositions: checkpoints, figures of a report, the labels
 * that weigh most; and two models beside each other, {@link ModelComparison}.
 *
 * <p>Read {@link ModelFigures} first.
 */
@NullMarked
package org.weft.jobs.model;

import org.jspecify.annotations.NullMarked;
