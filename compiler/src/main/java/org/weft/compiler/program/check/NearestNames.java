package org.weft.compiler.program.check;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Which of the known names a person may have meant. */
public final class NearestNames {
  private static final int FAR = 2;

  private NearestNames() {}

  /** The name of {@code known} that is at most two edits from {@code written}, if any. */
  public static Optional<String> nearest(String written, Collection<String> known) {
    return known.stream()
        .filter(name -> distance(written, name) <= Math.min(FAR, written.length() - 1))
        .min(
            Comparator.comparingInt((String name) -> distance(written, name))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Levenshtein's distance. */
  private static int distance(String a, String b) {
    int[] above = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      above[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int changed = above[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(changed, 1 + Math.min(above[j], row[j - 1]));
      }
      above = row;
    }
    return above[b.length()];
  }
}
