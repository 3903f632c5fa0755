package org.weft.text;

import java.util.Locale;

/** Numbers of bytes as people read them. */
public final class Bytes {
  private static final String[] UNITS = {
    "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"
  };

  private Bytes() {}

  /** {@code 1.5 GiB}. */
  public static String text(double bytes) {
    double scaled = bytes;
    int unit = 0;
    while (scaled >= 1024 && unit < UNITS.length - 1) {
      scaled /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", scaled, UNITS[unit]);
  }
}
