/**
 * Tensors as tables of Spark SQL: a row is an entry, a column is a mode, and {@code value} is the
 * value. {@link org.weft.spark.table.WeftSource} is {@code format("weft")}, {@link
 * org.weft.spark.table.FrosttSource} {@code format("frostt")}; both are found by their short names
 * through {@link java.util.ServiceLoader}. Read {@link org.weft.spark.table.TensorSource} first.
 *
 * <p>Reading is a DataSource V2 scan: parts and splits are partitions, blocks are columnar batches,
 * predicates on coordinates leave out whole parts by their ranges and then entries. Writing is
 * {@link org.apache.spark.sql.sources.CreatableRelationProvider}, the one interface of Spark that
 * gives a source without a catalog all four save modes, and for tables of Spark's catalog {@link
 * org.apache.spark.sql.connector.write.V1Write}, which leads to the same code.
 *
 * <p>Invariants: coordinates in a table count from 0 unless the option {@code base} says 1,
 * whatever the file says; what tasks send to the driver is {@code byte[]}, so that sessions need no
 * serializer of ours; a failed write leaves nothing.
 */
@NullMarked
package org.weft.spark.table;

import org.jspecify.annotations.NullMarked;
