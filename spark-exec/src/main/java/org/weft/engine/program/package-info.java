/**
 * Programs of the tensor language on an engine: their tensors stay in parts, on the executors of a
 * cluster or in this process, and every statement is planned for where its operands lie. Read
 * {@link org.weft.engine.program.PartedSpace}.
 */
@NullMarked
package org.weft.engine.program;

import org.jspecify.annotations.NullMarked;
