/**
 * Search of the state space of one statement (Bik et al., section 5.2): operand formats, mode
 * orders, widths and schedules.
 *
 * <p>{@link org.weft.planner.tune.VariantSpace} enumerates, {@link
 * org.weft.planner.tune.VariantCost} predicts, {@link org.weft.planner.tune.Tuner} prunes by the
 * prediction, verifies and times the rest, and {@link org.weft.planner.tune.TunedStore} keeps
 * winners by {@link org.weft.planner.tune.ExpressionClass}. Invariant: a variant that is timed has
 * given the answer of the variant that runs without tuning. Read {@code Tuner} first.
 */
@NullMarked
package org.weft.planner.tune;

import org.jspecify.annotations.NullMarked;
