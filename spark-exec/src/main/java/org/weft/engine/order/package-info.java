/**
 * Orders of tensors: {@link org.weft.engine.order.SampledOrder} brings the entries, or a sample of
 * them, to one process, orders them there and extends the order to the rest; {@link
 * org.weft.engine.order.ReorderChoice} decides whether an order pays. {@link
 * org.weft.engine.order.RowOwners} numbers rows so that those of a tile follow one another. Read
 * {@code SampledOrder} first.
 */
@NullMarked
package org.weft.engine.order;

import org.jspecify.annotations.NullMarked;
