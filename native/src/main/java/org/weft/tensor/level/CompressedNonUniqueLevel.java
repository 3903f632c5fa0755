package org.weft.tensor.level;

import com.google.auto.service.AutoService;

/**
 * A compressed level that is non-unique to begin with: one coordinate for every different path
 * through this level and the branchless levels below it. The first level of COO.
 *
 * <pre>
 * pos  0 4
 * crd  0 0 2 5       entries 0 and 1 lie in slice 0
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class CompressedNonUniqueLevel extends CompressedLevel {
  /** Made by the service loader. */
  public CompressedNonUniqueLevel() {
    super("CN", "compressed, non-unique", new LevelProperties(false, true, false, false, true));
  }
}
