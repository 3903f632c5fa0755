package org.weft.decomposition;

import org.weft.runtime.Kernel;

/**
 * Compiled dense algebra of factors with R columns, in double precision.
 *
 * @param product {@code A(i,r) = M(i,s) * P(s,r)}
 * @param gram {@code G(r,s) = A(i,r) * A(i,s)}
 * @param inner {@code d(r) = M(i,r) * A(i,r)}
 */
public record FactorKernels(Kernel product, Kernel gram, Kernel inner) {}
