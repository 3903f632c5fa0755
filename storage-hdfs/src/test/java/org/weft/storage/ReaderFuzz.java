package org.weft.storage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/**
 * What the coverage-guided fuzzer calls: bytes as a file of every format in turn. Anything but
 * entries or one {@link WeftException} that names the file is a finding, and so are splittings that
 * disagree.
 */
public final class ReaderFuzz {
  private static final FileAccess ACCESS = FileAccess.local();

  /** Of formats whose tensors are one file. */
  static final List<String> EXTENSIONS =
      TensorFiles.extensions().stream().filter(e -> !e.equals(".weft")).toList();

  private static final Path FOLDER = folder();

  private ReaderFuzz() {}

  private static Path folder() {
    try {
      return Files.createTempDirectory("weft-fuzz-");
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** The first byte says which format, the second how long splits are. */
  public static void fuzzerTestOneInput(byte[] data) throws Exception {
    if (data.length < 3) {
      return;
    }
    String extension = EXTENSIONS.get((data[0] & 0xFF) % EXTENSIONS.size());
    Path file = FOLDER.resolve("f" + extension);
    Files.write(file, Arrays.copyOfRange(data, 2, data.length));
    long whole = entries(file.toString(), 1 << 20);
    long split = entries(file.toString(), 1 + (data[1] & 0xFF));
    if (whole >= 0 && split >= 0 && whole != split) {
      throw new IllegalStateException(
          whole + " entries in one split of " + extension + ", " + split + " in several");
    }
  }

  /** Number of entries, or -1 if the file is refused. */
  private static long entries(String uri, long splitBytes) throws Exception {
    try {
      ReadOptions options = ReadOptions.defaults().withBlockEntries(50);
      InputPlan plan = TensorFiles.open(ACCESS, uri, options, splitBytes);
      long entries = 0;
      ReadSummary all = null;
      for (InputSplit split : plan.splits()) {
        try (BlockReader reader = TensorFiles.read(ACCESS, plan, split)) {
          while (reader.hasNext()) {
            entries += reader.next().size();
          }
          all = all == null ? reader.summary() : all.merge(reader.summary());
        }
      }
      plan.verify(all);
      return entries;
    } catch (WeftException e) {
      if (e.getMessage() == null || !e.getMessage().contains(uri)) {
        throw new IllegalStateException("an error that does not name its file", e);
      }
      return -1;
    }
  }
}
