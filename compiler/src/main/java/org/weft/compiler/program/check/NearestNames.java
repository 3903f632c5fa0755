package org.weft.compiler.program.check;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Which of the known names a person may have meant. */
public final class NearestNames {
  private static final int FAR = 2;

  private NearestNames() {}

  /**
   * The name of {@code known} that is at most two edits from {@code written}, and at most one for
   * each two of its letters, if any.
   */
  public static Optional<String> nearest(String written, Collection<String> known) {
    return known.stream()
        .filter(name -> distance(written, name) <= Math.min(FAR, written.length() / 2))
        .min(
            Comparator.comparingInt((String name) -> distance(written, name))
                .thenComparing(Comparator.naturalOrder()));
  }

  /** Levenshtein's distance, in which neighbours that changed places are one edit. */
  private static int distance(String a, String b) {
    int[][] edits = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        edits[i][j] = i == 0 || j == 0 ? i + j : edit(edits, a, b, i, j);
      }
    }
    return edits[a.length()][b.length()];
  }

  private static int edit(int[][] edits, String a, String b, int i, int j) {
    char one = a.charAt(i - 1);
    char other = b.charAt(j - 1);
    int changed = edits[i - 1][j - 1] + (one == other ? 0 : 1);
    boolean swapped = i > 1 && j > 1 && one == b.charAt(j - 2) && a.charAt(i - 2) == other;
    int least = swapped ? Math.min(changed, edits[i - 2][j - 2] + 1) : changed;
    return Math.min(least, 1 + Math.min(edits[i - 1][j], edits[i][j - 1]));
  }
}
