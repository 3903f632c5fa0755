package org.weft.jobs.decompose;

import static org.weft.jobs.output.Usage.usage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.weft.jobs.option.NamedMode;
import org.weft.storage.Labels;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Cells of a model as a user names them: {@code user=alice,item=42}. A mode is named or numbered.
 * Its value is a label, or a coordinate from 1 if the mode has no labels. A label may have commas
 * and equals signs in it.
 *
 * @param model the folder
 * @param names of the modes
 * @param labels by mode
 */
record NamedCells(
    String model, List<String> names, Map<Integer, Labels> labels, TensorShape shape) {
  private static final int SHOWN = 3;

  /**
   * The cells as entries of a block.
   *
   * @param open a mode that needs no label; -1 for none
   * @throws org.weft.error.WeftException {@code USAGE} for a mode or a label that the model lacks,
   *     and for a mode that is missing or given twice
   */
  CooBlock of(List<String> cells, int open) {
    CooBlock.Builder block = new CooBlock.Builder(shape.order(), cells.size());
    cells.forEach(cell -> block.add(coordinates(cell, open), 0));
    return block.build();
  }

  private long[] coordinates(String cell, int open) {
    long[] at = new long[shape.order()];
    Arrays.fill(at, -1);
    for (String part : parts(cell)) {
      int equals = part.indexOf('=');
      if (equals < 0) {
        throw usage(
            "expected --at as MODE=LABEL,..., such as %s=..., found '%s'", names.get(0), cell);
      }
      int mode = NamedMode.number(model, "--at", part.substring(0, equals), names, shape.order());
      if (at[mode] >= 0) {
        throw usage("--at %s: expected each mode once, found %s twice", cell, names.get(mode));
      }
      at[mode] = coordinate(mode, part.substring(equals + 1));
    }
    if (open >= 0) {
      at[open] = Math.max(0, at[open]);
    }
    String missing =
        IntStream.range(0, at.length)
            .filter(mode -> at[mode] < 0)
            .mapToObj(names::get)
            .collect(Collectors.joining(", "));
    if (!missing.isEmpty()) {
      throw usage("--at %s: expected every mode of the model, found none of %s", cell, missing);
    }
    return at;
  }

  /** The parts of a cell: a comma ends one if a mode and an equals sign follow. */
  private List<String> parts(String cell) {
    boolean numbers = labels.isEmpty(); // which have no commas
    String modes =
        numbers
            ? "[^,=]+"
            : IntStream.range(0, names.size())
                .mapToObj(mode -> Pattern.quote(names.get(mode)) + "|" + mode)
                .collect(Collectors.joining("|"));
    Matcher ends = Pattern.compile(",(?=\\s*(" + modes + ")\\s*=)").matcher(cell);
    List<String> parts = new ArrayList<>();
    int from = 0;
    while (ends.find()) {
      parts.add(cell.substring(from, ends.start()));
      from = ends.end();
    }
    parts.add(cell.substring(from));
    return parts;
  }

  private long coordinate(int mode, String text) {
    Labels known = labels.get(mode);
    if (known != null) {
      for (int at = 0; at < known.size(); at++) {
        if (known.label(at).equals(text)) {
          return at;
        }
      }
      throw usage(
          "%s: expected --at with a label of mode %s, such as %s, found '%s'",
          model,
          names.get(mode),
          IntStream.range(0, Math.min(SHOWN, known.size()))
              .mapToObj(at -> "'" + known.label(at) + "'")
              .collect(Collectors.joining(", ")),
          text);
    }
    long size = shape.size(mode);
    String digits = text.strip();
    long at = digits.matches("[0-9]{1,18}") ? Long.parseLong(digits) : 0;
    if (at < 1 || at > size) {
      throw usage(
          "%s: expected --at with a coordinate from 1 to %s of mode %s, which has no labels, found"
              + " '%s'",
          model, String.format(Locale.ROOT, "%d", size), names.get(mode), text);
    }
    return at - 1;
  }
}
