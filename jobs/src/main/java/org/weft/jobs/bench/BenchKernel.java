package org.weft.jobs.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** The kernels of the suite. */
public enum BenchKernel {
  /** {@code y(i) = A(i,j) * x(j)}. */
  SPMV(true),
  /** {@code Y(i,k) = A(i,j) * X(j,k)}, 32 columns. */
  SPMM(true),
  /** {@code C(i,j) = A(i,k) * B(k,j)}, all CSR. */
  SPGEMM(true),
  /** {@code C(i,j) = A(i,j) + B(i,j)}, all CSR. */
  ADD(true),
  /** {@code C(i,j) = A(i,j) * B(i,k) * D(j,k)}, 32 columns. */
  SDDMM(true),
  /** The last mode times a vector, as {@code weft ttv} plans it. */
  TTV(false),
  /** The last mode times a matrix, as {@code weft ttm} plans it. */
  TTM(false),
  /** Every mode, as {@code weft mttkrp} plans it. */
  MTTKRP(false),
  /** One iteration of CP-ALS in this process: MTTKRPs of all modes and the dense algebra. */
  CP_ALS(false);

  private final boolean ofMatrices;

  BenchKernel(boolean ofMatrices) {
    this.ofMatrices = ofMatrices;
  }

  /** As typed. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Whether it depends on a rank. */
  boolean hasRank() {
    return this == TTM || this == MTTKRP || this == CP_ALS;
  }

  /** Whether it applies to a tensor of {@code order}. */
  boolean appliesTo(int order) {
    return ofMatrices ? order == 2 : order >= 3;
  }

  public static List<String> labels() {
    return Arrays.stream(values()).map(BenchKernel::label).toList();
  }

  /**
   * The kernel of that label.
   *
   * @throws WeftException {@code USAGE}
   */
  public static BenchKernel of(String label) {
    return Arrays.stream(values())
        .filter(kernel -> kernel.label().equals(label.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                new WeftException(
                    ErrorCode.USAGE,
                    "expected a kernel of the suite, found '"
                        + label
                        + "'; it has "
                        + String.join(", ", labels())));
  }
}
