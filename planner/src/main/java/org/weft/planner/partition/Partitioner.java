package org.weft.planner.partition;

import org.weft.statistics.ModeHistogram;

/**
 * Cuts the slices of a mode into partitions.
 *
 * <p>Contract: the ranges are in ascending order and cover {@code [0, modeSize)}; two ranges are
 * disjoint or pieces of the same range, whose pieces are consecutive; there is at least one range
 * and there are at most {@code partitions}; the same input gives the same answer.
 */
public interface Partitioner {

  /**
   * @param mode the mode that is cut; recorded in the answer
   * @param modeSize slices of the mode; at least the histogram's largest coordinate + 1
   * @param histogram stored entries per slice
   * @param partitions number wanted, at least 1; fewer come back when there is too little to share
   */
  ModePartitioning partition(int mode, long modeSize, ModeHistogram histogram, int partitions);
}
