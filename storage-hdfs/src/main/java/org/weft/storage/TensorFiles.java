package org.weft.storage;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongBinaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.service.Providers;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/**
 * The front door: opens tensor files for reading and writing, in the format that their extension
 * names ({@code .tns}, {@code .mtx}, each also with {@code .gz}, {@code .bz2} or {@code .zst},
 * {@code .wtb}, {@code .npy}, and the folder {@code .weft}).
 *
 * <pre>{@code
 * InputPlan plan = TensorFiles.open(files, "hdfs:/data/x.tns", ReadOptions.defaults());
 * for (InputSplit split : plan.splits()) {          // anywhere, in parallel
 *   try (BlockReader reader = TensorFiles.read(files, plan, split)) {
 *     reader.forEachRemaining(block -> ...);
 *   }
 * }
 * try (TensorOutput output =
 *     TensorFiles.create(files, "out.tns.gz", false, 3, WriteOptions.defaults())) {
 *   output.write(block);
 *   output.commit();
 * }
 * }</pre>
 */
public final class TensorFiles {
  private static final long MAX_SPLIT_BYTES = 64L << 20;
  private static final long MIN_SPLIT_BYTES = 1L << 20;

  private static final Pattern VERSION = Pattern.compile("\\.weft@[^/]*$");
  private static final Pattern TABLE = Pattern.compile("\\.(csv|tsv|json|jsonl|parquet|orc|avro)$");

  private static final List<TensorFileFormat> FORMATS =
      Providers.of(TensorFileFormat.class).stream()
          .sorted(java.util.Comparator.comparing(TensorFileFormat::extension))
          .toList();

  private TensorFiles() {}

  /** The extensions that can be read. */
  public static List<String> extensions() {
    return FORMATS.stream()
        .flatMap(
            format ->
                Stream.concat(
                    Stream.of(format.extension()).flatMap(name -> compressed(format, name)),
                    format.otherExtensions().stream()))
        .toList();
  }

  /** The extensions that can be written. */
  public static List<String> writableExtensions() {
    return FORMATS.stream()
        .filter(TensorFileFormat::isWritable)
        .flatMap(format -> compressed(format, format.extension()))
        .toList();
  }

  /** {@code extension}, and with the suffixes of all compressions where there are any. */
  private static Stream<String> compressed(TensorFileFormat format, String extension) {
    return Arrays.stream(Compression.values())
        .filter(compression -> compression == Compression.NONE || format.compressible())
        .map(compression -> extension + compression.suffix());
  }

  /**
   * Checks that {@code uri} has an extension that Weft reads; touches no file.
   *
   * @throws WeftException {@code INVALID_FORMAT}
   */
  public static void requireKnownExtension(String uri) {
    formatOf(uri);
  }

  /** The extension of the format of {@code uri}, that of a compression left out: {@code .tns}. */
  public static String extensionOf(String uri) {
    return formatOf(uri).extension();
  }

  /**
   * Checks that {@code uri} has an extension that Weft writes; touches no file.
   *
   * @throws WeftException {@code INVALID_FORMAT}, {@code UNSUPPORTED_OPERATION}
   */
  public static void requireWritableExtension(String uri) {
    writtenFormatOf(uri);
  }

  private static TensorFileFormat writtenFormatOf(String uri) {
    TensorFileFormat format =
        find(uri)
            .orElseThrow(() -> unknown(ErrorCode.INVALID_FORMAT, uri, writableExtensions(), ""));
    if (!format.isWritable()) {
      throw unknown(
          ErrorCode.UNSUPPORTED_OPERATION,
          uri,
          writableExtensions(),
          "; " + format.name() + " is read, but not written");
    }
    return format;
  }

  private static TensorFileFormat formatOf(String uri) {
    return find(uri)
        .orElseThrow(
            () -> unknown(ErrorCode.INVALID_FORMAT, uri, extensions(), "; " + remedy(uri)));
  }

  /**
   * Whether {@code uri} has the extension of the format whose own one is {@code extension}, perhaps
   * with that of a compression; false for one that no format has.
   */
  public static boolean hasExtension(String uri, String extension) {
    return find(uri).filter(format -> format.extension().equals(extension)).isPresent();
  }

  private static String remedy(String uri) {
    String name = Compression.of(uri).strip(uri).toLowerCase(Locale.ROOT);
    if (VERSION.matcher(name).find()) {
      return "a version is a number, as in x.weft@3";
    }
    return TABLE.matcher(name).find()
        ? "a table becomes a tensor by 'weft ingest'"
        : "rename the file or convert it";
  }

  private static WeftException unknown(
      ErrorCode code, String uri, List<String> extensions, String hint) {
    if (uri.isEmpty()) {
      return FileAccess.emptyName();
    }
    return new WeftException(
        code, uri + ": expected a file name that ends in " + shown(extensions) + hint);
  }

  /** Each extension once, then those that a compression may follow. */
  private static String shown(List<String> extensions) {
    List<String> plain =
        extensions.stream().filter(extension -> extension.lastIndexOf('.') == 0).toList();
    String packed =
        plain.stream()
            .filter(extension -> extensions.contains(extension + ".gz"))
            .collect(Collectors.joining(", "));
    return String.join(", ", plain)
        + (packed.isEmpty() ? "" : " (" + packed + " also with .gz, .bz2 or .zst)");
  }

  private static Optional<TensorFileFormat> find(String uri) {
    Compression compression = Compression.of(uri);
    String name = compression.strip(uri).toLowerCase(Locale.ROOT);
    return FORMATS.stream()
        .filter(f -> f.takes(name))
        .filter(f -> compression == Compression.NONE || f.compressible())
        .findFirst();
  }

  private static TensorFileFormat formatNamed(String name) {
    return FORMATS.stream().filter(f -> f.name().equals(name)).findFirst().orElseThrow();
  }

  /**
   * As {@link #open(FileAccess, String, ReadOptions, long)} with splits of a block, 64 MiB at most.
   */
  public static InputPlan open(FileAccess access, String uri, ReadOptions options) {
    return open(access, uri, options, (fileBytes, blockBytes) -> blockBytes);
  }

  /** As above, with splits of a splittable file that have so many bytes at most. */
  public static InputPlan open(
      FileAccess access, String uri, ReadOptions options, long splitBytes) {
    if (splitBytes < 1) {
      throw new IllegalArgumentException("expected splits of at least a byte, got " + splitBytes);
    }
    return open(access, uri, options, (fileBytes, blockBytes) -> splitBytes);
  }

  /**
   * Finds a file, reads its header and cuts it into splits.
   *
   * @param splitBytes most bytes in a split of a splittable file, from the bytes of the file and of
   *     a block of its file system
   * @throws WeftException {@code INPUT_NOT_FOUND}, {@code INVALID_FORMAT}, {@code
   *     STORAGE_UNAVAILABLE}, or kind DATA if the header is malformed or the file has no entries
   */
  public static InputPlan open(
      FileAccess access, String uri, ReadOptions options, LongBinaryOperator splitBytes) {
    TensorFileFormat format = formatOf(uri);
    SourceFile file = SourceFile.find(access, uri, format);
    if (file.length() == 0 && !format.isFolder()) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          uri + ": expected " + format.name() + ", found an empty file (0 bytes)");
    }
    long block = Math.max(MIN_SPLIT_BYTES, Math.min(MAX_SPLIT_BYTES, file.blockBytes()));
    try {
      TensorHeader header = format.readHeader(file, options);
      List<InputSplit> splits =
          format.splits(file, header, splitBytes.applyAsLong(file.length(), block));
      return new InputPlan(uri, format.name(), options, header, splits);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** All entries of a file, in its order. */
  public record AllEntries(List<CooBlock> blocks, ReadSummary summary) {}

  /**
   * Reads all splits of {@code plan} on as many threads as there are processors, and checks the
   * entry count. Memory: all entries.
   */
  public static AllEntries readAll(FileAccess access, InputPlan plan) {
    int threads = Math.min(plan.splits().size(), Runtime.getRuntime().availableProcessors());
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<AllEntries>> parts = new ArrayList<>();
      for (InputSplit split : plan.splits()) {
        parts.add(pool.submit(() -> readSplit(access, plan, split)));
      }
      List<CooBlock> blocks = new ArrayList<>();
      ReadSummary all = null;
      for (Future<AllEntries> part : parts) {
        AllEntries entries = part.get();
        blocks.addAll(entries.blocks());
        all = all == null ? entries.summary() : all.merge(entries.summary());
      }
      ReadSummary summary = java.util.Objects.requireNonNull(all, "a plan without splits");
      plan.verify(summary);
      return new AllEntries(blocks, summary);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof WeftException failure) {
        throw new WeftException(failure.code(), String.valueOf(failure.getMessage()), failure);
      } else if (e.getCause() instanceof IOException failure) {
        throw FileAccess.unavailable(plan.uri(), failure);
      } else if (e.getCause() instanceof Error failure) {
        throw failure;
      }
      throw new IllegalStateException(plan.uri() + ": " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw FileAccess.unavailable(plan.uri(), new IOException("interrupted", e));
    } finally {
      pool.shutdownNow();
    }
  }

  private static AllEntries readSplit(FileAccess access, InputPlan plan, InputSplit split)
      throws IOException {
    List<CooBlock> blocks = new ArrayList<>();
    try (BlockReader reader = read(access, plan, split)) {
      reader.forEachRemaining(blocks::add);
      return new AllEntries(blocks, reader.summary());
    }
  }

  /** Opens one split of {@code plan}; the caller closes the reader. */
  public static BlockReader read(FileAccess access, InputPlan plan, InputSplit split) {
    TensorFileFormat format = formatNamed(plan.format());
    SourceFile file = SourceFile.find(access, plan.uri(), format);
    if (!format.isFolder()) {
      file.requireLength(split.fileLength());
    }
    try {
      BlockReader reader = format.read(file, plan, split);
      return plan.options().type() == ValueType.DOUBLE ? reader : new TypedReader(reader, plan);
    } catch (IOException e) {
      throw FileAccess.unavailable(plan.uri(), e);
    }
  }

  /**
   * For every original coordinate the one that the file {@code uri} stores, by mode; modes in their
   * original order are absent, as are those of most formats.
   */
  public static Map<Integer, int[]> permutations(FileAccess access, String uri) {
    TensorFileFormat format = formatOf(uri);
    if (!format.isFolder()) {
      return Map.of();
    }
    try {
      return format.permutations(SourceFile.find(access, uri, format));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /**
   * The labels of original coordinates that the file {@code uri} itself holds, by mode; empty for
   * most formats.
   */
  public static Map<Integer, Labels> labels(FileAccess access, String uri) {
    TensorFileFormat format = formatOf(uri);
    try {
      return format.labels(SourceFile.find(access, uri, format));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** The names of the modes, if the file {@code uri} has them; empty for most formats. */
  public static List<String> modeNames(FileAccess access, String uri) {
    TensorFileFormat format = formatOf(uri);
    return format.modeNames(SourceFile.find(access, uri, format));
  }

  /**
   * Starts the output of a tensor of {@code order} modes, in the format that {@code uri} names.
   *
   * @throws WeftException {@code INVALID_FORMAT}, {@code OUTPUT_EXISTS} if the target exists and
   *     {@code overwrite} is false
   */
  public static TensorOutput create(
      FileAccess access, String uri, boolean overwrite, int order, WriteOptions options)
      throws IOException {
    Existing existing = overwrite ? Existing.REPLACE : Existing.REFUSE;
    return create(access, uri, existing, order, options);
  }

  /** As above, with what becomes of a target that exists already. */
  public static TensorOutput create(
      FileAccess access, String uri, Existing existing, int order, WriteOptions options)
      throws IOException {
    return writtenFormatOf(uri).create(access, uri, existing, order, options);
  }

  /**
   * Whether files of parts of a tensor, made by {@link #part} and put one after the other, are the
   * file {@code uri}. A tensor without entries is none of parts.
   */
  public static boolean isJoinable(String uri, WriteOptions options) {
    return writtenFormatOf(uri).isJoinable()
        && Compression.of(uri) == Compression.NONE
        && !options.extendedHeader();
  }

  /**
   * A writer of a part of the file {@code uri} that has entries into {@code out}, which it closes.
   */
  public static TensorWriter part(OutputStream out, String uri, int order, WriteOptions options)
      throws IOException {
    return writtenFormatOf(uri).write(out, uri, order, options);
  }

  /**
   * Fails early if a tensor could not be written to or published at {@code uri}; leaves nothing.
   *
   * @throws WeftException {@code INVALID_FORMAT}, {@code OUTPUT_EXISTS}, {@code
   *     STORAGE_UNAVAILABLE}
   */
  public static void checkOutput(FileAccess access, String uri, boolean overwrite) {
    writtenFormatOf(uri).checkOutput(access, uri, overwrite);
  }

  /**
   * Fails early if entries could not be added to the tensor at {@code uri}; leaves nothing.
   *
   * @throws WeftException {@code USAGE} for a format without, {@code INPUT_NOT_FOUND}, {@code
   *     STORAGE_UNAVAILABLE}
   */
  public static void checkAppend(FileAccess access, String uri) {
    formatOf(uri).checkAppend(access, uri);
  }
}
