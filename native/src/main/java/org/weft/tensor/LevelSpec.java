package org.weft.tensor;

import java.io.Serializable;
import org.weft.tensor.level.LevelFormat;
import org.weft.tensor.level.LevelFormats;
import org.weft.tensor.level.LevelProperties;

/**
 * One level of a format: its level format, the properties that hold here (a level may be declared
 * unordered or non-unique), and the widths of its arrays; 64 bits for an array that it has not.
 */
public record LevelSpec(
    LevelFormat format, LevelProperties properties, Width posWidth, Width crdWidth)
    implements Serializable {

  public LevelSpec {
    posWidth = format.hasPos() ? posWidth : Width.W64;
    crdWidth = format.hasCrd() ? crdWidth : Width.W64;
  }

  /** A level with its format's own properties and 64-bit arrays. */
  public static LevelSpec of(String symbol) {
    LevelFormat format = LevelFormats.bySymbol(symbol);
    return new LevelSpec(format, format.properties(), Width.W64, Width.W64);
  }

  public LevelSpec withWidths(Width pos, Width crd) {
    return new LevelSpec(format, properties, pos, crd);
  }

  /**
   * This level without the properties that {@code modifiers} name: {@code o} ordered, {@code u}
   * unique, {@code c} compact (positions may be without a coordinate).
   */
  public LevelSpec withModifiers(String modifiers) {
    LevelProperties p = properties;
    boolean ordered = p.ordered() && modifiers.indexOf('o') < 0;
    boolean unique = p.unique() && modifiers.indexOf('u') < 0;
    boolean compact = p.compact() && modifiers.indexOf('c') < 0;
    return new LevelSpec(
        format,
        new LevelProperties(p.full(), ordered, unique, p.branchless(), compact),
        posWidth,
        crdWidth);
  }

  /**
   * Bytes of the arrays of the level.
   *
   * @param parents positions of the level above, which need not be a whole number in an estimate
   */
  public double bytes(double parents, double positions) {
    long above = Math.round(parents);
    long here = Math.round(positions);
    return (format.hasCrd() ? (double) format.crdLength(above, here) * crdWidth.bytes() : 0)
        + (format.hasPos() ? (double) format.posLength(above) * posWidth.bytes() : 0);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof LevelSpec that
        && format.symbol().equals(that.format.symbol())
        && properties.equals(that.properties)
        && posWidth == that.posWidth
        && crdWidth == that.crdWidth;
  }

  @Override
  public int hashCode() {
    return format.symbol().hashCode() * 31 + properties.hashCode();
  }

  /** {@code CU}, {@code CU?o}, {@code CU[32,16]}: widths are printed when not 64 bits. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(format.symbol());
    LevelProperties own = format.properties();
    String modifiers =
        (own.ordered() != properties.ordered() ? "o" : "")
            + (own.unique() != properties.unique() ? "u" : "")
            + (own.compact() != properties.compact() ? "c" : "");
    if (!modifiers.isEmpty()) {
      text.append('?').append(modifiers);
    }
    boolean narrow =
        (format.hasPos() && posWidth != Width.W64) || (format.hasCrd() && crdWidth != Width.W64);
    if (narrow) {
      text.append('[').append(posWidth.bits()).append(',').append(crdWidth.bits()).append(']');
    }
    return text.toString();
  }

  private Object writeReplace() {
    return new Serialized(format.symbol(), properties, posWidth, crdWidth);
  }

  /** Level formats are found by symbol on the other side. */
  private record Serialized(String symbol, LevelProperties properties, Width pos, Width crd)
      implements Serializable {
    private Object readResolve() {
      return new LevelSpec(LevelFormats.bySymbol(symbol), properties, pos, crd);
    }
  }
}
