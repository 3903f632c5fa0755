package org.weft.storage.text;

import com.google.auto.service.AutoService;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.ReadOptions;
import org.weft.storage.SingleFileFormat;
import org.weft.storage.SourceFile;
import org.weft.storage.TensorFileFormat;
import org.weft.storage.TensorHeader;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.tensor.TensorShape;
import org.weft.text.Counts;

/**
 * Harwell-Boeing and Rutherford-Boeing matrices (Duff, Grimes and Lewis, RAL-TR-97-031, 1997): a
 * sparse matrix by columns, in Fortran's fixed-width fields. Read only.
 *
 * <pre>
 * title, key
 * lines of: everything, column pointers, row numbers, values [, right-hand sides]
 * type, rows, columns, entries, elements        type: (r|p|i) (u|r|s|z) a
 * formats of pointers, row numbers, values      such as (8I10) (8I10) (4E20.12)
 * [ a line on right-hand sides, which are passed over ]
 * pointers, row numbers, values
 * </pre>
 *
 * <p>An entry off the diagonal of a symmetric (s) or skew-symmetric (z) matrix stands for its
 * mirror image too. Complex, hermitian and unassembled matrices are refused.
 */
@AutoService(TensorFileFormat.class)
public final class HarwellBoeingFormat extends SingleFileFormat {
  private static final Pattern PARENTHESES = Pattern.compile("\\([^()]*\\)");
  private static final int HEADER_LINES = 4;

  /**
   * What the header says beyond sizes.
   *
   * @param headerLines lines before the column pointers
   * @param values null for a pattern
   */
  record Layout(
      EntryLayout.Symmetry symmetry,
      long headerLines,
      long pointerLines,
      long rowLines,
      FortranNumbers.Format pointers,
      FortranNumbers.Format rows,
      FortranNumbers.@Nullable Format values)
      implements Serializable {}

  /** Made by the service loader. */
  public HarwellBoeingFormat() {
    super(
        "Harwell-Boeing text",
        true,
        ".rb",
        ".hb",
        ".rua",
        ".rra",
        ".rsa",
        ".rza",
        ".pua",
        ".pra",
        ".psa",
        ".pza");
  }

  @Override
  public TensorHeader readHeader(SourceFile file, ReadOptions options) throws IOException {
    TensorFileFormat.refuseZeroBased(file.uri(), options.zeroBased(), name());
    LineErrors errors = new LineErrors(file);
    try (HeaderLines lines = HeaderLines.open(file, LineRules.MTX)) {
      required(errors, lines, "a title");
      HeaderLines.Line counted = required(errors, lines, "the numbers of lines");
      long[] counts = numbers(errors, counted, counted.tokens(), 0, 3);
      HeaderLines.Line typed = required(errors, lines, "the type and sizes of the matrix");
      String[] tokens = typed.tokens();
      long[] sizes = numbers(errors, typed, tokens, 1, 3);
      String type = tokens[0].toLowerCase(Locale.ROOT);
      EntryLayout.Symmetry symmetry = symmetry(errors, typed, type);
      if (symmetry != EntryLayout.Symmetry.GENERAL && sizes[0] != sizes[1]) {
        throw errors.at(
            typed.offset(),
            ErrorCode.MALFORMED_INPUT,
            "expected a square matrix, as type "
                + type
                + " says, found "
                + sizes[0]
                + " x "
                + sizes[1]);
      }
      HeaderLines.Line described = required(errors, lines, "the formats of the numbers");
      boolean pattern = type.charAt(0) == 'p';
      List<FortranNumbers.Format> formats = formats(errors, described, pattern ? 2 : 3);
      boolean sides = counts.length > 4 && counts[4] > 0;
      Layout layout =
          new Layout(
              symmetry,
              HEADER_LINES + (sides ? 1 : 0),
              counts[1],
              counts[2],
              formats.get(0),
              formats.get(1),
              pattern ? null : formats.get(2));
      TensorShape shape = TensorShape.of(sizes[0], sizes[1]);
      return new TensorHeader(2, shape, sizes[2], described.next(), layout);
    }
  }

  private static HeaderLines.Line required(LineErrors errors, HeaderLines lines, String what)
      throws IOException {
    HeaderLines.Line line = lines.next();
    if (line == null) {
      throw errors.ofFile(
          ErrorCode.TRUNCATED_INPUT,
          "expected a line with " + what + ", found the end of the file");
    }
    return line;
  }

  private static long[] numbers(
      LineErrors errors, HeaderLines.Line line, String[] tokens, int from, int least) {
    List<Long> numbers = new ArrayList<>();
    for (int i = from; i < tokens.length && TnsFormat.isCount(tokens[i]); i++) {
      numbers.add(Long.parseLong(tokens[i]));
    }
    if (numbers.size() < least) {
      throw errors.at(
          line.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected "
              + (from == 0 ? "" : "the type and ")
              + Counts.plain(least, "number")
              + " at least, found '"
              + TnsFormat.shorten(line.text())
              + "'");
    }
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }

  private static EntryLayout.Symmetry symmetry(
      LineErrors errors, HeaderLines.Line line, String type) {
    if (type.length() != 3 || "rpi".indexOf(type.charAt(0)) < 0 || type.charAt(2) != 'a') {
      throw unsupported(errors, line, type);
    }
    return switch (type.charAt(1)) {
      case 'u', 'r' -> EntryLayout.Symmetry.GENERAL;
      case 's' -> EntryLayout.Symmetry.SYMMETRIC;
      case 'z' -> EntryLayout.Symmetry.SKEW_SYMMETRIC;
      default -> throw unsupported(errors, line, type);
    };
  }

  private static WeftException unsupported(LineErrors errors, HeaderLines.Line line, String type) {
    return errors.at(
        line.offset(),
        ErrorCode.UNSUPPORTED_OPERATION,
        "expected an assembled matrix of real numbers, integers or a pattern (type r, i or p; then u,"
            + " r, s or z; then a), found type '"
            + TnsFormat.shorten(type)
            + "'");
  }

  private static List<FortranNumbers.Format> formats(
      LineErrors errors, HeaderLines.Line line, int count) {
    List<FortranNumbers.Format> formats = new ArrayList<>();
    Matcher found = PARENTHESES.matcher(line.text());
    while (formats.size() < count && found.find()) {
      FortranNumbers.Format format = FortranNumbers.Format.parse(found.group());
      if (format == null) {
        break;
      }
      formats.add(format);
    }
    if (formats.size() < count) {
      throw errors.at(
          line.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected "
              + count
              + " formats such as (8I10) or (4E20.12), found '"
              + TnsFormat.shorten(line.text())
              + "'");
    }
    return formats;
  }

  @Override
  public List<InputSplit> splits(SourceFile file, TensorHeader header, long splitBytes) {
    return TextSplits.whole(file);
  }

  @Override
  public BlockReader read(SourceFile file, InputPlan plan, InputSplit split) throws IOException {
    Layout layout = (Layout) Objects.requireNonNull(plan.header().details());
    return new HarwellBoeingReader(file, plan, layout);
  }

  @Override
  public boolean isWritable() {
    return false;
  }

  @Override
  public TensorWriter write(OutputStream out, String name, int order, WriteOptions options)
      throws IOException {
    out.close();
    throw new WeftException(
        ErrorCode.UNSUPPORTED_OPERATION,
        name + ": Harwell-Boeing matrices are read only; write a name that ends in .mtx");
  }
}
