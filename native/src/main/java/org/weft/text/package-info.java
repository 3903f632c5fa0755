/**
 * Text that people read: {@link org.weft.text.TextTable} is the one printer of tables, {@link
 * org.weft.text.Bytes} the one form of sizes, and {@link org.weft.text.Counts} that of counts.
 * {@link org.weft.text.ByteOrderMark} is what may stand before a text that is read, and {@link
 * org.weft.text.PowersOfFive} are what decimal numbers are read and written by.
 */
@NullMarked
package org.weft.text;

import org.jspecify.annotations.NullMarked;
