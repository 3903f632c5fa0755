/**
 * Runs statements on tensors that lie in parts: {@link org.weft.engine.distributed.StatementRunner}
 * carries out a plan by three operations of {@link org.weft.engine.distributed.Parts}, which know
 * neither Spark nor where parts are.
 */
@NullMarked
package org.weft.engine.distributed;

import org.jspecify.annotations.NullMarked;
