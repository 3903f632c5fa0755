/**
 * Models for any loss: {@link org.weft.decomposition.gcp.Gcp} goes down the gradient of a {@link
 * org.weft.decomposition.loss.Loss} by one {@link org.weft.decomposition.gcp.Descent} of two.
 */
@NullMarked
package org.weft.decomposition.gcp;

import org.jspecify.annotations.NullMarked;
