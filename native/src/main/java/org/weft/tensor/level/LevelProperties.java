package org.weft.tensor.level;

import java.io.Serializable;

/**
 * What holds of the coordinates of a level (Chou et al., section 3.3).
 *
 * @param full every coordinate of the mode is present under every parent
 * @param ordered siblings appear in increasing coordinate order
 * @param unique no two siblings share a coordinate
 * @param branchless every parent position has exactly one child
 * @param compact positions are contiguous: no unlabelled position between two coordinates
 */
public record LevelProperties(
    boolean full, boolean ordered, boolean unique, boolean branchless, boolean compact)
    implements Serializable {}
