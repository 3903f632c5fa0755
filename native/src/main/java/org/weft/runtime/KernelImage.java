package org.weft.runtime;

import java.io.Serializable;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A shared library of kernels, as it travels from the driver to the executors.
 *
 * <p>Images are equal when hash, CPU level and kernels are: the hash stands for the bytes.
 *
 * @param library the bytes of the shared library; shared, never modified
 * @param sha256 SHA-256 of the bytes, lower-case hexadecimal
 * @param cpu the x86-64 level that the code needs, such as {@code x86-64-v3}
 * @param kernels signatures of the kernels in the library
 */
@SuppressWarnings("ArrayRecordComponent") // identity is the hash, see equals
public record KernelImage(byte[] library, String sha256, String cpu, List<KernelSignature> kernels)
    implements Serializable {

  public KernelImage {
    kernels = List.copyOf(kernels);
  }

  /** An image of {@code library} with the hash computed. */
  public static KernelImage of(byte[] library, String cpu, List<KernelSignature> kernels) {
    return new KernelImage(library, sha256(library), cpu, kernels);
  }

  /**
   * The signature of {@code symbol}.
   *
   * @throws IllegalArgumentException if the image has no such kernel
   */
  public KernelSignature signature(String symbol) {
    return kernels.stream()
        .filter(kernel -> kernel.symbol().equals(symbol))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no kernel '"
                        + symbol
                        + "' among "
                        + kernels.stream().map(KernelSignature::symbol).toList()));
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KernelImage that
        && sha256.equals(that.sha256)
        && cpu.equals(that.cpu)
        && kernels.equals(that.kernels);
  }

  @Override
  public int hashCode() {
    return sha256.hashCode();
  }

  @Override
  public String toString() {
    return "KernelImage[" + library.length + " bytes, sha256 " + sha256 + ", " + cpu + "]";
  }
}
