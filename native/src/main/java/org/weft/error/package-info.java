/**
 * Numbered errors. {@link org.weft.error.ErrorCode} lists them all; {@link
 * org.weft.error.WeftException} carries one to whoever reports it.
 */
@NullMarked
package org.weft.error;

import org.jspecify.annotations.NullMarked;
