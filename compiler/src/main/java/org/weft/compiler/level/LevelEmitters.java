package org.weft.compiler.level;

import java.util.Map;
import java.util.stream.Collectors;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.service.Providers;
import org.weft.tensor.level.LevelFormat;

/** Finds the emitter of a level format. */
public final class LevelEmitters {
  private static final Map<String, LevelEmitter> BY_SYMBOL =
      Providers.of(LevelEmitter.class).stream()
          .collect(Collectors.toMap(LevelEmitter::symbol, emitter -> emitter));

  private LevelEmitters() {}

  /**
   * The emitter for {@code format}.
   *
   * @throws WeftException {@code UNSUPPORTED_OPERATION} if no emitter on the class path serves it
   */
  public static LevelEmitter of(LevelFormat format) {
    if (format instanceof SplitLevel half) {
      return new SplitEmitter(of(half.of().format()), half);
    }
    LevelEmitter emitter = BY_SYMBOL.get(format.symbol());
    if (emitter == null) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          "the compiler has no level functions for level format "
              + format.symbol()
              + " ("
              + format.description()
              + "); formats with level functions are "
              + BY_SYMBOL.keySet().stream().sorted().toList());
    }
    return emitter;
  }
}
