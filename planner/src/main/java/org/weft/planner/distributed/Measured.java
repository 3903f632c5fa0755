package org.weft.planner.distributed;

import java.util.Locale;
import org.weft.text.Bytes;
import org.weft.text.Counts;

/**
 * What a node of a plan took when it ran.
 *
 * @param bytes of the entries that it sent to other parts
 * @param entries that it made
 * @param seconds of all its tasks, one after another
 */
public record Measured(long bytes, long entries, double seconds) {
  /** The node that computes the statement in every part. */
  public static final String KERNEL = "kernel";

  /** The node that makes results for the same cells one. */
  public static final String MERGE = "merge";

  /** The node that sends the result to ranges of its first mode. */
  public static final String ARRANGED = "arrange";

  /** The exchange of the operand in {@code slot}. */
  public static String exchange(String slot) {
    return "exchange " + slot;
  }

  /** The results on their way to {@link #MERGE}. */
  public static final String RESULTS = "exchange of results";

  @Override
  public String toString() {
    String moved = bytes > 0 ? Bytes.text(bytes) + " moved, " : "";
    return String.format(
        Locale.ROOT, "%s%s, %.3f s of tasks", moved, Counts.of(entries, "entry"), seconds);
  }
}
