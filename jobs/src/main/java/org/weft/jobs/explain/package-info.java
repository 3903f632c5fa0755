/**
 * {@code weft explain}: a command's plan instead of its run.
 *
 * <p>Read {@link ExplainCommand} first.
 */
@NullMarked
package org.weft.jobs.explain;

import org.jspecify.annotations.NullMarked;
