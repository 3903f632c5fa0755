/**
 * What the rows of a factor have to be like: {@link
 * org.weft.decomposition.constraint.FactorConstraint}. Plain numbers: nothing here knows where rows
 * lie.
 */
@NullMarked
package org.weft.decomposition.constraint;

import org.jspecify.annotations.NullMarked;
