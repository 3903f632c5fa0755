package org.weft.compiler.level;

import com.google.auto.service.AutoService;

/**
 * Compressed level whose segments may repeat a coordinate: the root of COO. The same arrays and
 * level functions as {@link CompressedEmitter}; only the descriptor's properties differ.
 */
@AutoService(LevelEmitter.class)
public final class CompressedNonUniqueEmitter extends CompressedEmitter {
  @Override
  public String symbol() {
    return "CN";
  }
}
