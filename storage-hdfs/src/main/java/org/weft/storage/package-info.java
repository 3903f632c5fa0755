/**
 * The way in and out: tensors, dense matrices and labels as files on any Hadoop file system.
 *
 * <p>Read {@link org.weft.storage.TensorFiles} first: it finds the {@link
 * org.weft.storage.TensorFileFormat} of a file by its extension and opens it as an {@link
 * org.weft.storage.InputPlan}, whose splits tasks read as blocks of columns. {@link
 * org.weft.storage.OutputCommit} publishes every output, {@link org.weft.storage.FileAccess}
 * reaches the file systems.
 *
 * <p>Invariants: coordinates in memory are 0-based whatever a file says; a reader either delivers
 * every entry once or throws one {@link org.weft.error.WeftException}; an output appears whole or
 * not at all; nothing here knows Spark.
 */
@NullMarked
package org.weft.storage;

import org.jspecify.annotations.NullMarked;
