/**
 * Labels of containers as executors read them, and ranges of coordinates with about as many
 * entries. Read {@link org.weft.spark.label.StoredLabels} first.
 *
 * <p>Invariants: labels never come to the driver, but for the one that an error names; the driver
 * learns counts.
 */
@NullMarked
package org.weft.spark.label;

import org.jspecify.annotations.NullMarked;
