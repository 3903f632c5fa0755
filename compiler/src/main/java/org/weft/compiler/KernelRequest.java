package org.weft.compiler;

import java.io.Serializable;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.weft.tensor.TensorFormat;

/**
 * A kernel to compile.
 *
 * @param symbol name of the kernel in its library, a C identifier unique among the requests
 * @param expression an assignment in index notation: {@code M(j,r) = T(i,j,k) * F0(i,r) * F2(k,r)}
 * @param formats format of every tensor, the result included, by name
 * @param sizes index variables whose size is a compile-time constant, such as {@code r -> 16}
 * @param schedule how the loops run
 */
public record KernelRequest(
    String symbol,
    String expression,
    Map<String, TensorFormat> formats,
    Map<String, Long> sizes,
    Schedule schedule)
    implements Serializable {
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  public KernelRequest {
    if (!IDENTIFIER.matcher(symbol).matches()) {
      throw new IllegalArgumentException(
          "expected a C identifier as the symbol of a kernel, found '" + symbol + "'");
    }
    formats = Collections.unmodifiableMap(new TreeMap<>(formats));
    sizes = Collections.unmodifiableMap(new TreeMap<>(sizes));
    sizes.forEach(
        (variable, size) -> {
          if (size < 0) {
            throw new IllegalArgumentException(
                "size of index variable " + variable + " must not be negative: " + size);
          }
        });
  }

  /** The same kernel with another schedule. */
  public KernelRequest withSchedule(Schedule other) {
    return new KernelRequest(symbol, expression, formats, sizes, other);
  }
}
