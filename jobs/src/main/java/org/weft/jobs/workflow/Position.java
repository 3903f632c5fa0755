package org.weft.jobs.workflow;

/** A place in a workflow file; line and column count from 1. */
record Position(int line, int column) {}
