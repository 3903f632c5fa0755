/**
 * All pictures: {@link org.weft.jobs.chart.Picture} is what is drawn, on a {@link
 * org.weft.jobs.chart.Sheet} of SVG or of pixels. {@link org.weft.jobs.chart.Axes} draws curves,
 * dots and histograms; {@link org.weft.jobs.chart.Bars} draws rows of one value each. Read {@code
 * Picture} first.
 */
@NullMarked
package org.weft.jobs.chart;

import org.jspecify.annotations.NullMarked;
