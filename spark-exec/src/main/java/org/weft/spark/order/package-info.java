/**
 * Orders of tensors on Spark: {@link org.weft.spark.order.SampledOrder} brings the entries, or a
 * sample of them, to the driver, orders them there and extends the order to the rest.
 */
@NullMarked
package org.weft.spark.order;

import org.jspecify.annotations.NullMarked;
