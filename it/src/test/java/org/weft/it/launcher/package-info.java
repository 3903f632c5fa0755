/** The launcher {@code jobs/bin/weft} as an installed program. */
@NullMarked
package org.weft.it.launcher;

import org.jspecify.annotations.NullMarked;
