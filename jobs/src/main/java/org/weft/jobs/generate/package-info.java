/**
 * Synthetic tensors that stream: skewed sparse ones shaped like tensors of the literature, and ones
 * with known CP factors. Entries come sorted by coordinate and without duplicates, the same for the
 * same seed on every machine, and memory is independent of how many there are. Read {@link
 * org.weft.jobs.generate.SyntheticModel}, then {@link org.weft.jobs.generate.SkewedTensor} and
 * {@link org.weft.jobs.generate.PlantedTensor}.
 */
@NullMarked
package org.weft.jobs.generate;

import org.jspecify.annotations.NullMarked;
