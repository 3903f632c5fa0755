/**
 * Text that people read: {@link org.weft.text.TextTable} is the one printer of tables, {@link
 * org.weft.text.Bytes} the one form of sizes, and {@link org.weft.text.Counts} that of counts.
 * {@link org.weft.text.ByteOrderMark} removes the mark at the start of a text. {@link
 * org.weft.text.PowersOfFive} has the factors by which decimal numbers are read and written.
 */
@NullMarked
package org.weft.text;

import org.jspecify.annotations.NullMarked;
