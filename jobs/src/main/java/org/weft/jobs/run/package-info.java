/**
 * Where the work of a command runs: in this process, or on the executors of a master.
 *
 * <p>{@link Session} is the engine of one run. {@link DistributedEval} and {@link PartedProgram}
 * run statements and programs whose tensors lie in parts. Read {@link Session} first.
 */
@NullMarked
package org.weft.jobs.run;

import org.jspecify.annotations.NullMarked;
