/**
 * Tensors of a command as files: operands of expressions, names and labels of modes, orders.
 *
 * <p>Read {@link OperandFiles} first.
 */
@NullMarked
package org.weft.jobs.file;

import org.jspecify.annotations.NullMarked;
