package org.weft.jobs.file;

import static org.weft.jobs.output.Usage.usage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.compiler.eval.LabelClasses;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.reorder.Permutation;
import org.weft.storage.InputPlan;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorHeader;
import org.weft.storage.file.FileAccess;
import org.weft.storage.model.MatchedLabels;
import org.weft.storage.npy.NpyFile;
import org.weft.storage.npy.NpzFile;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.text.Counts;

/**
 * The operands of an expression as they were read. A file that does not declare its shape gets one
 * that agrees with the other operands: a mode is as large as its label is elsewhere, and at least
 * as large as its coordinates need.
 */
public final class OperandFiles {
  private static final int BLOCK_ENTRIES = 1 << 16;
  private static final Pattern DECIMAL =
      Pattern.compile("[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?");
  private static final Pattern NOT_FINITE =
      Pattern.compile("([+-]?)(nan|inf|infinity)", Pattern.CASE_INSENSITIVE);

  /**
   * One operand.
   *
   * @param declared whether the file says its shape
   * @param full whether it is an array, with an entry for every cell
   */
  private record Entries(TensorShape shape, boolean declared, boolean full, List<CooBlock> blocks) {
    long count() {
      return blocks.stream().mapToLong(CooBlock::size).sum();
    }

    Entries matched(String name, MatchedOperands matched) {
      Optional<MatchedLabels.Moves> moves = matched.moves(name, shape);
      return moves.isEmpty()
          ? this
          : new Entries(
              matched.shape(name, shape),
              declared,
              full,
              blocks.stream().map(moves.get()::found).toList());
    }

    Entries within(TensorShape larger) {
      return new Entries(larger, declared, full, blocks);
    }
  }

  private final Map<String, Entries> operands = new LinkedHashMap<>();
  private final Map<String, List<List<String>>> accesses;
  private final LabelClasses classes;

  private OperandFiles(Map<String, List<List<String>>> accesses) {
    this.accesses = accesses;
    this.classes = new LabelClasses(accesses);
  }

  public static OperandFiles read(
      FileAccess files,
      ReadOptions options,
      Map<String, String> inputs,
      Map<String, List<List<String>>> accesses,
      MatchedOperands matched,
      Map<String, Long> sizes)
      throws IOException {
    OperandFiles read = new OperandFiles(accesses);
    for (Map.Entry<String, List<List<String>>> entry : accesses.entrySet()) {
      String name = entry.getKey();
      String source = inputs.getOrDefault(name, "");
      int order = entry.getValue().get(0).size();
      Entries entries =
          order == 0
              ? number(files, name, source, options)
              : source.toLowerCase(Locale.ROOT).endsWith(".npz")
                  ? archived(files, options, name, order, source)
                  : file(files, options, source);
      if (entries.shape().order() != order) {
        throw new WeftException(
            ErrorCode.SHAPE_MISMATCH,
            "--input "
                + name
                + "="
                + source
                + ": expected a tensor with "
                + Counts.plain(order, "mode")
                + ", as the expression labels it, found "
                + entries.shape().order()
                + " ("
                + entries.shape()
                + ")");
      }
      read.operands.put(name, entries.matched(name, matched));
    }
    read.agree(sizes);
    return read;
  }

  private static Entries number(FileAccess files, String name, String source, ReadOptions options) {
    ValueType type = options.type();
    Number value = parse(files, name, source, options);
    CooBlock.Builder block = new CooBlock.Builder(0, 1, type == ValueType.LONG);
    if (type.isIntegral()) {
      block.finishLong(value.longValue());
    } else {
      block.finish(value.doubleValue());
    }
    return new Entries(TensorShape.of(), true, true, List.of(block.build()));
  }

  /**
   * The number that is the input of a scalar, or in the {@code .npy} file that is: an integer of 64
   * bits if the type is integral, else a double.
   *
   * @throws WeftException {@code USAGE}, {@code VALUE_OUT_OF_RANGE}, {@code NONFINITE_VALUE}
   */
  public static Number parse(FileAccess files, String name, String source, ReadOptions options) {
    ValueType type = options.type();
    boolean isFile = source.toLowerCase(Locale.ROOT).endsWith(".npy");
    String text = isFile ? NpyFile.readNumber(files, source) : source.strip();
    try {
      double value = number(text);
      OptionalLong integer = type.isIntegral() ? type.integer(text) : OptionalLong.empty();
      if (integer.isEmpty() && (type.isIntegral() || !type.holds(value))) {
        throw new WeftException(
            ErrorCode.VALUE_OUT_OF_RANGE, "--input " + name + ": " + type.refusal(text));
      } else if (!Double.isFinite(value) && !options.allowNonfinite()) {
        throw new WeftException(
            ErrorCode.NONFINITE_VALUE,
            "--input "
                + name
                + ": expected a finite number, found "
                + text
                + "; to keep it, allow non-finite values (--allow-nonfinite)");
      }
      return integer.isPresent() ? (Number) integer.getAsLong() : (Number) value;
    } catch (NumberFormatException e) {
      throw usage(
          "--input %s=%s: the expression uses %s as a scalar: expected a number or a .npy file with"
              + " one, found '%s'; a tensor has a label for each mode, such as %s(i,j)",
          name, source, name, source, name);
    }
  }

  /** As files have numbers: {@code inf} and {@code nan} have any case, and no type is named. */
  private static double number(String text) {
    if (DECIMAL.matcher(text).matches()) {
      return Double.parseDouble(text);
    }
    Matcher special = NOT_FINITE.matcher(text);
    if (!special.matches()) {
      throw new NumberFormatException(text);
    } else if (special.group(2).equalsIgnoreCase("nan")) {
      return Double.NaN;
    }
    return special.group(1).equals("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
  }

  private static Entries file(FileAccess files, ReadOptions options, String uri)
      throws IOException {
    InputPlan plan = TensorFiles.open(files, uri, options.forOneOfSeveral(uri));
    TensorFiles.AllEntries all = TensorFiles.readAll(files, plan);
    TensorShape shape = all.summary().shape(plan.header());
    TensorHeader header = plan.header();
    return new Entries(shape, header.shape().isPresent(), header.full(), all.blocks());
  }

  /** The array called {@code name} in an archive, or the only one; a column is also a vector. */
  private static Entries archived(
      FileAccess files, ReadOptions options, String name, int order, String uri) {
    Map<String, DenseMatrix> arrays = NpzFile.read(files, uri);
    DenseMatrix array = arrays.size() == 1 ? arrays.values().iterator().next() : arrays.get(name);
    if (array == null) {
      throw new WeftException(
          ErrorCode.INVALID_FORMAT,
          uri
              + ": expected an array '"
              + name
              + "', as the operand is called, or a single one, found "
              + String.join(", ", arrays.keySet()));
    }
    boolean vector = order == 1 && array.columns() == 1;
    CooBlock.Builder entries = new CooBlock.Builder(vector ? 1 : 2, BLOCK_ENTRIES);
    List<CooBlock> blocks = new ArrayList<>();
    for (long row = 0; row < array.rows(); row++) {
      for (int column = 0; column < array.columns(); column++) {
        double value = array.get(row, column);
        if (!options.type().holds(value)) {
          throw new WeftException(
              ErrorCode.VALUE_OUT_OF_RANGE,
              uri + ": " + options.type().refusal(value + " in row " + row + " of the array"));
        }
        if (!Double.isFinite(value) && !options.allowNonfinite()) {
          throw new WeftException(
              ErrorCode.NONFINITE_VALUE,
              uri
                  + ": expected finite values, found "
                  + value
                  + " in row "
                  + row
                  + " of the array for "
                  + name
                  + "; to keep it, allow non-finite values (--allow-nonfinite)");
        }
        entries.set(0, row);
        if (!vector) {
          entries.set(1, column);
        }
        entries.finish(value);
      }
      if (entries.size() >= BLOCK_ENTRIES || row == array.rows() - 1) {
        blocks.add(entries.build());
      }
    }
    TensorShape shape =
        vector ? TensorShape.of(array.rows()) : TensorShape.of(array.rows(), array.columns());
    return new Entries(shape, true, true, blocks);
  }

  private void agree(Map<String, Long> stated) {
    Map<String, TensorShape> shapes = new LinkedHashMap<>();
    Set<String> declared = new LinkedHashSet<>();
    operands.forEach(
        (name, entries) -> {
          shapes.put(name, entries.shape());
          if (entries.declared()) {
            declared.add(name);
          }
        });
    Map<String, Long> sizes = classes.sizes(shapes, declared, stated);
    operands.replaceAll(
        (name, entries) ->
            entries.declared()
                ? entries
                : entries.within(classes.grown(name, entries.shape(), sizes)));
  }

  private static <T> T require(@Nullable T value, String name) {
    if (value == null) {
      throw new IllegalArgumentException("no operand " + name);
    }
    return value;
  }

  /** The sparse operand of most entries; null if all are full or numbers. */
  @Nullable String largest() {
    String found = null;
    for (Map.Entry<String, Entries> operand : operands.entrySet()) {
      Entries entries = operand.getValue();
      boolean larger =
          found == null || entries.count() > require(operands.get(found), found).count();
      if (!entries.full() && larger) {
        found = operand.getKey();
      }
    }
    return found;
  }

  List<CooBlock> blocks(String name) {
    return require(operands.get(name), name).blocks();
  }

  /** The labels of an operand's modes, where the expression first has it. */
  List<String> labels(String name) {
    return require(accesses.get(name), name).get(0);
  }

  /** Which labels have the same coordinates. */
  LabelClasses classes() {
    return classes;
  }

  boolean has(String name) {
    return operands.containsKey(name);
  }

  /**
   * Gives the labels new coordinates, in every operand that has them. An expression means the same
   * afterwards, under the new coordinates, because labels are only ever compared with themselves
   * and with those that share their coordinates.
   *
   * @param byLabel labels that are of one of the {@link #classes} have the same
   */
  void relabel(Map<String, Permutation> byLabel) {
    operands.replaceAll(
        (name, entries) -> {
          List<Permutation> modes = new ArrayList<>();
          for (int mode = 0; mode < entries.shape().order(); mode++) {
            String label = labels(name).get(mode);
            long size = entries.shape().size(mode);
            Permutation permutation = byLabel.getOrDefault(label, Permutation.identity(size));
            if (permutation.size() != size) {
              throw new WeftException(
                  ErrorCode.SHAPE_MISMATCH,
                  "expected "
                      + Counts.plain(permutation.size(), "coordinate")
                      + " of "
                      + label
                      + " in operand "
                      + name
                      + " as in the one that is reordered, found "
                      + size);
            }
            modes.add(permutation);
          }
          List<CooBlock> blocks =
              entries.blocks().stream().map(block -> Permutation.relabel(block, modes)).toList();
          return new Entries(entries.shape(), entries.declared(), entries.full(), blocks);
        });
  }

  TensorShape shape(String name) {
    return require(operands.get(name), name).shape();
  }

  /**
   * Packs every operand below {@code scope}.
   *
   * @param formats formats as text, by name; an operand without one is stored by its kind
   */
  public Map<String, TensorStorage> load(
      MemoryScope scope, Map<String, String> formats, ValueType type) {
    Map<String, TensorStorage> stored = new LinkedHashMap<>();
    operands.forEach(
        (name, entries) -> {
          String text = formats.get(name);
          TensorFormat format =
              text == null
                  ? usual(entries, type)
                  : TensorFormat.parse(text, entries.shape(), entries.count(), type);
          stored.put(name, Packing.pack(scope, entries.shape(), format, entries.blocks()));
        });
    return stored;
  }

  private static TensorFormat usual(Entries entries, ValueType type) {
    int order = entries.shape().order();
    return entries.full() || order == 0
        ? TensorFormat.dense(order, type).narrowedFor(entries.shape(), entries.count())
        : TensorFormat.usual(entries.shape(), entries.count(), type);
  }
}
