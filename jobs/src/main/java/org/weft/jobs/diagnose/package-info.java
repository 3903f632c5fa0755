/**
 * Whether a CP model can be trusted: {@link org.weft.jobs.diagnose.Components} of one model, {@link
 * org.weft.jobs.diagnose.RankScan} over ranks and starts.
 */
@NullMarked
package org.weft.jobs.diagnose;

import org.jspecify.annotations.NullMarked;
