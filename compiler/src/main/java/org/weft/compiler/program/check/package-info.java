/**
 * What can be said of a program before it runs: names, labels, sizes and cycles of calls. Read
 * {@link org.weft.compiler.program.check.ProgramChecker} first. Nothing here knows how a program
 * runs or where its tensors lie.
 */
@NullMarked
package org.weft.compiler.program.check;

import org.jspecify.annotations.NullMarked;
