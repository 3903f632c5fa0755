/**
 * The folder of a decomposition: factors, summary, checkpoints, and the labels that weigh most; a
 * pointer to one that is published; and two of them beside each other, {@link ModelComparison}.
 *
 * <p>Read {@link ModelFolder} first.
 */
@NullMarked
package org.weft.jobs.model;

import org.jspecify.annotations.NullMarked;
