/**
 * Help, completion and manual pages, made from the commands' own descriptions.
 *
 * <p>Read {@link CommonHelp} first.
 */
@NullMarked
package org.weft.jobs.help;

import org.jspecify.annotations.NullMarked;
