package org.weft.tensor.level;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** A level format that holds what it says of itself; a subclass packs and iterates. */
abstract class DescribedLevel implements LevelFormat {
  private final String symbol;
  private final String description;
  private final LevelProperties properties;
  private final boolean hasPos;
  private final boolean hasCrd;
  private final Set<LevelCapability> capabilities;

  DescribedLevel(
      String symbol,
      String description,
      LevelProperties properties,
      boolean hasPos,
      boolean hasCrd,
      LevelCapability first,
      LevelCapability... others) {
    this.symbol = symbol;
    this.description = description;
    this.properties = properties;
    this.hasPos = hasPos;
    this.hasCrd = hasCrd;
    this.capabilities = Collections.unmodifiableSet(EnumSet.of(first, others));
  }

  @Override
  public final String symbol() {
    return symbol;
  }

  @Override
  public final String description() {
    return description;
  }

  @Override
  public final LevelProperties properties() {
    return properties;
  }

  @Override
  public final boolean hasPos() {
    return hasPos;
  }

  @Override
  public final boolean hasCrd() {
    return hasCrd;
  }

  @Override
  public final Set<LevelCapability> capabilities() {
    return capabilities;
  }
}
