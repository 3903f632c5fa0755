package org.weft.storage.container;

import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.fs.Path;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.statistics.ModeHistogram;
import org.weft.statistics.SliceSample;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ModeNames;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.VersionName;
import org.weft.tensor.EntrySource;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * One version of a stored tensor, opened: what its manifest says, and the way to its arrays. Holds
 * no files open; travels to tasks; thread-safe.
 *
 * <pre>{@code
 * Container x = Container.open(files, "hdfs:/data/x.weft");      // the newest version
 * for (int part : x.parts(0, 100, 200)) {                        // slices 100 to 199 of mode 0
 *   try (TensorStorage entries = x.load(scope, part, x.format(), x.shape(), 0)) { ... }
 * }
 * }</pre>
 */
public final class Container implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int COPIED_COUNTS = 8192;

  private final FileAccess access;
  private final String uri;
  private final String folder;
  private final Manifest manifest;
  private transient @Nullable OriginalOrder original;

  Container(FileAccess access, String uri, String folder, Manifest manifest) {
    this.access = access;
    this.uri = uri;
    this.folder = folder;
    this.manifest = manifest;
  }

  /**
   * Opens the newest version of the folder {@code uri}, or the version whose manifest {@code uri}
   * names: {@code x.weft/manifest-2.json}.
   *
   * @throws WeftException {@code INPUT_NOT_FOUND}; {@code CORRUPT_INPUT}, {@code TRUNCATED_INPUT}
   *     or {@code UNSUPPORTED_OPERATION} for a manifest that cannot be believed
   */
  public static Container open(FileAccess access, String uri) {
    Path path = access.path(uri);
    long version = ManifestFile.version(path.getName());
    if (version == 0) {
      return new Container(access, uri, path.toString(), new Versions(access, uri).readNewest());
    }
    String folder = String.valueOf(path.getParent());
    return new Container(access, uri, folder, new Versions(access, folderOf(uri)).read(version));
  }

  /**
   * The folder of a version, {@code x.weft@2} or {@code x.weft/manifest-2.json}, as it was named.
   */
  private static String folderOf(String version) {
    String manifest = VersionName.resolved(version).replaceFirst("/+$", "");
    int slash = manifest.lastIndexOf('/');
    return slash < 0 ? "." : slash == 0 ? "/" : manifest.substring(0, slash);
  }

  /** Whether the folder {@code uri} has a version. */
  public static boolean isThere(FileAccess access, String uri) {
    return new Versions(access, uri).newest() > 0;
  }

  Manifest manifest() {
    return manifest;
  }

  /** This version as if it had another manifest. */
  Container with(Manifest other) {
    return new Container(access, uri, folder, other);
  }

  FileAccess access() {
    return access;
  }

  /** The folder or manifest as it was named. */
  public String uri() {
    return uri;
  }

  public long version() {
    return manifest.version();
  }

  public TensorShape shape() {
    return manifest.shape();
  }

  public ValueType valueType() {
    return manifest.type();
  }

  /** Levels and mode order of every part, with 64-bit widths; arrays are stored narrower. */
  public TensorFormat format() {
    return manifest.tensorFormat();
  }

  /** Stored entries of all parts. */
  public long entries() {
    return manifest.statistics().entries();
  }

  /** Whether no two parts have an entry at the same coordinates; otherwise their values add up. */
  public boolean isDistinct() {
    return manifest.distinct();
  }

  public List<String> modeNames() {
    return manifest.modes().stream().map(Manifest.Mode::name).toList();
  }

  /**
   * Fails if entries that are added have modes of other names, or in another order.
   *
   * @param names of their modes; modes that nobody named are not compared
   * @throws WeftException {@code USAGE}
   */
  public void requireModes(List<String> names) {
    if (!ModeNames.areNamed(names)
        || !ModeNames.areNamed(modeNames())
        || names.equals(modeNames())) {
      return;
    }
    boolean moved = names.size() == modeNames().size() && modeNames().containsAll(names);
    throw new WeftException(
        ErrorCode.USAGE,
        uri
            + ": expected entries with the modes "
            + String.join(", ", modeNames())
            + ", as the tensor has, found "
            + String.join(", ", names)
            + (moved
                ? ", the same in another order; write them again in the tensor's order"
                : "; name the same modes, or make a tensor of its own"));
  }

  /** Number of parts. */
  public int partCount() {
    return manifest.parts().size();
  }

  /** Stored entries of a part. */
  public long entries(int part) {
    return manifest.parts().get(part).entries();
  }

  /** Bytes of a part in its file. */
  public long bytes(int part) {
    return manifest.parts().get(part).bytes();
  }

  /** Sum of the squared values of a part. */
  public double normSquared(int part) {
    return manifest.parts().get(part).normSquared();
  }

  /** Least coordinate of {@code mode} in a part. */
  public long first(int part, int mode) {
    return manifest.parts().get(part).ranges().get(mode).first();
  }

  /** Largest coordinate of {@code mode} in a part. */
  public long last(int part, int mode) {
    return manifest.parts().get(part).ranges().get(mode).last();
  }

  /** The parts that may have entries in the slices {@code [from, to)} of {@code mode}. */
  public List<Integer> parts(int mode, long from, long to) {
    List<Integer> found = new ArrayList<>();
    for (int part = 0; part < partCount(); part++) {
      if (manifest.parts().get(part).mayHold(mode, from, to)) {
        found.add(part);
      }
    }
    return found;
  }

  /** The file of a part and the offset of its first byte, for placing a task near it. */
  public Path file(int part) {
    return path(manifest.parts().get(part).values().file());
  }

  /** Offset of a part's first byte in its file. */
  public long offset(int part) {
    return manifest.parts().get(part).arrays().stream()
        .mapToLong(Manifest.ArrayEntry::offset)
        .min()
        .orElse(0);
  }

  private Path path(int file) {
    return new Path(folder, dataFile(file).path());
  }

  private Manifest.DataFile dataFile(int number) {
    List<Manifest.DataFile> files = manifest.files();
    if (number >= files.size()) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          uri
              + ": expected data files 0 to "
              + (files.size() - 1)
              + ", found "
              + number
              + " in the manifest; its writer was at fault, write the tensor again");
    }
    return files.get(number);
  }

  DataFileReader openFile(int file) {
    Manifest.DataFile data = dataFile(file);
    boolean isManifest = ManifestFile.version(access.path(uri).getName()) > 0;
    String named = (isManifest ? folderOf(uri) : uri) + "/" + data.path();
    return DataFileReader.open(access, named, new Path(folder), data.path(), data.bytes());
  }

  /** What was counted when the entries were written; reads the histograms. */
  public TensorStatistics statistics() {
    Manifest.Statistics s = manifest.statistics();
    List<ModeHistogram> histograms = new ArrayList<>();
    try (MemoryScope scope = MemoryScope.root("histograms of " + uri, MemorySource.system());
        ArrayReader reader = new ArrayReader(this)) {
      for (Manifest.Mode mode : manifest.modes()) {
        histograms.add(histogram(mode, reader, scope));
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    return new TensorStatistics(
        shape(), s.entries(), histograms, s.minimum(), s.maximum(), s.normSquared(), s.nonfinite());
  }

  /**
   * The statistics with samples of slices, where the writer drew some.
   *
   * @param statistics this container's
   */
  public TensorStatistics sampled(TensorStatistics statistics) {
    List<SliceSample> samples = new ArrayList<>();
    try (MemoryScope scope = MemoryScope.root("samples of " + uri, MemorySource.system());
        ArrayReader reader = new ArrayReader(this)) {
      for (int mode = 0; mode < statistics.shape().order(); mode++) {
        Manifest.@Nullable Sample stored = manifest.modes().get(mode).sample();
        if (stored == null) {
          return statistics;
        }
        samples.add(sample(mode, stored, statistics.histograms(), reader, scope));
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    return statistics.withSamples(samples);
  }

  private SliceSample sample(
      int mode,
      Manifest.Sample stored,
      List<ModeHistogram> counts,
      ArrayReader reader,
      MemoryScope scope) {
    String of = "the sample of " + manifest.modes().get(mode).name();
    try {
      long length = stored.slices().length();
      SliceSample.requireCount(counts.size(), length);
      NativeArray read = reader.read(scope, stored.slices(), of, ElementType.I64);
      long[] numbers = new long[(int) length];
      NativeMemory.copyToArray(read.address(), numbers, 0, numbers.length);
      return SliceSample.of(mode, stored.level(), numbers, counts);
    } catch (IllegalArgumentException e) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          uri
              + ": "
              + e.getMessage()
              + " in "
              + of
              + ", found others; its writer was at fault, write the tensor again",
          e);
    }
  }

  private ModeHistogram histogram(Manifest.Mode mode, ArrayReader reader, MemoryScope scope) {
    Manifest.Histogram stored = mode.histogram();
    NativeArray read =
        reader.read(scope, stored.counts(), "the histogram of " + mode.name(), ElementType.I64);
    if (read.length() - 1 != (stored.largest() < 0 ? -1 : stored.largest() >>> stored.shift())) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          uri
              + ": expected the histogram of "
              + mode.name()
              + " to end at coordinate "
              + stored.largest()
              + ", found "
              + read.length()
              + " buckets; its writer was at fault, write the tensor again");
    }
    ModeHistogram histogram = new ModeHistogram();
    long[] counts = new long[COPIED_COUNTS];
    try {
      // The largest coordinate first: it decides the width of the buckets.
      for (long end = read.length(); end > 0; ) {
        int n = (int) Math.min(counts.length, end);
        long first = end - n;
        NativeMemory.copyToArray(read.address() + first * Long.BYTES, counts, 0, n);
        long last = end == read.length() ? stored.largest() : (end - 1) << stored.shift();
        histogram.addBuckets(stored.shift(), first, last, counts, n);
        end = first;
      }
      return histogram;
    } catch (IllegalArgumentException e) {
      throw new WeftException(
          ErrorCode.CORRUPT_INPUT,
          uri
              + ": expected the histogram of "
              + mode.name()
              + " to count entries, found "
              + e.getMessage()
              + "; its writer was at fault, write the tensor again",
          e);
    }
  }

  /** The labels of the modes; nothing is read. */
  public ContainerLabels labels() {
    return new ContainerLabels(this);
  }

  /** The original coordinate of a stored one. */
  public long original(int mode, long stored) {
    return isReordered(mode) ? original().of(mode, stored) : stored;
  }

  /** The keys of the batches that were written, in their order; nothing is read. */
  public List<String> batches() {
    return manifest.batches().stream().map(Manifest.Batch::key).toList();
  }

  /**
   * Whether a mode was reordered: {@link #first} and {@link #last} are of stored coordinates, and
   * readers show the original ones. Nothing is read.
   */
  public boolean isReordered(int mode) {
    return manifest.modes().get(mode).permutation() != null;
  }

  /** For every original coordinate the stored one, by mode; modes in original order are absent. */
  public Map<Integer, int[]> permutations() {
    Map<Integer, int[]> permutations = new HashMap<>();
    try (ArrayReader reader = new ArrayReader(this)) {
      for (int mode = 0; mode < manifest.modes().size(); mode++) {
        Manifest.@Nullable ArrayEntry entry = manifest.modes().get(mode).permutation();
        if (entry != null) {
          String what = "the permutation of " + manifest.modes().get(mode).name();
          try (MemoryScope scope = MemoryScope.root(what, MemorySource.system())) {
            NativeArray stored = reader.read(scope, entry, what, ElementType.I32);
            int[] copy = new int[Math.toIntExact(stored.length())];
            NativeMemory.copyToArray(stored.address(), copy, 0, copy.length);
            permutations.put(mode, copy);
          }
        }
      }
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
    return permutations;
  }

  /** The way back to original coordinates; read once. */
  synchronized OriginalOrder original() {
    OriginalOrder known = original;
    if (known == null) {
      known = OriginalOrder.of(this);
      original = known;
    }
    return known;
  }

  /**
   * Whether {@link #load} can deliver parts as {@code wanted}: the same levels and mode order.
   * Widths and the value type may differ, at the cost of a pass over the arrays that do.
   */
  public boolean fits(TensorFormat wanted) {
    return format().hasLevelsOf(wanted);
  }

  /**
   * Reads a part into off-heap arrays, ready for kernels. Cost: the file system's, a check sum, and
   * a look at positions and coordinates; packed arrays are unpacked.
   *
   * @param wanted levels and mode order of the container, with the widths and type to be had
   * @param shape mode sizes of the storage; the root mode's may be that of the part alone
   * @param rootOffset what to subtract from coordinates of the outermost level
   * @return the storage; the caller closes it, or {@code scope}
   * @throws WeftException {@code CORRUPT_INPUT}, {@code TRUNCATED_INPUT}, {@code WIDTH_OVERFLOW}
   */
  public TensorStorage load(
      MemoryScope scope, int part, TensorFormat wanted, TensorShape shape, long rootOffset) {
    return parts(reader -> reader.load(scope, part, wanted, shape, rootOffset, true));
  }

  /**
   * All entries in stored coordinates, part by part, to be packed: each part is read when it is
   * taken, by the thread that takes it.
   */
  public EntrySource entrySource() {
    return new PartSource(this);
  }

  /** As {@link #load} in coordinates of the whole, with values that are not read and 0. */
  TensorStorage loadCoordinates(MemoryScope scope, int part, TensorFormat wanted) {
    return parts(reader -> reader.load(scope, part, wanted, shape(), 0, false));
  }

  /** Whether a part stores a value for every entry and nothing else. */
  boolean hasValuePerEntry(int part) {
    return manifest.parts().get(part).values().length() == entries(part);
  }

  /** The values of a part alone, in the order of its entries. */
  NativeArray loadValues(MemoryScope scope, int part) {
    try (ArrayReader reader = new ArrayReader(this)) {
      ElementType type = valueType().elementType();
      String what = "part " + part + ", values";
      return reader.read(scope, manifest.parts().get(part).values(), what, type);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  private TensorStorage parts(Function<PartReader, TensorStorage> use) {
    try (ArrayReader reader = new ArrayReader(this)) {
      return use.apply(new PartReader(this, reader));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }
}
