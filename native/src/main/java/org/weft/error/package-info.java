/**
 * Numbered errors. {@link org.weft.error.ErrorCode} lists them all; {@link
 * org.weft.error.WeftException} carries one to the command that reports it. {@link
 * org.weft.error.Reasons} words why a file, a process or a library failed.
 */
@NullMarked
package org.weft.error;

import org.jspecify.annotations.NullMarked;
