/**
 * The {@code weft} command, which is also the main class under {@code spark-submit}. {@link
 * org.weft.jobs.Weft} parses the command line and turns errors into exit statuses; each command is
 * a class named after it; {@link org.weft.jobs.Session} is the engine of one run, in this process
 * or on Spark. Read {@code Weft}, then {@code WeftCommand}.
 *
 * <p>Results go to standard output, progress and errors to standard error. Everything that can be
 * refused without Spark is refused before Spark starts.
 *
 * <p>The launcher starts with the jars that work without Spark ({@link org.weft.jobs.Surroundings}
 * adds the others), and with {@code weft.jsa}, an archive of the classes that {@link
 * org.weft.jobs.Rehearsal} loads: the JVM maps it instead of reading, checking and linking them. It
 * fits one JDK and one list of jars, otherwise the JVM ignores it and the launcher makes another.
 */
@NullMarked
package org.weft.jobs;

import org.jspecify.annotations.NullMarked;
