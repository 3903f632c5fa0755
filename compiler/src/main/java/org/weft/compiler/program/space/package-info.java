/**
 * The tensors of a running program: what they are, how a program declares and addresses them, and
 * where they lie.
 *
 * <p>Nothing here knows of the steps of a program. Read {@link
 * org.weft.compiler.program.space.TensorSpace} first. {@link
 * org.weft.compiler.program.space.StoredSpace} implements it for this process; another
 * implementation runs programs elsewhere.
 */
@NullMarked
package org.weft.compiler.program.space;

import org.jspecify.annotations.NullMarked;
