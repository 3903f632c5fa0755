/**
 * What a schedule asks of each loop, and whether the loop can give it.
 *
 * <p>{@link LoopFacts} says what is known of a loop, {@link Directives} decides, and {@link
 * LoopPlan} is the decision. An illegal directive is refused with a reason. Read {@link Directives}
 * first.
 */
@NullMarked
package org.weft.compiler.lower.schedule;

import org.jspecify.annotations.NullMarked;
