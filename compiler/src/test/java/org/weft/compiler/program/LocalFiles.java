package org.weft.compiler.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Local general coordinate {@code .mtx} files, as far as tests of programs need them. */
final class LocalFiles implements ProgramFiles {
  private final Path directory;

  LocalFiles(Path directory) {
    this.directory = directory;
  }

  @Override
  public Entries read(String uri, ValueType type) {
    try {
      List<long[]> rows = new ArrayList<>();
      List<Double> values = new ArrayList<>();
      for (String line : Files.readAllLines(path(uri))) {
        if (!line.isBlank() && line.charAt(0) != '%') {
          String[] words = line.strip().split("\\s+");
          rows.add(new long[] {Long.parseLong(words[0]), Long.parseLong(words[1])});
          values.add(words.length > 2 ? Double.parseDouble(words[2]) : 1.0);
        }
      }
      CooBlock.Builder entries = new CooBlock.Builder(2, rows.size());
      for (int e = 1; e < rows.size(); e++) {
        entries.add(new long[] {rows.get(e)[0] - 1, rows.get(e)[1] - 1}, values.get(e));
      }
      return new Entries(TensorShape.of(rows.get(0)), List.of(entries.build()));
    } catch (IOException e) {
      throw new WeftException(ErrorCode.INPUT_NOT_FOUND, uri + ": expected a file", e);
    }
  }

  private Path path(String uri) {
    return directory.resolve(uri.replaceFirst("^file:", ""));
  }

  @Override
  public BufferedReader openText(String uri) {
    try {
      return Files.newBufferedReader(path(uri));
    } catch (IOException e) {
      throw new WeftException(ErrorCode.INPUT_NOT_FOUND, uri + ": expected a file", e);
    }
  }

  @Override
  public void write(String uri, TensorStorage tensor, List<Optional<ModeIdentity>> modes) {
    StringBuilder text = new StringBuilder("%%MatrixMarket matrix coordinate real general\n");
    text.append(tensor.shape().size(0)).append(' ').append(tensor.shape().size(1));
    text.append(' ').append(tensor.storedEntries()).append('\n');
    tensor.forEachEntry(
        (c, value) ->
            text.append(c[0] + 1)
                .append(' ')
                .append(c[1] + 1)
                .append(' ')
                .append(value)
                .append('\n'));
    try {
      Files.writeString(path(uri), text.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void checkOutput(String uri) {}
}
