/**
 * The classes that programs of users call; {@code api.txt} in the tests lists them. {@link
 * org.weft.api.Weft} makes a {@link org.weft.api.Tensor} of a Dataset, a file or arrays, on a Spark
 * session with whatever settings or in this process; a tensor decomposes into a {@link
 * org.weft.api.CpModel}. Classes of other packages may change from version to version.
 *
 * <p>Errors are {@link org.weft.error.WeftException}: one line, with a code.
 */
@NullMarked
package org.weft.api;

import org.jspecify.annotations.NullMarked;
