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
import org.weft.storage.SourceFile;
import org.weft.storage.TensorFileFormat;
import org.weft.storage.TensorHeader;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.tensor.TensorShape;

/**
 * FROSTT text (Smith et al., FROSTT file formats, 2017), with MLIR's extended header.
 *
 * <pre>
 * file    := { comment | blank } [ header ] { entry | comment | blank }
 * header  := order nnz EOL size{order} EOL        comments and blanks between the lines
 * entry   := coordinate{order} value EOL
 * comment := ('#' | ';') ... EOL
 * </pre>
 *
 * <p>Columns are separated by any white space; the order is that of the first line. With {@link
 * ReadOptions.Header#AUTO} the header is taken if a comment before it contains {@code extended
 * FROSTT}, or if the lines make sense in no other way: the first is {@code N nnz}, the second has N
 * integers, and either N is not 2 (a file of order 1 has two columns in every line) or the third
 * line has 3 columns. So {@code 2 3 / 4 5} alone stays two entries of a vector.
 */
@AutoService(TensorFileFormat.class)
public final class TnsFormat implements TensorFileFormat {
  /** Modes at most: far beyond any tensor, little enough for a column each. */
  static final int MAX_ORDER = 4096;

  @Override
  public String name() {
    return "FROSTT text";
  }

  @Override
  public String extension() {
    return ".tns";
  }

  @Override
  public boolean compressible() {
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
      ReadOptions.Header choice = options.header();
      boolean extended =
          choice == ReadOptions.Header.EXTENDED
              || (choice == ReadOptions.Header.AUTO
                  && (isExtended(first, second, third) || (announced && isOrderAndCount(first))));
      if (extended) {
        return extendedHeader(errors, first, second, options.zeroBased());
      }
      return plainHeader(errors, first, lines.start(), options.zeroBased());
    }
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
              + columns);
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
    String[] counts = first.tokens();
    int order = order(counts[0]);
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
    long[] shape = java.util.Arrays.stream(sizes).mapToLong(Long::parseLong).toArray();
    EntryLayout layout = layout(order, shape, zeroBased, "the header declares");
    return new TensorHeader(
        order,
        TensorShape.of(shape),
        Long.parseLong(counts[1]),
        Objects.requireNonNull(second).next(),
        layout);
  }

  private static String shorten(String text) {
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
  public List<InputSplit> splits(SourceFile file, TensorHeader header, long splitBytes) {
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
