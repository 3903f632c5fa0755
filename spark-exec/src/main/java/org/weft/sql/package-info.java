/**
 * Statements and decompositions as tables of Spark SQL, for clients that have none of Weft's
 * classes: {@code format("weft-eval")}, {@code format("weft-cp")}, {@code format("weft-complete")},
 * {@code format("weft-tucker")}, and table functions of these names. Read {@link
 * org.weft.sql.EvalSource} first. A table is computed when its first rows are read.
 */
@NullMarked
package org.weft.sql;

import org.jspecify.annotations.NullMarked;
