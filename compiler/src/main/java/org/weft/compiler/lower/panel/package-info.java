/**
 * Contractions of dense tensors over packed panels, after Goto and van de Geijn, and copies of
 * dense tensors in tiles.
 *
 * <p>{@link Contraction} sorts the labels of a statement into four groups. {@link PackedSide} is a
 * block of an operand in panels, {@link PanelCopy} copies it there, and {@link MicroKernel} keeps a
 * tile of the result in vector registers. No transposed copy of a tensor is made. {@link
 * Transposition} is for statements that ask for one. Read {@link GemmLoops} first.
 */
@NullMarked
package org.weft.compiler.lower.panel;

import org.jspecify.annotations.NullMarked;
