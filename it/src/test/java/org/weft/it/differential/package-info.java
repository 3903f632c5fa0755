/**
 * The product against a naive evaluator that shares no code with it, on random and real tensors.
 *
 * <p>Read {@link org.weft.it.differential.NaiveEvaluator} first: the three operations as loops over
 * entries. {@link org.weft.it.differential.Entries} and {@link org.weft.it.differential.Npy} parse
 * and write the files by themselves. No class here but {@link org.weft.it.differential.WeftCommand}
 * may name a class of the product.
 *
 * <p>A result agrees when it stores exactly the expected coordinates and each value is within
 * {@code 1e-10} relative, or within {@code n eps} of the sum of the magnitudes of its n terms where
 * terms cancel.
 */
@NullMarked
package org.weft.it.differential;

import org.jspecify.annotations.NullMarked;
