package org.weft.storage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The front door: opens tensor files for reading and writing, in the format that their extension
 * names ({@code .tns}, {@code .mtx}, each also with {@code .gz}, {@code .wtb}, {@code .npy}).
 *
 * <pre>{@code
 * InputPlan plan = TensorFiles.open(files, "hdfs:/data/x.tns", ReadOptions.defaults());
 * for (InputSplit split : plan.splits()) {          // anywhere, in parallel
 *   try (BlockReader reader = TensorFiles.read(files, plan, split)) {
 *     reader.forEachRemaining(block -> ...);
 *   }
 * }
 * try (OutputCommit output = OutputCommit.begin(files, "out.tns.gz", false)) {
 *   try (TensorWriter writer = TensorFiles.write(output, 3, WriteOptions.defaults())) {
 *     writer.write(block);
 *   }
 *   output.commit();
 * }
 * }</pre>
 */
public final class TensorFiles {
  private static final long MAX_SPLIT_BYTES = 64L << 20;
  private static final long MIN_SPLIT_BYTES = 1L << 20;

  private static final List<TensorFileFormat> FORMATS =
      ServiceLoader.load(TensorFileFormat.class, TensorFileFormat.class.getClassLoader()).stream()
          .map(ServiceLoader.Provider::get)
          .sorted(java.util.Comparator.comparing(TensorFileFormat::extension))
          .toList();

  private TensorFiles() {}

  /** The extensions that can be read and written, sorted. */
  public static List<String> extensions() {
    List<String> known = new ArrayList<>();
    for (TensorFileFormat format : FORMATS) {
      known.add(format.extension());
      if (format.compressible()) {
        known.add(format.extension() + Compression.GZIP.suffix());
      }
    }
    return List.copyOf(known);
  }

  /**
   * Checks that {@code uri} has an extension that Weft reads and writes; touches no file.
   *
   * @throws WeftException {@code INVALID_FORMAT}
   */
  public static void requireKnownExtension(String uri) {
    formatOf(uri);
  }

  private static TensorFileFormat formatOf(String uri) {
    Compression compression = Compression.of(uri);
    String name = compression.strip(uri).toLowerCase(Locale.ROOT);
    Optional<TensorFileFormat> found =
        FORMATS.stream()
            .filter(f -> name.endsWith(f.extension()))
            .filter(f -> compression == Compression.NONE || f.compressible())
            .findFirst();
    return found.orElseThrow(
        () ->
            new WeftException(
                ErrorCode.INVALID_FORMAT,
                uri
                    + ": expected a file name that ends in "
                    + String.join(", ", extensions())
                    + "; rename the file or convert it"));
  }

  private static TensorFileFormat formatNamed(String name) {
    return FORMATS.stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
  }

  /**
   * As {@link #open(FileAccess, String, ReadOptions, long)} with splits of a block, 64 MiB at most.
   */
  public static InputPlan open(FileAccess access, String uri, ReadOptions options) {
    return open(access, uri, options, 0);
  }

  /**
   * Finds a file, reads its header and cuts it into splits.
   *
   * @param splitBytes most bytes in a split of a splittable file; 0 for the default
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code INVALID_FORMAT}, {@code
   *     STORAGE_UNAVAILABLE}, or kind DATA if the header is malformed or the file has no entries
   */
  public static InputPlan open(
      FileAccess access, String uri, ReadOptions options, long splitBytes) {
    TensorFileFormat format = formatOf(uri);
    SourceFile file = SourceFile.find(access, uri);
    if (file.length() == 0) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          uri + ": expected " + format.name() + ", found an empty file (0 bytes)");
    }
    long block = Math.max(MIN_SPLIT_BYTES, Math.min(MAX_SPLIT_BYTES, file.blockBytes()));
    try {
      TensorHeader header = format.readHeader(file, options);
      List<InputSplit> splits = format.splits(file, header, splitBytes > 0 ? splitBytes : block);
      return new InputPlan(uri, format.name(), options, header, splits);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** Opens one split of {@code plan}; the caller closes the reader. */
  public static BlockReader read(FileAccess access, InputPlan plan, InputSplit split) {
    SourceFile file = SourceFile.find(access, plan.uri());
    file.requireLength(split.fileLength());
    try {
      return formatNamed(plan.format()).read(file, plan, split);
    } catch (IOException e) {
      throw FileAccess.unavailable(plan.uri(), e);
    }
  }

  /** The labels that the file {@code uri} itself holds, by mode; empty for most formats. */
  public static Map<Integer, Labels> labels(FileAccess access, String uri) {
    TensorFileFormat format = formatOf(uri);
    try {
      return format.labels(SourceFile.find(access, uri));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /**
   * A writer into {@code output}, in the format of its name, for a tensor of {@code order} modes.
   * Close the writer, then commit the output.
   */
  public static TensorWriter write(OutputCommit output, int order, WriteOptions options)
      throws IOException {
    TensorFileFormat format = formatOf(output.uri());
    return format.write(
        Compression.of(output.uri()).compress(output.create()), output.uri(), order, options);
  }
}
