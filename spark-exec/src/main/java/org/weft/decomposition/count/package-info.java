/**
 * Models of counts, which maximise the likelihood of a Poisson distribution.
 *
 * <p>{@link org.weft.decomposition.count.CpApr} is the method. A {@link
 * org.weft.decomposition.count.CountUpdate} replaces a factor: by multiplication, or by Newton's
 * method for each row, with exact or with approximated second derivatives. Read {@code CpApr}
 * first.
 */
@NullMarked
package org.weft.decomposition.count;

import org.jspecify.annotations.NullMarked;
