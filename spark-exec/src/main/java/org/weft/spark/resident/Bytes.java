package org.weft.spark.resident;

import java.util.Locale;

/** Byte counts in messages. */
public final class Bytes {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

  private Bytes() {}

  /** {@code 1.5 GiB}. */
  public static String text(long bytes) {
    double scaled = bytes;
    int unit = 0;
    while (scaled >= 1024 && unit < UNITS.length - 1) {
      scaled /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", scaled, UNITS[unit]);
  }
}
