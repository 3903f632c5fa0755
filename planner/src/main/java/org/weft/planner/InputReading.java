package org.weft.planner;

import java.io.Serializable;

/**
 * How many tasks can read the input at a time.
 *
 * @param tasks at most; 1 for a file that cannot be split
 * @param why they are so few, as words after "one task: "; empty where nothing is to be said
 */
public record InputReading(int tasks, String why) implements Serializable {
  /** By all tasks, as of what no file has. */
  public static InputReading free() {
    return new InputReading(Integer.MAX_VALUE, "");
  }
}
