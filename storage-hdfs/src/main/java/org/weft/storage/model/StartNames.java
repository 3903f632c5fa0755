package org.weft.storage.model;

import java.util.Set;

/** Names of initial factors that are not those of a model. */
public final class StartNames {
  public static final String RANDOM = "random";

  /** Leading singular vectors. */
  public static final String NVECS = "nvecs";

  private StartNames() {}

  /** Whether {@code init} is the folder of a model. */
  public static boolean isFolder(String init) {
    return !Set.of(RANDOM, NVECS).contains(init);
  }
}
