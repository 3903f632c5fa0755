/**
 * Labels of containers as executors read them, and labels of tables of Spark SQL, whose coordinates
 * are found by joins. Read {@link org.weft.spark.label.StoredLabels} first.
 *
 * <p>Invariants: labels never come to the driver, but for the one that an error names; the driver
 * learns counts.
 */
@NullMarked
package org.weft.spark.label;

import org.jspecify.annotations.NullMarked;
