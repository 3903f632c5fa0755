/**
 * The picture of {@code weft spy}. {@link org.weft.jobs.spy.DensityPlot} lays panels out, one for
 * each pair of modes; a panel's cells gather entries. Read {@code DensityPlot} first.
 */
@NullMarked
package org.weft.jobs.spy;

import org.jspecify.annotations.NullMarked;
