package org.weft.statistics;

import java.io.Serializable;

/**
 * How the stored entries of a tensor spread over the slices of one mode. Minimum, median, 99th
 * percentile and maximum count entries per slice among the slices that have any.
 *
 * @param nonempty slices with an entry
 * @param empty slices without one
 * @param exact whether every slice was counted alone; otherwise the figures are estimates that
 *     spread the entries of a bucket evenly over its slices
 */
public record SliceSummary(
    long nonempty, long empty, long min, long median, long p99, long max, boolean exact)
    implements Serializable {}
