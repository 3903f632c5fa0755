/**
 * Commands that make models of tensors, and that read them: one class per command.
 *
 * <p>{@link org.weft.jobs.decompose.ModelCommand} is the way through of those that make one:
 * options, the tensor, the run, the folder. Read {@link org.weft.jobs.decompose.CpdCommand} first.
 */
@NullMarked
package org.weft.jobs.decompose;

import org.jspecify.annotations.NullMarked;
