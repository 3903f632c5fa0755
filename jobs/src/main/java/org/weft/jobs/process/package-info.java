/**
 * What the process was started with: class path, logging and versions.
 *
 * <p>Read {@link Surroundings} first.
 */
@NullMarked
package org.weft.jobs.process;

import org.jspecify.annotations.NullMarked;
