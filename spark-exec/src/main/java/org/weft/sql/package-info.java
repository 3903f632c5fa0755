/**
 * Statements and decompositions as tables of Spark SQL, for clients that have none of Weft's
 * classes: {@code format("weft-eval")} and {@code format("weft-cp")}, and the table functions
 * {@code weft_eval} and {@code weft_cp}. Read {@link org.weft.sql.EvalSource} first. A table is
 * computed when its first rows are read.
 */
@NullMarked
package org.weft.sql;

import org.jspecify.annotations.NullMarked;
