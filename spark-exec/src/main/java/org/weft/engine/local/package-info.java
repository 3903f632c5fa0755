/**
 * The backend of one process: {@link org.weft.engine.local.LocalBackend}. A {@link
 * org.weft.engine.local.LocalTensor} keeps the parsed blocks on the heap and packed forms off it;
 * {@link org.weft.engine.local.LocalPasses} runs a plan's kernels on them. No class here knows
 * Spark. A failure frees all memory and is thrown.
 */
@NullMarked
package org.weft.engine.local;

import org.jspecify.annotations.NullMarked;
