/**
 * Text that people read: {@link org.weft.text.TextTable} is the one printer of tables, and {@link
 * org.weft.text.Bytes} the one form of sizes.
 */
@NullMarked
package org.weft.text;

import org.jspecify.annotations.NullMarked;
