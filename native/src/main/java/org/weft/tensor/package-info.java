/**
 * The tensor model: shapes, formats (a list of levels, a mode order and a value type), storage with
 * {@code pos}, {@code crd} and {@code vals} arrays off the Java heap, COO blocks, and packing of
 * blocks into storage. Read {@link org.weft.tensor.TensorFormat}, then {@link
 * org.weft.tensor.TensorStorage}.
 */
@NullMarked
package org.weft.tensor;

import org.jspecify.annotations.NullMarked;
