/**
 * Level functions: how generated code iterates over, searches and assembles one storage level (Chou
 * et al., table 2 and appendix A).
 *
 * <p>One file per level format, found through {@link java.util.ServiceLoader}. Lowering never asks
 * which format a level has: it reads the capabilities and properties of the descriptor in {@code
 * org.weft.tensor.level} and calls the {@link org.weft.compiler.level.LevelEmitter}, which adds
 * loop IR to a {@link org.weft.compiler.level.Code}. Read {@code LevelEmitter} first.
 */
@NullMarked
package org.weft.compiler.level;

import org.jspecify.annotations.NullMarked;
