package org.weft.tensor;

import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.level.LevelPacking;

/** What no storage of a format can hold, as far as the sizes of the modes alone tell. */
public final class FormatLimits {
  /** Most positions of a level in one partition. */
  private static final long MOST_POSITIONS = Integer.MAX_VALUE - 8L;

  private FormatLimits() {}

  /**
   * Refuses a shape whose coordinates are too large for the widths of {@code format}, or whose
   * levels that store every coordinate are too long.
   *
   * @param partitions that a tensor may be cut into
   * @throws WeftException {@code WIDTH_OVERFLOW}, {@code OUT_OF_MEMORY}
   */
  public static void require(TensorShape shape, TensorFormat format, int partitions) {
    double positions = 1;
    for (int level = 0; level < format.levelCount(); level++) {
      if (format.coordinate(level).isCounted()) {
        return;
      }
      LevelSpec spec = format.level(level);
      if (spec.format().hasCrd()) {
        target(shape, format, level, 0).requireCrd();
      }
      boolean every = positions > 0 && spec.properties().full();
      positions = every ? positions * format.levelSize(shape, level) : 0;
      if (positions > (double) MOST_POSITIONS * partitions) {
        throw tooLong(shape, format, level, positions);
      }
    }
  }

  /** A level as it is packed; {@code counted} numbers if data counts its coordinates. */
  static LevelPacking.Target target(
      TensorShape shape, TensorFormat format, int level, int counted) {
    LevelSpec spec = format.level(level);
    return new LevelPacking.Target(
        level,
        format.coordinate(level).isCounted() ? counted : format.levelSize(shape, level),
        format.sizeBelow(shape, level),
        format.branchlessBelow(level),
        spec.format(),
        spec.properties(),
        spec.posWidth(),
        spec.crdWidth());
  }

  private static WeftException tooLong(
      TensorShape shape, TensorFormat format, int level, double positions) {
    String levels = format.toString().replaceAll("\\[[0-9]+,[0-9]+]", "");
    return new WeftException(
        ErrorCode.OUT_OF_MEMORY,
        "a tensor of "
            + shape
            + " does not fit the format "
            + levels
            + ": its level "
            + (level + 1)
            + " stores every coordinate, "
            + (positions < 1e15 ? Long.toString((long) positions) : Double.toString(positions))
            + " positions, and one partition holds at most 2^31; where few cells have values, choose"
            + " a format that stores the coordinates of entries alone there, such as "
            + (format.order() == 2 ? "DCSR" : "CSF"));
  }
}
