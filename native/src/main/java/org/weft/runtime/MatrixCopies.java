package org.weft.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.weft.memory.MemoryScope;
import org.weft.runtime.TensorParameter.Role;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/**
 * Copies of row-major matrices for a kernel that stores them in blocks, and back. Kernels of the
 * same library make them: {@code P(i,r) = F(i,r)} and {@code F(i,r) = P(i,r)}, whose symbols begin
 * with {@link #IN} and {@link #OUT}. A copy reads and writes the matrix once.
 */
public final class MatrixCopies {
  /** How symbols begin of kernels that copy a row-major matrix {@link #MATRIX} to {@link #COPY}. */
  public static final String IN = "copy_in";

  /** How symbols begin of kernels that copy {@link #COPY} to {@link #MATRIX}. */
  public static final String OUT = "copy_out";

  public static final String COPY = "P";
  public static final String MATRIX = "F";

  static final MatrixCopies NONE = new MatrixCopies(Map.of());

  private final Map<String, Copy> copies;

  /** How the matrix of one parameter is stored, and what copies it. */
  private record Copy(TensorFormat format, Kernel in, Kernel out) {}

  private MatrixCopies(Map<String, Copy> copies) {
    this.copies = Map.copyOf(copies);
  }

  static MatrixCopies of(KernelLibrary library, KernelImage image, KernelSignature signature) {
    Map<String, Copy> copies = new HashMap<>();
    for (TensorParameter parameter : signature.tensors()) {
      TensorFormat format = parameter.format();
      if (format.isInsertable() && !format.isOrdinary()) {
        Kernel in = Kernel.of(library, copying(image, IN, format));
        Kernel out = Kernel.of(library, copying(image, OUT, format));
        copies.put(parameter.name(), new Copy(format, in, out));
      }
    }
    return new MatrixCopies(copies);
  }

  private static KernelSignature copying(KernelImage image, String symbol, TensorFormat format) {
    return image.kernels().stream()
        .filter(kernel -> kernel.symbol().startsWith(symbol))
        .filter(kernel -> hasFormat(kernel, format))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no kernel '" + symbol + "..' for matrices in " + format + " in the image"));
  }

  private static boolean hasFormat(KernelSignature kernel, TensorFormat format) {
    return kernel.tensors().stream()
        .anyMatch(tensor -> tensor.name().equals(COPY) && tensor.format().equals(format));
  }

  /** Whether the kernel takes every matrix as it is. */
  public boolean isEmpty() {
    return copies.isEmpty();
  }

  /** The format of the copy that the kernel reads or writes as its parameter {@code name}. */
  public TensorFormat format(String name) {
    return copy(name).format();
  }

  /**
   * Copies a matrix.
   *
   * @param into of the matrix's shape, in the format of the parameter {@code name}
   */
  public void copy(
      String name, TensorStorage matrix, TensorStorage into, MemoryScope scope, int threads) {
    copy(name).in().run(Map.of(MATRIX, matrix, COPY, into), Map.of(), scope, threads);
  }

  private Copy copy(String name) {
    Copy copy = copies.get(name);
    if (copy == null) {
      throw new IllegalArgumentException("no copies of " + name + ", only " + copies.keySet());
    }
    return copy;
  }

  /**
   * Runs {@code call} on copies of the row-major matrices among {@code bound}, and copies the
   * result back. Copies live for the call.
   *
   * @param scope owner of what is allocated
   */
  Map<String, TensorStorage> around(
      KernelSignature signature,
      Map<String, TensorStorage> bound,
      MemoryScope scope,
      int threads,
      Function<Map<String, TensorStorage>, Map<String, TensorStorage>> call) {
    Map<String, TensorStorage> copied = new LinkedHashMap<>(bound);
    List<TensorStorage> made = new ArrayList<>();
    try {
      for (TensorParameter parameter : signature.tensors()) {
        String name = parameter.name();
        TensorStorage matrix = bound.get(name);
        if (matrix == null || !isCopied(name, matrix)) {
          continue;
        }
        TensorStorage space = TensorStorage.dense(scope, matrix.shape(), format(name));
        made.add(space);
        copied.put(name, space);
        if (parameter.role() == Role.INPUT) {
          copy(name, matrix, space, scope, threads);
        }
      }
      Map<String, TensorStorage> outputs = call.apply(copied);
      for (TensorParameter parameter : signature.tensors()) {
        String name = parameter.name();
        TensorStorage matrix = bound.get(name);
        if (matrix != null && isCopied(name, matrix) && parameter.role() != Role.INPUT) {
          TensorStorage result = copied.getOrDefault(name, matrix);
          copy(name).out().run(Map.of(MATRIX, matrix, COPY, result), Map.of(), scope, threads);
        }
      }
      return outputs;
    } finally {
      made.forEach(TensorStorage::close);
    }
  }

  private boolean isCopied(String name, TensorStorage matrix) {
    Copy copy = copies.get(name);
    TensorFormat rows = TensorFormat.dense(2, matrix.format().valueType());
    return copy != null
        && matrix.format().equals(rows)
        && matrix.format().valueType() == copy.format().valueType();
  }
}
