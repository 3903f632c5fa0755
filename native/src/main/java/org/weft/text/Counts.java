package org.weft.text;

import java.util.Locale;

/**
 * Counts of things as people read them: {@code 1 entry}, {@code 2 entries}, {@code 1,024 rows}. The
 * thing is given in the singular; what stands before its last word, as in {@code packed form},
 * stays as it is.
 */
public final class Counts {
  private static final String VOWELS = "aeiou";

  private Counts() {}

  /** The count with commas between thousands, for reports. */
  public static String of(long count, String thing) {
    return String.format(Locale.ROOT, "%,d %s", count, noun(count, thing));
  }

  /** The count in digits alone, for messages that compare it with another number. */
  public static String plain(long count, String thing) {
    return count + " " + noun(count, thing);
  }

  private static String noun(long count, String thing) {
    if (count == 1) {
      return thing;
    }
    int last = thing.length() - 1;
    boolean consonantAndY =
        thing.endsWith("y") && last > 0 && VOWELS.indexOf(thing.charAt(last - 1)) < 0;
    return consonantAndY ? thing.substring(0, last) + "ies" : thing + "s";
  }
}
