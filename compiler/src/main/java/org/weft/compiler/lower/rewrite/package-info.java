/**
 * What is decided of a statement before its loops exist: rewrites of its algebra, and facts that
 * are read off the algebra.
 *
 * <p>Every class here takes algebra and gives algebra, but for {@link FusedAccess}, which says
 * which levels one loop iterates together. No class knows loop IR. Read {@link ExposeLevels} first.
 */
@NullMarked
package org.weft.compiler.lower.rewrite;

import org.jspecify.annotations.NullMarked;
