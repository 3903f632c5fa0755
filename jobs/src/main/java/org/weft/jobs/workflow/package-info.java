/**
 * Runs workflows: steps that are weft commands. Each step runs once for the same inputs, and a run
 * goes on after a failure. Read {@link org.weft.jobs.workflow.WorkflowRun} first.
 *
 * <p>A {@link org.weft.jobs.workflow.WorkflowFile} is read from YAML with every mistake found at
 * once. Its state is a {@link org.weft.jobs.workflow.StateFolder} on any Hadoop file system, where
 * every record appears whole by a rename. What a step depends on makes its {@link
 * org.weft.jobs.workflow.StepKey}: contents and words, never times. Invariants: one {@link
 * org.weft.jobs.workflow.Lease} at a time writes a state; a step's record follows its outputs; a
 * process that dies between any two writes leaves a state from which a run goes on.
 */
@org.jspecify.annotations.NullMarked
package org.weft.jobs.workflow;
