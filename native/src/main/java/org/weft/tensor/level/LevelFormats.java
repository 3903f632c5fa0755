package org.weft.tensor.level;

import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.service.Providers;

/** The level formats on the class path, by symbol. */
public final class LevelFormats {
  private static final Map<String, LevelFormat> BY_SYMBOL = load();

  private LevelFormats() {}

  private static Map<String, LevelFormat> load() {
    Map<String, LevelFormat> formats = new TreeMap<>();
    for (LevelFormat format : Providers.of(LevelFormat.class)) {
      LevelFormat other = formats.put(format.symbol(), format);
      if (other != null) {
        throw new IllegalStateException(
            "two level formats share the symbol "
                + format.symbol()
                + ": "
                + other.getClass().getName()
                + " and "
                + format.getClass().getName());
      }
    }
    return Map.copyOf(formats);
  }

  /**
   * @throws WeftException {@code INVALID_FORMAT} if there is no such format
   */
  public static LevelFormat bySymbol(String symbol) {
    LevelFormat format = BY_SYMBOL.get(symbol);
    if (format == null) {
      throw new WeftException(
          ErrorCode.INVALID_FORMAT,
          "unknown level format '"
              + symbol
              + "'; known are "
              + String.join(", ", new TreeMap<>(BY_SYMBOL).keySet()));
    }
    return format;
  }

  public static Collection<LevelFormat> all() {
    return BY_SYMBOL.values();
  }
}
