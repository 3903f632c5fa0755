/**
 * The {@code weft} command, which is also the main class under {@code spark-submit}. {@link
 * org.weft.jobs.Weft} parses the command line and turns errors into exit statuses; each command is
 * a class named after it; {@link org.weft.jobs.Session} is the Spark context and engine of one run.
 *
 * <p>Results go to standard output, progress and errors to standard error. Everything that can be
 * refused without Spark is refused before Spark starts.
 */
@NullMarked
package org.weft.jobs;

import org.jspecify.annotations.NullMarked;
