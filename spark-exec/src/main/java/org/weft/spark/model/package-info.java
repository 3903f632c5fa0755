/**
 * Decompositions as tables of Spark SQL, which predict the rows of other tables. {@link
 * org.weft.spark.model.TableModel} joins; a {@link org.weft.spark.model.ModelValue} says what a
 * model's value is, and travels to executors.
 */
@NullMarked
package org.weft.spark.model;

import org.jspecify.annotations.NullMarked;
