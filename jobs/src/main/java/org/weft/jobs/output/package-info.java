/**
 * What a run says, and how it ends.
 *
 * <p>Results go to standard output; progress, notes and errors go to standard error. {@link
 * Console} has both. {@link Ending} removes unfinished outputs when a signal comes. Read {@link
 * Console} first.
 */
@NullMarked
package org.weft.jobs.output;

import org.jspecify.annotations.NullMarked;
