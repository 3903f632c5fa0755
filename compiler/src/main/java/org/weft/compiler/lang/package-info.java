/**
 * The text of the tensor language: lexer, parser, source positions and diagnostics.
 *
 * <p>Text becomes {@link org.weft.compiler.lang.Syntax}, which says what was written and where,
 * nothing about what it means. Errors are collected, not thrown at the first one, and each carries
 * a {@link org.weft.compiler.lang.SourceSpan}; every tree has bounded depth, so later passes may
 * recurse. Read {@link org.weft.compiler.lang.Parser} first.
 */
@NullMarked
package org.weft.compiler.lang;

import org.jspecify.annotations.NullMarked;
