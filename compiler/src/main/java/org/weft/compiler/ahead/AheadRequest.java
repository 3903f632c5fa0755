package org.weft.compiler.ahead;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.weft.compiler.Schedule;
import org.weft.compiler.eval.LabelSizes;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.ValueType;

/**
 * A statement to compile ahead of time.
 *
 * @param name how the names of the library's functions begin, a C identifier
 * @param statement in index notation
 * @param formats of tensors by name, without widths; others are dense
 * @param type of all values
 * @param sizes of labels that are known now; needed for a label that only the result has
 * @param schedule how the loops run
 * @param cpu {@code x86-64-v2}, {@code -v3} or {@code -v4}
 * @param threads that a call uses when it names no number; 0 for all processors
 * @param module name of the Python module that lies beside the library with the library's name:
 *     Python imports the library then, which runs the module
 */
public record AheadRequest(
    String name,
    String statement,
    Map<String, String> formats,
    ValueType type,
    Map<String, Long> sizes,
    Schedule schedule,
    String cpu,
    int threads,
    Optional<String> module) {
  private static final Pattern IDENTIFIER = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,60}");

  public AheadRequest {
    formats = Collections.unmodifiableMap(new TreeMap<>(formats));
    sizes = Collections.unmodifiableMap(new TreeMap<>(sizes));
    if (!IDENTIFIER.matcher(name).matches()) {
      throw new WeftException(
          ErrorCode.USAGE,
          "expected a C identifier for the names of the library's functions, found '"
              + name
              + "'; give one with --name");
    }
    LabelSizes.requireSizes(sizes);
    if (threads < 0) {
      throw new WeftException(
          ErrorCode.USAGE, "expected at least 0 threads, found " + threads + "; 0 takes all");
    }
  }
}
