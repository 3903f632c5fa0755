/**
 * What methods are written in: {@link org.weft.decomposition.rows.Rows}, which have a row for each
 * slice of a mode and lie where the {@link org.weft.decomposition.rows.Site} has them, {@link
 * org.weft.decomposition.rows.Step}s on them, and the algebra of one row. All sums have a fixed
 * order: the same rows give the same bits, whatever the number of threads. Read {@link
 * org.weft.decomposition.rows.Site} first.
 */
@NullMarked
package org.weft.decomposition.rows;

import org.jspecify.annotations.NullMarked;
