/**
 * Random differential tests of the compiler: cases are made, compiled, run and compared with a
 * naive dense evaluation, values and storage.
 *
 * <p>A {@link org.weft.compiler.differential.Case} is a value: expression, formats, sizes and
 * entries. {@link org.weft.compiler.differential.RandomCases} makes them, {@link
 * org.weft.compiler.differential.Oracle} says what the result is, {@link
 * org.weft.compiler.differential.ResultCheck} compares values and arrays, and {@link
 * org.weft.compiler.differential.Shrinker} makes a failing case smaller until nothing can go.
 * Nothing here uses a pass of the compiler: even the text is printed from a tree of the test's own,
 * so that the parser is tested too. Read {@link org.weft.compiler.differential.Case} first.
 */
@NullMarked
package org.weft.compiler.differential;

import org.jspecify.annotations.NullMarked;
