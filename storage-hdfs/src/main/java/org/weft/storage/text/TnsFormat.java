package org.weft.storage.text;

import com.google.auto.service.AutoService;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
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

/**
 * FROSTT text (Smith et al., FROSTT file formats, 2017), with the headers that other programs put
 * before it.
 *
 * <pre>
 * file    := { comment | blank } [ header ] { entry | comment | blank }
 * header  := order nnz EOL size{order} EOL        MLIR; comments and blanks between the lines
 *          | order EOL size{order} EOL            ParTI
 *          | size{order} nnz EOL                  read by option only
 * entry   := coordinate{order} value EOL
 * comment := ('#' | ';') ... EOL
 * </pre>
 *
 * <p>Columns are separated by any white space; the order is that of the first line. With {@link
 * ReadOptions.Header#AUTO} the first header is taken if a comment before it contains {@code
 * extended FROSTT}, or if the lines make sense in no other way: the first is {@code N nnz}, the
 * second has N integers, and either N is not 2 (a file of order 1 has two columns in every line) or
 * the third line has 3 columns. So {@code 2 3 / 4 5} alone stays two entries of a vector. The
 * second is taken if the first line has one column, which no entry has. The third looks like an
 * entry.
 */
@AutoService(TensorFileFormat.class)
public final class TnsFormat extends SingleFileFormat {
  /** Modes at most: far beyond any tensor, little enough for a column each. */
  static final int MAX_ORDER = 4096;

  /** Made by the service loader. */
  public TnsFormat() {
    super("FROSTT text", true, ".tns");
  }

  /**
   * Files that Weft writes have a header only where there are no entries, or where one is asked.
   */
  @Override
  public boolean isJoinable() {
    return true;
  }

  @Override
  public TensorHeader readHeader(SourceFile file, ReadOptions options) throws IOException {
    LineErrors errors = new LineErrors(file);
    try (HeaderLines lines = HeaderLines.open(file, LineRules.TNS)) {
      HeaderLines.Line first = lines.nextContent();
      if (first == null) {
        throw errors.ofFile(
            ErrorCode.MALFORMED_INPUT,
            "expected entries or a header, found neither; an empty tensor needs the extended"
                + " header (order nnz, then the mode sizes)");
      }
      boolean announced = lines.commentNamesHeader();
      HeaderLines.Line second = lines.nextContent();
      HeaderLines.Line third = lines.nextContent();
      boolean zeroBased = options.zeroBased();
      return switch (kind(options.header(), announced, first, second, third)) {
        case EXTENDED -> extendedHeader(errors, first, second, zeroBased);
        case ORDER -> orderHeader(errors, first, second, zeroBased);
        case SIZES -> sizesHeader(errors, first, zeroBased);
        case NONE, AUTO -> plainHeader(errors, first, lines.start(), zeroBased);
      };
    }
  }

  /** What the first lines are, unless {@code choice} says so. */
  private static ReadOptions.Header kind(
      ReadOptions.Header choice,
      boolean announced,
      HeaderLines.Line first,
      HeaderLines.@Nullable Line second,
      HeaderLines.@Nullable Line third) {
    if (choice != ReadOptions.Header.AUTO) {
      return choice;
    } else if (isExtended(first, second, third) || (announced && isOrderAndCount(first))) {
      return ReadOptions.Header.EXTENDED;
    }
    String[] tokens = first.tokens();
    boolean order = tokens.length == 1 && isCount(tokens[0]) && order(tokens[0]) >= 1;
    return order ? ReadOptions.Header.ORDER : ReadOptions.Header.NONE;
  }

  private static boolean isOrderAndCount(HeaderLines.Line line) {
    String[] tokens = line.tokens();
    return tokens.length == 2 && isCount(tokens[0]) && isCount(tokens[1]) && order(tokens[0]) >= 1;
  }

  /** The order that {@code token} declares; -1 if it is none. */
  private static int order(String token) {
    return token.length() <= 4 && Integer.parseInt(token) <= MAX_ORDER
        ? Integer.parseInt(token)
        : -1;
  }

  private static boolean isExtended(
      HeaderLines.Line first, HeaderLines.@Nullable Line second, HeaderLines.@Nullable Line third) {
    if (!isOrderAndCount(first) || second == null) {
      return false;
    }
    int order = order(first.tokens()[0]);
    String[] sizes = second.tokens();
    if (sizes.length != order || !java.util.Arrays.stream(sizes).allMatch(TnsFormat::isCount)) {
      return false;
    }
    return order != 2 || (third != null && third.tokens().length == 3);
  }

  /** Digits that fit 63 bits. */
  static boolean isCount(String token) {
    try {
      return token.chars().allMatch(c -> c >= '0' && c <= '9') && Long.parseLong(token) >= 0;
    } catch (NumberFormatException e) {
      return false;
    }
  }

  private static TensorHeader plainHeader(
      LineErrors errors, HeaderLines.Line first, long start, boolean zeroBased) {
    int columns = first.tokens().length;
    if (columns < 2 || columns > MAX_ORDER + 1) {
      throw errors.at(
          first.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected from 2 to "
              + (MAX_ORDER + 1)
              + " columns (coordinates and a value), found "
              + columns
              + "; blanks or tabs separate columns");
    }
    EntryLayout layout = layout(columns - 1, null, zeroBased, "in the first entry");
    return new TensorHeader(columns - 1, null, -1, start, layout);
  }

  private static TensorHeader extendedHeader(
      LineErrors errors,
      HeaderLines.Line first,
      HeaderLines.@Nullable Line second,
      boolean zeroBased) {
    if (!isOrderAndCount(first)) {
      throw errors.at(
          first.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected the header 'order nnz' with an order from 1 to "
              + MAX_ORDER
              + ", found '"
              + shorten(first.text())
              + "'; read without the extended header if the file has none");
    }
    long[] shape = sizes(errors, first, second, order(first.tokens()[0]));
    long records = Long.parseLong(first.tokens()[1]);
    return declared(shape, records, Objects.requireNonNull(second).next(), zeroBased);
  }

  private static TensorHeader orderHeader(
      LineErrors errors,
      HeaderLines.Line first,
      HeaderLines.@Nullable Line second,
      boolean zeroBased) {
    String[] tokens = first.tokens();
    if (tokens.length != 1 || !isCount(tokens[0]) || order(tokens[0]) < 1) {
      throw errors.at(
          first.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected a line with the order, from 1 to "
              + MAX_ORDER
              + ", found '"
              + shorten(first.text())
              + "'");
    }
    long[] shape = sizes(errors, first, second, order(tokens[0]));
    return declared(shape, -1, Objects.requireNonNull(second).next(), zeroBased);
  }

  private static TensorHeader sizesHeader(
      LineErrors errors, HeaderLines.Line first, boolean zeroBased) {
    String[] tokens = first.tokens();
    if (tokens.length < 2
        || tokens.length > MAX_ORDER + 1
        || !java.util.Arrays.stream(tokens).allMatch(TnsFormat::isCount)) {
      throw errors.at(
          first.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected a line of mode sizes and the number of entries, found '"
              + shorten(first.text())
              + "'");
    }
    long[] counts = java.util.Arrays.stream(tokens).mapToLong(Long::parseLong).toArray();
    long[] shape = java.util.Arrays.copyOf(counts, counts.length - 1);
    return declared(shape, counts[counts.length - 1], first.next(), zeroBased);
  }

  private static long[] sizes(
      LineErrors errors, HeaderLines.Line first, HeaderLines.@Nullable Line second, int order) {
    String[] sizes = second == null ? new String[0] : second.tokens();
    if (sizes.length != order || !java.util.Arrays.stream(sizes).allMatch(TnsFormat::isCount)) {
      throw errors.at(
          second == null ? first.next() : second.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected the "
              + order
              + " mode sizes that the header announces, found "
              + (second == null ? "the end of the file" : "'" + shorten(second.text()) + "'"));
    }
    return java.util.Arrays.stream(sizes).mapToLong(Long::parseLong).toArray();
  }

  private static TensorHeader declared(
      long[] shape, long records, long dataStart, boolean zeroBased) {
    EntryLayout layout = layout(shape.length, shape, zeroBased, "the header declares");
    return new TensorHeader(shape.length, TensorShape.of(shape), records, dataStart, layout);
  }

  static String shorten(String text) {
    String stripped = text.strip();
    return stripped.length() <= 60 ? stripped : stripped.substring(0, 60) + "...";
  }

  private static EntryLayout layout(
      int order, long @Nullable [] sizes, boolean zeroBased, String origin) {
    return new EntryLayout(
        LineRules.TNS,
        order,
        zeroBased ? 0 : 1,
        sizes,
        EntryLayout.Field.REAL,
        EntryLayout.Symmetry.GENERAL,
        origin);
  }

  @Override
  public List<InputSplit> splits(SourceFile file, TensorHeader header, long splitBytes)
      throws IOException {
    return TextSplits.of(file, header.dataStart(), splitBytes);
  }

  @Override
  public BlockReader read(SourceFile file, InputPlan plan, InputSplit split) throws IOException {
    EntryLayout layout = (EntryLayout) Objects.requireNonNull(plan.header().details());
    return new CoordinateReader(file, plan, split, layout);
  }

  @Override
  public TensorWriter write(OutputStream out, String name, int order, WriteOptions options)
      throws IOException {
    return new TnsWriter(out, name, order, options);
  }
}
