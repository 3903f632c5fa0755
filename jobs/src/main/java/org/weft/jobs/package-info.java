/**
 * The {@code weft} command, which is also the main class under {@code spark-submit}. {@link
 * org.weft.jobs.Weft} parses the command line and turns errors into exit statuses; {@link
 * org.weft.jobs.Commands} lists the commands. Read {@code Weft}, then {@code WeftCommand}.
 *
 * <p>Packages use those before them only: {@code process}, {@code output}, {@code model} and {@code
 * file}, {@code option}, {@code explain}, {@code run}, {@code command}, {@code help}.
 *
 * <p>The launcher starts with the jars that work without Spark ({@code Surroundings} adds the
 * others), and with {@code weft.jsa}, an archive of the classes that {@link
 * org.weft.jobs.Rehearsal} loads: the JVM maps it instead of reading, checking and linking them. It
 * fits one JDK and one list of jars, otherwise the JVM ignores it and the launcher makes another.
 */
@NullMarked
package org.weft.jobs;

import org.jspecify.annotations.NullMarked;
