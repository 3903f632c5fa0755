/**
 * What a plan counts on: the machine that its costs are predicted for, and the processes, cores and
 * memory that a job may take.
 *
 * <p>Invariant: values only, measured or given elsewhere. Read {@link
 * org.weft.planner.machine.MachineParameters} first.
 */
@NullMarked
package org.weft.planner.machine;

import org.jspecify.annotations.NullMarked;
