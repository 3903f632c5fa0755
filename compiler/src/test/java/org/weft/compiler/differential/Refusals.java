package org.weft.compiler.differential;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * Counts requests that were refused, by reason. Only reasons of this list are in order; any other,
 * and one that has been worked off, is a failure.
 */
final class Refusals {
  /** A reason why a request may be refused. */
  private record Reason(String name, ErrorCode code, Pattern message) {
    Reason(String name, ErrorCode code, String message) {
      this(name, code, Pattern.compile(message, Pattern.DOTALL));
    }
  }

  /** What a single kernel may refuse: formats that no order of its loops suits. */
  private static final List<Reason> OF_KERNELS =
      List.of(
          new Reason("mode orders clash", ErrorCode.INVALID_FORMAT, ".*cycle.*"),
          new Reason(
              "repeated coordinates above random access",
              ErrorCode.CONVERSION_REQUIRED,
              ".*lies below a level with repeated coordinates.*"),
          new Reason(
              "result cannot be appended",
              ErrorCode.CONVERSION_REQUIRED,
              ".*cannot be assembled.*"),
          new Reason("unordered level", ErrorCode.CONVERSION_REQUIRED, ".*is unordered.*"),
          new Reason("structured levels", ErrorCode.CONVERSION_REQUIRED, ".*"));

  private final List<Reason> allowed;
  private final Map<String, Integer> counts = new TreeMap<>();

  private Refusals(List<Reason> allowed) {
    this.allowed = allowed;
  }

  static Refusals ofKernels() {
    return new Refusals(OF_KERNELS);
  }

  /** For what must never refuse. */
  static Refusals none() {
    return new Refusals(List.of());
  }

  boolean allows(WeftException refusal) {
    return reason(refusal).isPresent();
  }

  private Optional<Reason> reason(WeftException refusal) {
    String message = String.valueOf(refusal.getMessage());
    return allowed.stream()
        .filter(r -> r.code() == refusal.code() && r.message().matcher(message).matches())
        .findFirst();
  }

  synchronized void count(WeftException refusal) {
    counts.merge(reason(refusal).orElseThrow().name(), 1, Integer::sum);
  }

  synchronized int total() {
    return counts.values().stream().mapToInt(n -> n).sum();
  }

  @Override
  public synchronized String toString() {
    return total() + " refused " + counts;
  }
}
