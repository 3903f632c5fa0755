package org.weft.planner;

import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * How tasks can read the input.
 *
 * @param tasks at most, at a time; 1 for a file that cannot be split
 * @param why they are so few, as words after "one task: "; empty where nothing is to be said
 * @param text whether entries are parsed; those of a container are decoded as they are packed
 * @param layout of the parts of the file; null if it says nothing about them
 */
public record InputReading(int tasks, String why, boolean text, @Nullable PartLayout layout)
    implements Serializable {
  /** By all tasks, as of what no file has. */
  public static InputReading free() {
    return new InputReading(Integer.MAX_VALUE, "", true, null);
  }

  /** The same for entries that do not lie so, or have other coordinates. */
  public InputReading withoutLayout() {
    return new InputReading(tasks, why, text, null);
  }
}
