package org.weft.storage.text;

import com.google.auto.service.AutoService;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
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
 * Matrix Market text (Boisvert, Pozo and Remington, NISTIR 5935, 1996).
 *
 * <pre>
 * file     := '%%MatrixMarket matrix' layout field symmetry EOL { comment | blank } size { line }
 * layout   := coordinate | array          field := real | double | integer | pattern
 * symmetry := general | symmetric | skew-symmetric
 * size     := rows columns nnz EOL (coordinate) | rows columns EOL (array)
 * </pre>
 *
 * <p>An entry off the diagonal of a symmetric matrix, on whichever side the file has it, stands for
 * its mirror image too. An array lists every cell, column by column, and every cell becomes an
 * entry, zeros included; of a symmetric one the lower triangle is listed. Complex and hermitian
 * matrices are refused.
 */
@AutoService(TensorFileFormat.class)
public final class MtxFormat extends SingleFileFormat {
  private static final String BANNER = "%%matrixmarket";

  /** The words of the first line. */
  private record Banner(
      boolean array, EntryLayout.Field field, EntryLayout.Symmetry symmetry, long next) {}

  /** Made by the service loader. */
  public MtxFormat() {
    super("Matrix Market text", true, ".mtx");
  }

  @Override
  public TensorHeader readHeader(SourceFile file, ReadOptions options) throws IOException {
    TensorFileFormat.refuseZeroBased(file.uri(), options.zeroBased(), name());
    LineErrors errors = new LineErrors(file);
    try (HeaderLines lines = HeaderLines.open(file, LineRules.MTX)) {
      Banner banner = banner(errors, lines.first());
      HeaderLines.Line line = lines.nextContent();
      long[] sizes = sizes(errors, banner, line);
      boolean mirrored = banner.symmetry != EntryLayout.Symmetry.GENERAL;
      if (mirrored && sizes[0] != sizes[1]) {
        throw errors.at(
            Objects.requireNonNull(line).offset(),
            ErrorCode.MALFORMED_INPUT,
            "expected a square matrix, as the header declares it "
                + banner.symmetry.name().toLowerCase(Locale.ROOT).replace('_', '-')
                + ", found "
                + sizes[0]
                + " x "
                + sizes[1]);
      }
      long[] shape = {sizes[0], sizes[1]};
      EntryLayout layout =
          new EntryLayout(
              LineRules.MTX, 2, 1, shape, banner.field, banner.symmetry, "the header declares");
      long records = banner.array ? MatrixArrayReader.cells(shape, banner.symmetry) : sizes[2];
      if (records < 0) {
        throw errors.ofFile(
            ErrorCode.MALFORMED_INPUT,
            "expected at most 2^63-1 cells, found " + TensorShape.of(shape));
      }
      return new TensorHeader(
          2,
          TensorShape.of(shape),
          records,
          Objects.requireNonNull(line).next(),
          banner.array && banner.symmetry != EntryLayout.Symmetry.SKEW_SYMMETRIC,
          banner.array ? new MatrixArrayReader.Layout(layout) : layout);
    }
  }

  private static Banner banner(LineErrors errors, HeaderLines.@Nullable Line line) {
    if (line == null) {
      throw errors.ofFile(
          ErrorCode.MALFORMED_INPUT, "expected a %%MatrixMarket header, found an empty file");
    }
    String[] words = line.text().strip().toLowerCase(Locale.ROOT).split("\\s+");
    if (!words[0].equals(BANNER) || words.length != 5) {
      throw errors.at(
          line.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected '%%MatrixMarket matrix (coordinate|array) (real|integer|pattern)"
              + " (general|symmetric|skew-symmetric)', found '"
              + shorten(line.text())
              + "'");
    }
    boolean array = choose(errors, line, "layout", words[2], "coordinate", "array") == 1;
    choose(errors, line, "object", words[1], "matrix");
    if (words[3].equals("complex") || words[4].equals("hermitian")) {
      throw errors.at(
          line.offset(),
          ErrorCode.UNSUPPORTED_OPERATION,
          "expected a matrix of real numbers, found "
              + words[3]
              + " "
              + words[4]
              + ", which Weft does not read; write real and imaginary part as two files");
    }
    int field = choose(errors, line, "field", words[3], "real", "double", "integer", "pattern");
    int symmetry =
        choose(errors, line, "symmetry", words[4], "general", "symmetric", "skew-symmetric");
    boolean pattern = field == 3;
    if (pattern && (array || symmetry == 2)) {
      throw errors.at(
          line.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected values for "
              + (array ? "an array" : "a skew-symmetric matrix")
              + ", found field 'pattern'");
    }
    EntryLayout.Field[] fields = {
      EntryLayout.Field.REAL,
      EntryLayout.Field.REAL,
      EntryLayout.Field.INTEGER,
      EntryLayout.Field.PATTERN
    };
    return new Banner(array, fields[field], EntryLayout.Symmetry.values()[symmetry], line.next());
  }

  private static int choose(
      LineErrors errors, HeaderLines.Line line, String what, String found, String... known) {
    int at = List.of(known).indexOf(found);
    if (at < 0) {
      throw errors.at(
          line.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected "
              + what
              + " "
              + String.join(" or ", known)
              + ", found '"
              + shorten(found)
              + "'");
    }
    return at;
  }

  private static long[] sizes(LineErrors errors, Banner banner, HeaderLines.@Nullable Line line) {
    String expected = banner.array ? "'rows columns'" : "'rows columns entries'";
    if (line == null) {
      throw errors.at(
          banner.next,
          ErrorCode.MALFORMED_INPUT,
          "expected the size line " + expected + ", found the end of the file");
    }
    String[] tokens = line.tokens();
    boolean counts = java.util.Arrays.stream(tokens).allMatch(TnsFormat::isCount);
    if (!counts || tokens.length != (banner.array ? 2 : 3)) {
      throw errors.at(
          line.offset(),
          ErrorCode.MALFORMED_INPUT,
          "expected the size line "
              + expected
              + " of non-negative integers, found '"
              + shorten(line.text())
              + "'");
    }
    return java.util.Arrays.stream(tokens).mapToLong(Long::parseLong).toArray();
  }

  private static String shorten(String text) {
    String stripped = text.strip();
    return stripped.length() <= 60 ? stripped : stripped.substring(0, 60) + "...";
  }

  @Override
  public List<InputSplit> splits(SourceFile file, TensorHeader header, long splitBytes)
      throws IOException {
    return header.details() instanceof MatrixArrayReader.Layout
        ? TextSplits.whole(file)
        : TextSplits.of(file, header.dataStart(), splitBytes);
  }

  @Override
  public BlockReader read(SourceFile file, InputPlan plan, InputSplit split) throws IOException {
    if (plan.header().details() instanceof MatrixArrayReader.Layout array) {
      return new MatrixArrayReader(file, plan, split, array.entries());
    }
    EntryLayout layout = (EntryLayout) Objects.requireNonNull(plan.header().details());
    return new CoordinateReader(file, plan, split, layout);
  }

  @Override
  public TensorWriter write(OutputStream out, String name, int order, WriteOptions options)
      throws IOException {
    return new MtxWriter(out, name, order, options);
  }
}
