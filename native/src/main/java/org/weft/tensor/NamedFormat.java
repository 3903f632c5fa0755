package org.weft.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The formats that have a name. Levels and coordinates are given in the order of storage. */
enum NamedFormat {
  DENSE("Dense", -1, 0),
  COO("COO", -1, 0),
  CSR("CSR", 2, 0),
  CSC("CSC", 2, 0),
  DCSR("DCSR", 2, 0),
  DCSC("DCSC", 2, 0),
  CSF("CSF", -1, 0),
  CDR("CDR", 2, 0),
  ELL("ELL", 2, 0),
  DIA("DIA", 2, 0),
  BCSR("BCSR", 2, 2),
  CSB("CSB", 2, 2),
  MODE_GENERIC("ModeGeneric", -1, 1),
  HASH_VECTOR("HashVector", 1, 0),
  HASH_MATRIX("HashMatrix", 2, 0);

  private final String text;
  private final int order;
  private final int numbers;

  NamedFormat(String text, int order, int numbers) {
    this.text = text;
    this.order = order;
    this.numbers = numbers;
  }

  /** The order of the tensors it stores; -1 for any. */
  int order() {
    return order;
  }

  /** How many numbers stand in parentheses after the name. */
  int numbers() {
    return numbers;
  }

  static @Nullable NamedFormat of(String name) {
    for (NamedFormat format : values()) {
      if (format.text.toUpperCase(Locale.ROOT).equals(name.toUpperCase(Locale.ROOT))) {
        return format;
      }
    }
    return null;
  }

  /** {@code Dense, COO, ... BCSR(b,c), ...}. */
  static String list() {
    return Arrays.stream(values()).map(NamedFormat::usage).collect(Collectors.joining(", "));
  }

  /** {@code BCSR(b,c)}. */
  String usage() {
    return switch (this) {
      case BCSR, CSB -> text + "(b,c)";
      case MODE_GENERIC -> text + "(k)";
      default -> text;
    };
  }

  /**
   * The format for tensors of {@code modes} modes.
   *
   * @throws IllegalArgumentException if the numbers have no meaning
   */
  TensorFormat format(int modes, long[] with, ValueType type) {
    return switch (this) {
      case DENSE -> TensorFormat.dense(modes, type);
      case COO -> TensorFormat.coo(modes, type);
      case CSF -> TensorFormat.csf(modes, type);
      case CSR -> plain(type, "D", "CU");
      case CSC -> plain(type, "D", "CU").withModeOrder(1, 0);
      case DCSR -> plain(type, "CU", "CU");
      case DCSC -> plain(type, "CU", "CU").withModeOrder(1, 0);
      case CDR -> plain(type, "CU", "D");
      case HASH_VECTOR -> plain(type, "H");
      case HASH_MATRIX -> plain(type, "D", "H");
      case MODE_GENERIC -> modeGeneric(modes, with[0], type);
      case ELL ->
          structured(
              List.of(LevelSpec.of("D"), LevelSpec.of("D"), LevelSpec.of("S").withModifiers("c")),
              List.of(new LevelCoordinate.Slot(), mode(0), mode(1)),
              type);
      case DIA ->
          structured(
              specs("D", "R", "O"),
              List.of(new LevelCoordinate.Diagonal(), mode(0), mode(1)),
              type);
      case BCSR -> structured(specs("D", "CU", "D", "D"), blocks(with), type);
      case CSB -> structured(specs("D", "D", "CN", "S"), blocks(with), type);
    };
  }

  private static TensorFormat plain(ValueType type, String... symbols) {
    int[] modes = new int[symbols.length];
    Arrays.setAll(modes, m -> m);
    return new TensorFormat(specs(symbols), modes, type);
  }

  private static TensorFormat modeGeneric(int modes, long dense, ValueType type) {
    if (dense < 1 || dense >= modes) {
      throw new IllegalArgumentException(
          "ModeGeneric(k) of "
              + modes
              + " modes has k dense levels, 1 to "
              + (modes - 1)
              + ", not "
              + dense);
    }
    List<String> symbols = new ArrayList<>(List.of("CN"));
    while (symbols.size() < modes) {
      symbols.add(symbols.size() < modes - dense ? "S" : "D");
    }
    return plain(type, symbols.toArray(new String[0]));
  }

  private static TensorFormat structured(
      List<LevelSpec> levels, List<LevelCoordinate> coordinates, ValueType type) {
    return new TensorFormat(levels, coordinates, new int[] {0, 1}, type);
  }

  private static LevelCoordinate mode(int mode) {
    return new LevelCoordinate.Mode(mode);
  }

  private static List<LevelCoordinate> blocks(long[] sizes) {
    return List.of(
        new LevelCoordinate.Block(0, sizes[0]),
        new LevelCoordinate.Block(1, sizes[1]),
        new LevelCoordinate.Within(0, sizes[0]),
        new LevelCoordinate.Within(1, sizes[1]));
  }

  private static List<LevelSpec> specs(String... symbols) {
    return Arrays.stream(symbols).map(LevelSpec::of).toList();
  }
}
