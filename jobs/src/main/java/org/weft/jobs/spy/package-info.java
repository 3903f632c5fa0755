/**
 * The pictures of {@code weft spy}. {@link org.weft.jobs.spy.DensityPlot} lays panels out; a {@link
 * org.weft.jobs.spy.Sheet} is what they are drawn on, as pixels or as SVG. Read {@code DensityPlot}
 * first.
 */
@NullMarked
package org.weft.jobs.spy;

import org.jspecify.annotations.NullMarked;
