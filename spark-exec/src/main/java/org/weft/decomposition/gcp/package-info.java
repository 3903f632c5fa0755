/**
 * Models for any loss, found by gradients.
 *
 * <p>{@link org.weft.decomposition.gcp.Gcp} computes the gradient of a {@link
 * org.weft.decomposition.loss.Loss} at the entries and at zeros, all or a sample. A {@link
 * org.weft.decomposition.gcp.Descent} takes the steps: {@code AdamDescent} short ones, {@code
 * LbfgsDescent} with a search along quasi-Newton directions. Read {@code Gcp} first.
 */
@NullMarked
package org.weft.decomposition.gcp;

import org.jspecify.annotations.NullMarked;
