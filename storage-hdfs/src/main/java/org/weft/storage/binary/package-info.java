/**
 * The binary coordinate form {@code .wtb}: blocks of columns, each with its own widths and check
 * sum. {@code FORMAT.md} beside this module specifies it; {@link org.weft.storage.binary.WtbFormat}
 * is the plugin and {@link org.weft.storage.binary.WtbBlock} the block, which to read first.
 *
 * <p>Invariant: no byte of a file is believed before its check sum is verified, and no length is
 * allocated before it is known to lie inside the file.
 */
@NullMarked
package org.weft.storage.binary;

import org.jspecify.annotations.NullMarked;
