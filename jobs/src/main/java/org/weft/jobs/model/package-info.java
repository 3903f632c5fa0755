/**
 * The folder of a decomposition: factors, summary, checkpoints, and the labels that weigh most.
 *
 * <p>Read {@link ModelFolder} first.
 */
@NullMarked
package org.weft.jobs.model;

import org.jspecify.annotations.NullMarked;
