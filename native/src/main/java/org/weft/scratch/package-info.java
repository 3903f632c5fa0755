/**
 * Temporary files of this process. {@link org.weft.scratch.ScratchFolder} holds them and goes with
 * the process; {@link org.weft.scratch.AbandonedFolders} removes those of processes that were
 * killed.
 */
@NullMarked
package org.weft.scratch;

import org.jspecify.annotations.NullMarked;
