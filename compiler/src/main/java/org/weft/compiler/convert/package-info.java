/**
 * Conversions between formats, compiled: no entry is touched by Java code.
 *
 * <p>{@link org.weft.compiler.convert.ConversionPlan} decides, from the two formats alone, by which
 * steps entries get from one to the other; {@link org.weft.compiler.convert.Converter} runs the
 * steps. A step is a compiled kernel, or the C++ runtime's radix sort of coordinates. Invariants:
 * the source is borrowed and unchanged; every storage between two steps is freed as soon as the
 * next exists. Read {@code ConversionStep} first.
 */
@NullMarked
package org.weft.compiler.convert;

import org.jspecify.annotations.NullMarked;
