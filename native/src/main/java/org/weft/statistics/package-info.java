/**
 * What plans know of a tensor: how many entries each slice of each mode has, exactly or in buckets,
 * the range and the sums of the values, and for a sample of slices where their entries lie in other
 * modes.
 *
 * <p>Invariant: statistics of parts merge to those of the whole. Read {@link
 * org.weft.statistics.TensorStatistics} first.
 */
@NullMarked
package org.weft.statistics;

import org.jspecify.annotations.NullMarked;
