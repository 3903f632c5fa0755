/**
 * NumPy's files: arrays as {@code .npy} and archives of arrays as {@code .npz}. Read {@link
 * org.weft.storage.npy.NpyFile} first; {@link org.weft.storage.npy.NpyFormat} reads and writes
 * arrays as tensors, and {@link org.weft.storage.npy.NpyRows} reads some rows of a large matrix.
 */
@NullMarked
package org.weft.storage.npy;

import org.jspecify.annotations.NullMarked;
