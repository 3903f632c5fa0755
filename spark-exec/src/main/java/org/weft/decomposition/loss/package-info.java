/** How far the value of a model is from an entry: {@link org.weft.decomposition.loss.Loss}. */
@NullMarked
package org.weft.decomposition.loss;

import org.jspecify.annotations.NullMarked;
