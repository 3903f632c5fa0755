package org.weft.error;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Checks what programs hand over. */
public final class Given {
  private Given() {}

  /**
   * The value of a parameter.
   *
   * @param name of the parameter, as callers know it
   * @throws WeftException {@code USAGE} if the value is null, or is an array or a list with a null
   */
  public static <T> T required(String name, @Nullable T value) {
    if (value == null) {
      throw new WeftException(
          ErrorCode.USAGE,
          name + ": expected a value, found null; give one, or leave out the call");
    }
    if (value instanceof Object[] || value instanceof Iterable<?>) {
      requireElements(name, value);
    }
    return value;
  }

  private static void requireElements(String name, Object values) {
    int at = 0;
    Iterable<?> list =
        values instanceof Iterable<?> given ? given : Arrays.asList((Object[]) values);
    for (Object element : list) {
      required(name + "[" + at + "]", element);
      at++;
    }
  }
}
