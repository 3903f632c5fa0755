/**
 * Whether a model can be trusted: {@link org.weft.jobs.diagnose.ModelParts} of one model, {@link
 * org.weft.jobs.diagnose.RankScan} over ranks and starts.
 */
@NullMarked
package org.weft.jobs.diagnose;

import org.jspecify.annotations.NullMarked;
