/**
 * Options that several commands have.
 *
 * <p>Each class is one concern and is mixed into the commands that have it. {@link CommonOptions}
 * is in every command, {@link OptionDefaults} takes defaults from the configuration.
 */
@NullMarked
package org.weft.jobs.option;

import org.jspecify.annotations.NullMarked;
