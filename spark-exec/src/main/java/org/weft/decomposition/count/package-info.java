/**
 * Models of counts: {@link org.weft.decomposition.count.CpApr} maximises the likelihood of Poisson,
 * by one {@link org.weft.decomposition.count.CountUpdate} of three.
 */
@NullMarked
package org.weft.decomposition.count;

import org.jspecify.annotations.NullMarked;
