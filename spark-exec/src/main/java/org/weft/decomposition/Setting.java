package org.weft.decomposition;

import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/** Settings of methods, each of which is checked and named for itself. */
public final class Setting {
  /** The largest R for which an int counts the numbers of an R x R matrix. */
  public static final int LARGEST_RANK = 46_340;

  private Setting() {}

  /**
   * Fails if a setting is not as it has to be.
   *
   * @param expected for people: {@code a rank of at least 1}
   * @throws WeftException {@code USAGE}
   */
  public static void require(String method, boolean holds, String expected, Object found) {
    if (!holds) {
      throw new WeftException(
          ErrorCode.USAGE, method + ": expected " + expected + ", found " + found);
    }
  }
}
