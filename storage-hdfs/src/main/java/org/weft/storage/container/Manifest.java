package org.weft.storage.container;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.weft.memory.ElementType;
import org.weft.storage.container.encoding.ArrayEncoding;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * One version of a tensor: everything but the arrays. Written as JSON with the components' names in
 * this order; constructors check what readers rely on.
 *
 * @param formatVersion of the container's format; readers refuse newer ones
 * @param version of the tensor, from 1; the manifest's file is named after it
 * @param valueType {@code double}, {@code float}, {@code int} or {@code long}
 * @param format levels and mode order of every part, without widths: {@code {CU, CU}@1,0}
 * @param distinct whether no coordinates occur in two parts; otherwise their values are to be added
 * @param blockBytes bytes of the elements of a block before encoding
 * @param modes one for each mode, in mode order of the tensor
 * @param statistics of the stored entries
 * @param files the data files, relative to the folder
 * @param parts the entries
 * @param batches which parts were written under a key, in the order of the parts
 * @param provenance where the version comes from
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record Manifest(
    int formatVersion,
    long version,
    String valueType,
    String format,
    boolean distinct,
    int blockBytes,
    List<Mode> modes,
    Statistics statistics,
    List<DataFile> files,
    List<Part> parts,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Batch> batches,
    Provenance provenance)
    implements Serializable {
  static final int FORMAT_VERSION = 1;
  static final int BLOCK_BYTES = 1 << 20;
  static final int ALIGNMENT = 64;
  private static final int MAX_ORDER = 4096;

  Manifest {
    modes = copy(modes, "modes");
    files = copy(files, "files");
    parts = copy(parts, "parts");
    batches = List.copyOf(batches);
    requireBatches(batches, parts.size());
    require(statistics != null && provenance != null, "statistics and provenance");
    require(version >= 1, "a version from 1");
    require(!modes.isEmpty() && modes.size() <= MAX_ORDER, "1 to 4096 modes");
    require(blockBytes >= 64 && blockBytes <= 1 << 26 && blockBytes % 64 == 0, "blockBytes");
    TensorFormat parsed =
        TensorFormat.parse(
            format, modes.size(), ValueType.valueOf(valueType.toUpperCase(java.util.Locale.ROOT)));
    for (Part part : parts) {
      require(part.ranges().size() == modes.size(), "a range for each mode");
      require(part.levels().size() == parsed.levelCount(), "a level for each level of the format");
    }
  }

  private static void requireBatches(List<Batch> batches, int parts) {
    long end = 0;
    for (Batch batch : batches) {
      require(batch.firstPart() >= end, "batches of parts of their own");
      end = (long) batch.firstPart() + batch.parts();
    }
    require(end <= parts, "batches of parts that there are");
  }

  /** The batch of that key, or null. */
  @Nullable Batch batch(String key) {
    return batches.stream().filter(b -> b.key().equals(key)).findFirst().orElse(null);
  }

  /** Whether a data file lies in {@code folder}, relative to the container. */
  boolean hasFilesIn(String folder) {
    return files.stream().anyMatch(file -> file.path().startsWith(folder + "/"));
  }

  /**
   * @param name of the mode
   * @param size number of coordinates
   * @param histogram entries per slice
   * @param sample which blocks of other modes the entries of some slices lie in, if it is known
   * @param permutation for every original coordinate the stored one, if the mode was reordered
   * @param labels of the stored coordinates
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Mode(
      String name,
      long size,
      Histogram histogram,
      @Nullable Sample sample,
      @Nullable ArrayEntry permutation,
      @Nullable LabelEntry labels)
      implements Serializable {
    Mode {
      require(name != null && size >= 0 && histogram != null, "name, size and histogram");
    }

    Mode moved(IntUnaryOperator files) {
      return new Mode(
          name,
          size,
          new Histogram(histogram.shift(), histogram.largest(), histogram.counts().moved(files)),
          sample == null ? null : new Sample(sample.level(), sample.slices().moved(files)),
          permutation == null ? null : permutation.moved(files),
          labels == null ? null : labels.moved(files));
    }

    /** The arrays that a version keeps as they are; histograms and samples are made anew. */
    Stream<ArrayEntry> keptArrays() {
      return Stream.concat(
          Stream.ofNullable(permutation), labels == null ? Stream.empty() : labels.text().stream());
    }
  }

  /**
   * @param shift a bucket is {@code 2^shift} slices
   * @param largest largest coordinate with an entry; -1 if there is none
   * @param counts entries of each bucket up to that of {@code largest}
   */
  record Histogram(int shift, long largest, ArrayEntry counts) implements Serializable {
    Histogram {
      require(shift >= 0 && shift < 63 && largest >= -1 && counts != null, "a histogram");
    }
  }

  /**
   * @param level of the sample
   * @param slices of each slice that was drawn, ascending: its coordinate, and a bit for each of
   *     512 blocks of every other mode
   */
  record Sample(int level, ArrayEntry slices) implements Serializable {
    Sample {
      require(level >= 0 && slices != null, "a sample");
    }
  }

  /**
   * @param count labels
   * @param text UTF-8 lines, each ended by a line feed; several arrays follow each other
   */
  record LabelEntry(long count, List<ArrayEntry> text) implements Serializable {
    LabelEntry {
      text = copy(text, "label text");
    }

    LabelEntry moved(IntUnaryOperator files) {
      return new LabelEntry(count, text.stream().map(array -> array.moved(files)).toList());
    }

    LabelEntry followedBy(LabelEntry next) {
      List<ArrayEntry> all = new ArrayList<>(text);
      all.addAll(next.text);
      return new LabelEntry(count + next.count, all);
    }
  }

  /**
   * @param entries stored entries
   * @param normSquared sum of the squared values
   * @param minimum of the values; positive infinity without any
   * @param maximum of the values; negative infinity without any
   * @param nonfinite values that are NaN or infinite
   */
  record Statistics(
      long entries, double normSquared, double minimum, double maximum, long nonfinite)
      implements Serializable {
    Statistics {
      require(entries >= 0 && nonfinite >= 0, "counts from 0");
    }
  }

  /**
   * @param path relative to the folder and inside of it: {@code data/1/part-00000.bin}
   * @param bytes of the whole file
   */
  record DataFile(String path, long bytes) implements Serializable {
    DataFile {
      require(path != null && bytes >= 0, "path and bytes");
      if (!OwnFiles.isPlainPath(path)) {
        throw ImplausibleException.path(path);
      }
    }
  }

  /** What no writer of ours writes, although the check sum is right. */
  static final class ImplausibleException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN = 80;

    private ImplausibleException(String expected, String found) {
      super(
          "expected "
              + expected
              + ", found "
              + found
              + "; do not trust where this tensor comes from");
    }

    /** A path that leads, or may lead, out of the folder. */
    static ImplausibleException path(String path) {
      String shown =
          path.substring(0, Math.min(SHOWN, path.length())).replaceAll("\\p{Cntrl}", "?");
      return new ImplausibleException(
          "a path inside the folder, such as data/1/part-00000.bin", "'" + shown + "'");
    }

    /** A place in a data file where no array begins. */
    static ImplausibleException offset(int file, long offset) {
      return new ImplausibleException(
          "a file from 0 and an offset that is a multiple of " + ALIGNMENT,
          "file " + file + ", offset " + offset);
    }
  }

  /**
   * Some of the entries, stored as a tensor of its own with the coordinates of the whole.
   *
   * @param entries stored entries
   * @param normSquared sum of the squared values
   * @param ranges for each mode the coordinates that occur
   * @param levels arrays of each level, outermost first
   * @param values one for each position of the last level
   */
  record Part(
      long entries,
      double normSquared,
      List<Range> ranges,
      List<LevelEntry> levels,
      ArrayEntry values)
      implements Serializable {
    Part {
      ranges = copy(ranges, "ranges");
      levels = copy(levels, "levels");
      require(entries >= 0 && values != null, "entries and values");
    }

    /** This part where data files have other numbers. */
    Part moved(IntUnaryOperator files) {
      return withArrays(array -> array.moved(files));
    }

    /** This part with its arrays in another file, so many bytes further on. */
    Part placed(int file, long further) {
      return withArrays(
          array ->
              new ArrayEntry(
                  file, array.offset() + further, array.type(), array.length(), array.blocks()));
    }

    private Part withArrays(UnaryOperator<ArrayEntry> arrays) {
      return new Part(
          entries,
          normSquared,
          ranges,
          levels.stream().map(level -> level.withArrays(arrays)).toList(),
          arrays.apply(values));
    }

    /** Whether an entry can have a coordinate of {@code mode} in {@code [from, to)}. */
    boolean mayHold(int mode, long from, long to) {
      Range range = ranges.get(mode);
      return range.first() < to && range.last() >= from;
    }

    List<ArrayEntry> arrays() {
      List<ArrayEntry> arrays = new ArrayList<>();
      for (LevelEntry level : levels) {
        if (level.pos() != null) {
          arrays.add(level.pos());
        }
        if (level.crd() != null) {
          arrays.add(level.crd());
        }
      }
      arrays.add(values);
      return arrays;
    }

    long bytes() {
      return arrays().stream().mapToLong(ArrayEntry::bytes).sum();
    }
  }

  /**
   * Coordinates from {@code first} to {@code last}, both included; written {@code [first, last]}.
   */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  @JsonPropertyOrder({"first", "last"})
  record Range(long first, long last) implements Serializable {
    Range {
      require(first >= 0 && last >= first, "a range of coordinates");
    }
  }

  /**
   * @param positions of the level
   * @param pos bounds of segments, if the level format has them
   * @param crd coordinates, if the level format has them
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record LevelEntry(long positions, @Nullable ArrayEntry pos, @Nullable ArrayEntry crd)
      implements Serializable {
    LevelEntry {
      require(positions >= 0, "positions from 0");
    }

    LevelEntry withArrays(UnaryOperator<ArrayEntry> arrays) {
      return new LevelEntry(
          positions,
          pos == null ? null : arrays.apply(pos),
          crd == null ? null : arrays.apply(crd));
    }
  }

  /**
   * @param file number of the data file
   * @param offset of the first block; a multiple of 64
   * @param type of the elements: {@code u8}, {@code u16}, {@code u32}, {@code i32}, {@code i64},
   *     {@code f32}, {@code f64}
   * @param length elements
   * @param blocks one after the other
   */
  record ArrayEntry(int file, long offset, String type, long length, List<Block> blocks)
      implements Serializable {
    ArrayEntry {
      blocks = copy(blocks, "blocks");
      if (file < 0 || offset < 0 || offset % ALIGNMENT != 0) {
        throw ImplausibleException.offset(file, offset);
      }
      require(length >= 0 && type != null, "length and type");
      ElementType.valueOf(type.toUpperCase(java.util.Locale.ROOT));
    }

    ArrayEntry moved(IntUnaryOperator files) {
      return new ArrayEntry(files.applyAsInt(file), offset, type, length, blocks);
    }

    ElementType elementType() {
      return ElementType.valueOf(type.toUpperCase(java.util.Locale.ROOT));
    }

    /** Bytes in the file, padding included. */
    long bytes() {
      long bytes = blocks.stream().mapToLong(Block::bytes).sum();
      return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
  }

  /**
   * Written {@code ["plain", 1048576, "0a1b2c3d"]}.
   *
   * @param encoding name of the {@link ArrayEncoding}
   * @param bytes in the file
   * @param crc32c of these bytes; of the last block and the padding after it
   */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  @JsonPropertyOrder({"encoding", "bytes", "crc32c"})
  record Block(String encoding, int bytes, String crc32c) implements Serializable {
    Block {
      require(encoding != null && bytes >= 0 && crc32c != null, "encoding, bytes and check sum");
    }
  }

  /**
   * Entries that were written together.
   *
   * @param key by which a second writing is recognised
   * @param firstPart number of the first part
   * @param parts how many
   */
  record Batch(String key, int firstPart, int parts) implements Serializable {
    Batch {
      require(key != null && !key.isEmpty() && firstPart >= 0 && parts >= 0, "key and parts");
    }
  }

  /**
   * @param source what the entries were read from
   * @param command that wrote the version
   * @param weft version of the program
   */
  record Provenance(String source, String command, String weft) implements Serializable {}

  TensorShape shape() {
    return TensorShape.of(modes.stream().mapToLong(Mode::size).toArray());
  }

  ValueType type() {
    return ValueType.valueOf(valueType.toUpperCase(java.util.Locale.ROOT));
  }

  TensorFormat tensorFormat() {
    return TensorFormat.parse(format, modes.size(), type());
  }

  private static <T> List<T> copy(@Nullable List<T> list, String what) {
    require(list != null, what);
    return List.copyOf(list);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException("expected " + what);
    }
  }
}
