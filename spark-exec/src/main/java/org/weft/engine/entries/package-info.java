/**
 * Parsed entries of a tensor, wherever they lie: {@link org.weft.engine.entries.EntryBlocks} takes
 * work to them.
 */
@NullMarked
package org.weft.engine.entries;

import org.jspecify.annotations.NullMarked;
