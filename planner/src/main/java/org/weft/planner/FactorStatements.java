package org.weft.planner;

import java.util.List;
import java.util.Map;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/**
 * The dense algebra of factors {@code A: I x R}, as statements. Factors have the job's value type;
 * what is R x R or shorter is double, and so are the sums that make it.
 */
public final class FactorStatements {
  private FactorStatements() {}

  /**
   * {@code A(i,r) = M(i,s) * P(s,r)}, {@code G(r,s) = A(i,r) * A(i,s)} and {@code d(r) = M(i,r) *
   * A(i,r)}, in this order.
   */
  public static List<KernelRequest> of(int rank, ValueType type) {
    TensorFormat factor = TensorFormat.dense(2, type);
    TensorFormat matrix = TensorFormat.dense(2, ValueType.DOUBLE);
    TensorFormat vector = TensorFormat.dense(1, ValueType.DOUBLE);
    Map<String, Long> both = Map.of("r", (long) rank, "s", (long) rank);
    return List.of(
        new KernelRequest(
            "factor_product",
            "A(i,r) = M(i,s) * P(s,r)",
            Map.of("A", factor, "M", factor, "P", matrix),
            both,
            Schedule.parse("order(i,s,r) parallel(i)")),
        new KernelRequest(
            "factor_gram",
            "G(r,s) = A(i,r) * A(i,s)",
            Map.of("G", matrix, "A", factor),
            both,
            Schedule.parse("order(i,r,s) parallel(i)")),
        new KernelRequest(
            "factor_inner",
            "d(r) = M(i,r) * A(i,r)",
            Map.of("d", vector, "M", factor, "A", factor),
            Map.of("r", (long) rank),
            Schedule.parse("order(i,r) parallel(i)")));
  }
}
