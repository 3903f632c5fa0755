/**
 * The commands: one class per command, named after it.
 *
 * <p>{@link WeftCommand} is what all commands share, {@link CommandRoot} what commands get from
 * {@code weft} itself. Everything that can be refused is refused before work starts.
 */
@NullMarked
package org.weft.jobs.command;

import org.jspecify.annotations.NullMarked;
