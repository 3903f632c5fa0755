/**
 * What an accelerator for small matrix products would do for contractions: the model of {@code weft
 * codesign}, and what is measured beside it. A {@link org.weft.jobs.codesign.Design} is read by
 * {@link org.weft.jobs.codesign.Designs}; {@link org.weft.jobs.codesign.Prediction} is the time of
 * a {@link org.weft.jobs.codesign.MatrixProduct} on it, and {@link
 * org.weft.jobs.codesign.Emulation} measures one around a design that only waits. The model follows
 * section 8 of the dense paper of COMET, the emulation its section 7; what the paper does not
 * determine is listed in {@link org.weft.jobs.codesign.CodesignReport}. Read {@code Prediction}
 * first.
 */
@NullMarked
package org.weft.jobs.codesign;

import org.jspecify.annotations.NullMarked;
