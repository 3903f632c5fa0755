/**
 * Labels of containers as tables that executors hold, so that what is added to a container finds
 * its coordinates by joins. Read {@link org.weft.spark.label.StoredLabels} first.
 *
 * <p>Invariants: labels never come to the driver, but for the one that an error names; the driver
 * learns counts.
 */
@NullMarked
package org.weft.spark.label;

import org.jspecify.annotations.NullMarked;
