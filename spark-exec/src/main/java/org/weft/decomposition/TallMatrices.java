package org.weft.decomposition;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.ejml.data.DMatrixRMaj;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.memory.MemoryScope;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Products of matrices with a row for each slice of a mode, which lie off the heap, with small ones
 * on it. Compiled statements; sums are double whatever the values.
 */
final class TallMatrices {
  private final RowProducts products;

  TallMatrices(RowProducts products) {
    this.products = products;
  }

  /** The kernels for matrices of doubles and of {@code type}. */
  static List<KernelRequest> algebra(ValueType type) {
    TensorFormat matrix = TensorFormat.dense(2, ValueType.DOUBLE);
    List<KernelRequest> requests = new ArrayList<>();
    for (ValueType each : EnumSet.of(ValueType.DOUBLE, type)) {
      TensorFormat tall = TensorFormat.dense(2, each);
      requests.add(
          new KernelRequest(
              "tall_product_" + each.keyword(),
              "A(i,r) = Y(i,p) * P(p,r)",
              Map.of("A", matrix, "Y", tall, "P", matrix),
              Map.of(),
              Schedule.parse("order(i,p,r) parallel(i)")));
      requests.add(
          new KernelRequest(
              "tall_gram_" + each.keyword(),
              "G(p,q) = Y(i,p) * Y(i,q)",
              Map.of("G", matrix, "Y", tall),
              Map.of(),
              Schedule.parse("order(i,p,q) parallel(i)")));
      requests.add(
          new KernelRequest(
              "tall_cross_" + each.keyword(),
              "C(r,p) = A(i,r) * Y(i,p)",
              Map.of("C", matrix, "A", matrix, "Y", tall),
              Map.of(),
              Schedule.parse("order(i,r,p) parallel(i)")));
    }
    return requests;
  }

  /** {@code Y P}, which the caller closes. */
  TensorStorage times(TensorStorage y, DMatrixRMaj p) {
    TensorShape shape = TensorShape.of(y.shape().size(0), p.numCols);
    TensorStorage result = TensorStorage.dense(products.scope(), shape, ValueType.DOUBLE);
    try (MemoryScope small = products.scope().child("small matrix")) {
      TensorStorage right = matrix(small, p.numRows, p.numCols);
      for (int at = 0; at < p.getNumElements(); at++) {
        right.vals().setDouble(at, p.data[at]);
      }
      products.algebra(symbol("product", y), Map.of("A", result, "Y", y, "P", right));
    }
    return result;
  }

  /** {@code Y^T Y}. */
  DMatrixRMaj gram(TensorStorage y) {
    return small("gram", "G", columns(y), Map.of("Y", y), y);
  }

  /** {@code A^T Y}; the values of A are double. */
  DMatrixRMaj cross(TensorStorage a, TensorStorage y) {
    return small("cross", "C", columns(a), Map.of("A", a, "Y", y), y);
  }

  private DMatrixRMaj small(
      String kernel, String name, int rows, Map<String, TensorStorage> operands, TensorStorage y) {
    try (MemoryScope small = products.scope().child("small matrix")) {
      TensorStorage result = matrix(small, rows, columns(y));
      Map<String, TensorStorage> bound = new HashMap<>(operands);
      bound.put(name, result);
      products.algebra(symbol(kernel, y), bound);
      DMatrixRMaj copy = new DMatrixRMaj(rows, columns(y));
      for (int at = 0; at < copy.getNumElements(); at++) {
        copy.data[at] = result.vals().getDouble(at);
      }
      return copy;
    }
  }

  private static TensorStorage matrix(MemoryScope scope, int rows, int columns) {
    return TensorStorage.dense(scope, TensorShape.of(rows, columns), ValueType.DOUBLE);
  }

  private static String symbol(String kernel, TensorStorage y) {
    return "tall_" + kernel + "_" + y.format().valueType().keyword();
  }

  private static int columns(TensorStorage matrix) {
    return Math.toIntExact(matrix.shape().size(1));
  }
}
