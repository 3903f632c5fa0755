/**
 * The way in and out: tensors and labels as files.
 *
 * <p>Read {@link org.weft.storage.TensorFiles} first: it finds the {@link
 * org.weft.storage.TensorFileFormat} of a file by its extension and opens the file as an {@link
 * org.weft.storage.InputPlan}, whose splits tasks read as blocks of columns. A {@link
 * org.weft.storage.TensorOutput} is a tensor that is written. Package {@code file} reaches the
 * files and publishes them.
 *
 * <p>Invariants: coordinates in memory are 0-based whatever a file says; a reader either delivers
 * every entry once or throws one {@link org.weft.error.WeftException}; an output appears whole or
 * not at all; nothing here knows Spark.
 */
@NullMarked
package org.weft.storage;

import org.jspecify.annotations.NullMarked;
