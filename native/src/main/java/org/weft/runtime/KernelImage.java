package org.weft.runtime;

import java.io.Serializable;
import java.util.List;
import java.util.zip.CRC32C;

/**
 * A shared library of kernels, as it travels from the driver to the executors.
 *
 * <p>Images are equal when identity, CPU level and kernels are: the identity stands for the bytes.
 *
 * @param library the bytes of the shared library; shared, never modified
 * @param identity of what the library was compiled from, a hash in lower-case hexadecimal: images
 *     of one identity do the same
 * @param checksum CRC-32C of the bytes, by which damage on the way is found
 * @param cpu the x86-64 level that the code needs, such as {@code x86-64-v3}
 * @param kernels signatures of the kernels in the library
 */
@SuppressWarnings("ArrayRecordComponent") // the identity stands for it, see equals
public record KernelImage(
    byte[] library, String identity, long checksum, String cpu, List<KernelSignature> kernels)
    implements Serializable {

  public KernelImage {
    kernels = List.copyOf(kernels);
  }

  /** An image of {@code library} with the check sum computed. */
  public static KernelImage of(
      byte[] library, String identity, String cpu, List<KernelSignature> kernels) {
    return new KernelImage(library, identity, checksum(library), cpu, kernels);
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

  /** Whether the bytes are those that were compiled. */
  public boolean isIntact() {
    return checksum(library) == checksum;
  }

  private static long checksum(byte[] bytes) {
    CRC32C sum = new CRC32C();
    sum.update(bytes);
    return sum.getValue();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KernelImage that
        && identity.equals(that.identity)
        && cpu.equals(that.cpu)
        && kernels.equals(that.kernels);
  }

  @Override
  public int hashCode() {
    return identity.hashCode();
  }

  @Override
  public String toString() {
    return "KernelImage[" + library.length + " bytes, identity " + identity + ", " + cpu + "]";
  }
}
