/**
 * Text that people read: {@link org.weft.text.TextTable} is the one printer of tables, {@link
 * org.weft.text.Bytes} the one form of sizes, and {@link org.weft.text.Counts} that of counts.
 */
@NullMarked
package org.weft.text;

import org.jspecify.annotations.NullMarked;
