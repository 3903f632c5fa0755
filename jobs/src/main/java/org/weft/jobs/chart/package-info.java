/**
 * Charts as SVG: {@link org.weft.jobs.chart.Axes} draws curves, dots and bars over axes with ticks
 * and names. A chart stands in a page, whose style sheet colours it, or alone.
 */
@NullMarked
package org.weft.jobs.chart;

import org.jspecify.annotations.NullMarked;
