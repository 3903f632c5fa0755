/**
 * Parsed entries of a tensor, in this process or on executors. {@link
 * org.weft.engine.entries.EntryBlocks} takes work to the entries, so that orders and statistics do
 * not depend on where the entries lie. Read {@code EntryBlocks} first.
 */
@NullMarked
package org.weft.engine.entries;

import org.jspecify.annotations.NullMarked;
