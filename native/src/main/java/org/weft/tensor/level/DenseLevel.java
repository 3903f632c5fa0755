package org.weft.tensor.level;

import com.google.auto.service.AutoService;
import java.util.Optional;

/**
 * Every coordinate of the mode, stored implicitly; position {@code p * N + i} holds coordinate
 * {@code i} under parent {@code p}.
 *
 * <pre>
 * size  4          parent 0: positions 0 1 2 3
 *                  parent 1: positions 4 5 6 7
 * </pre>
 */
@AutoService(LevelFormat.class)
public final class DenseLevel extends TableLevel {
  /** Made by the service loader. */
  public DenseLevel() {
    super("D", "dense", new LevelProperties(true, true, true, false, true), false);
  }

  @Override
  public Optional<NativeLevel> nativeLevel() {
    return Optional.of(NativeLevel.DENSE);
  }
}
