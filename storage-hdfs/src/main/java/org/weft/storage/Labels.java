package org.weft.storage;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;
import org.weft.storage.file.OutputCommit;
import org.weft.text.ByteOrderMark;

/**
 * The labels of a mode: UTF-8 text, one per line, plain or gzip; line n (from 1) labels the
 * coordinate that a 1-based file writes as n, in memory coordinate n - 1. Labels are kept whole,
 * blanks included; a carriage return before the line end and a byte-order mark are not part of one.
 * Memory: the text in UTF-8 and 4 bytes a label.
 */
public final class Labels implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final int MAX_BYTES = 1 << 20;
  private static final int SHOWN = 80;
  private static final int CHUNK_BITS = 10;
  private static final int CHUNK = 1 << CHUNK_BITS;

  private final ArrayList<Chunk> chunks;
  private final int size;

  private Labels(ArrayList<Chunk> chunks, int size) {
    this.chunks = chunks;
    this.size = size;
  }

  /**
   * Consecutive labels.
   *
   * @param text all of them, one after the other
   * @param ends where each ends
   */
  @SuppressWarnings("ArrayRecordComponent") // compared with nothing
  private record Chunk(byte[] text, int[] ends) implements Serializable {
    int start(int at) {
      return at == 0 ? 0 : ends[at - 1];
    }

    byte[] utf8(int at) {
      return Arrays.copyOfRange(text, start(at), ends[at]);
    }

    String label(int at) {
      return new String(text, start(at), ends[at] - start(at), StandardCharsets.UTF_8);
    }
  }

  /** Gathers labels in coordinate order. */
  public static final class Builder {
    private final ArrayList<Chunk> chunks = new ArrayList<>();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final int[] ends = new int[CHUNK];
    private int count;

    /** Adds a label that is UTF-8 already. */
    public Builder add(byte[] utf8) {
      text.writeBytes(utf8);
      ends[count++] = text.size();
      if (count == CHUNK) {
        endChunk();
      }
      return this;
    }

    public Builder add(String label) {
      return add(label.getBytes(StandardCharsets.UTF_8));
    }

    private int size() {
      return chunks.size() * CHUNK + count;
    }

    private void endChunk() {
      chunks.add(new Chunk(text.toByteArray(), Arrays.copyOf(ends, count)));
      text.reset();
      count = 0;
    }

    /** The labels; the builder is not to be used again. */
    public Labels build() {
      int size = size();
      if (count > 0) {
        endChunk();
      }
      return new Labels(chunks, size);
    }
  }

  /** Labels in coordinate order. */
  public static Labels of(Iterable<String> labels) {
    Builder builder = new Builder();
    labels.forEach(builder::add);
    return builder.build();
  }

  /**
   * Reads the file {@code uri}, whose lines differ but for blank ones, which name no slice; holds
   * all labels in memory.
   *
   * @throws WeftException {@code MALFORMED_INPUT}
   */
  public static Labels read(FileAccess access, String uri) {
    SourceFile file = SourceFile.find(access, uri, true);
    try (InputStream in = new BufferedInputStream(file.open(0), 1 << 16)) {
      Labels labels = read(in, uri);
      labels.requireDifferent(uri);
      return labels;
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** Reads to the end of {@code in}; {@code name} stands in messages. */
  public static Labels read(InputStream in, String name) throws IOException {
    Builder labels = new Builder();
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b >= 0; b = in.read()) {
      if (b == '\n') {
        labels.add(label(line, labels.size(), name));
      } else if (line.size() == MAX_BYTES) {
        throw new WeftException(
            ErrorCode.MALFORMED_INPUT,
            name
                + ":"
                + (labels.size() + 1)
                + ": expected a label of at most "
                + MAX_BYTES
                + " bytes, found a longer line");
      } else {
        line.write(b);
      }
    }
    if (line.size() > 0) {
      labels.add(label(line, labels.size(), name));
    }
    return labels.build();
  }

  private static String label(ByteArrayOutputStream line, int at, String name) {
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(line.toByteArray()))
              .toString();
      line.reset();
      String label = at == 0 ? ByteOrderMark.strip(text) : text;
      return label.endsWith("\r") ? label.substring(0, label.length() - 1) : label;
    } catch (CharacterCodingException e) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          name + ":" + (at + 1) + ": expected a label in UTF-8, found other bytes",
          e);
    }
  }

  /** Refuses a label that two lines have. Memory: 8 bytes a label, more for those of one hash. */
  private void requireDifferent(String name) {
    long[] hashed = new long[size];
    for (int c = 0; c < size; c++) {
      hashed[c] = (long) Arrays.hashCode(utf8(c)) << 32 | c;
    }
    Arrays.sort(hashed);
    int first = -1;
    int second = size;
    for (int from = 0, to = 0; from < size; from = to) {
      while (to < size && hashed[to] >> 32 == hashed[from] >> 32) {
        to++;
      }
      List<Integer> alike = to - from == 1 ? List.of() : sorted(hashed, from, to);
      for (int at = 1; at < alike.size(); at++) {
        byte[] label = utf8(alike.get(at));
        if (label.length > 0
            && alike.get(at) < second
            && Arrays.equals(label, utf8(alike.get(at - 1)))) {
          first = alike.get(at - 1);
          second = alike.get(at);
        }
      }
    }
    if (first >= 0) {
      String label = label(first);
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          name
              + ":"
              + (second + 1)
              + ": expected a label that no other line has, found '"
              + (label.length() <= SHOWN ? label : label.substring(0, SHOWN) + "...")
              + "' as in line "
              + (first + 1)
              + "; labels tell the slices of a mode apart");
    }
  }

  /** Coordinates of one hash by their labels, then in their order. */
  private List<Integer> sorted(long[] hashed, int from, int to) {
    return Arrays.stream(hashed, from, to)
        .mapToObj(hash -> (int) hash)
        .sorted((a, b) -> Arrays.compare(utf8(a), utf8(b)))
        .toList();
  }

  /** Writes the labels, a line each, compressed if the output's name says so; does not commit. */
  public void write(OutputCommit output) throws IOException {
    try (OutputStream out = Compression.of(output.uri()).compress(output.create())) {
      write(out);
    }
  }

  /** Writes the labels, a line each. Does not close {@code out}. */
  public void write(OutputStream out) throws IOException {
    java.io.BufferedOutputStream buffered = new java.io.BufferedOutputStream(out, 1 << 16);
    for (int i = 0; i < size; i++) {
      requireLine(label(i), i + 1L);
      buffered.write(utf8(i));
      buffered.write('\n');
    }
    buffered.flush();
  }

  /** Whether a line can hold {@code label}. */
  public static boolean isLine(String label) {
    return label.indexOf('\n') < 0
        && !label.endsWith("\r")
        && (label.length() <= MAX_BYTES / 3
            || label.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES);
  }

  /**
   * Returns {@code label} if a line can hold it.
   *
   * @param number of the label, from 1, for the message
   * @throws WeftException {@code MALFORMED_INPUT}
   */
  public static String requireLine(String label, long number) {
    if (!isLine(label)) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          "label "
              + number
              + ": expected text without line ends and of at most "
              + MAX_BYTES
              + " bytes, found other text; replace it before writing");
    }
    return label;
  }

  /** Number of labels. */
  public int size() {
    return size;
  }

  /** The label of a 0-based coordinate; its 1-based number if there are fewer labels. */
  public String label(long coordinate) {
    return coordinate < size
        ? chunks.get((int) (coordinate >>> CHUNK_BITS)).label((int) coordinate & (CHUNK - 1))
        : Long.toString(coordinate + 1);
  }

  /** As {@link #label}, in UTF-8. */
  public byte[] utf8(long coordinate) {
    return coordinate < size
        ? chunks.get((int) (coordinate >>> CHUNK_BITS)).utf8((int) coordinate & (CHUNK - 1))
        : number(coordinate);
  }

  /** What stands for the label that a coordinate does not have, in UTF-8. */
  public static byte[] number(long coordinate) {
    return Long.toString(coordinate + 1).getBytes(StandardCharsets.UTF_8);
  }

  /**
   * The labels of {@code count} coordinates from {@code first} on; numbers where there are none.
   */
  public Labels range(long first, int count) {
    Builder builder = new Builder();
    for (long c = first; c < first + count; c++) {
      builder.add(utf8(c));
    }
    return builder.build();
  }

  /** Whether both have the same labels in the same order. Cost: a pass over the shorter one. */
  public boolean sameAs(Labels other) {
    boolean same = this == other || size == other.size;
    for (int c = 0; this != other && same && c < size; c++) {
      same = Arrays.equals(utf8(c), other.utf8(c));
    }
    return same;
  }

  /** The labels in order; each is made when it is asked for. */
  public List<String> toList() {
    return new Listed(this);
  }

  private static final class Listed extends AbstractList<String> implements RandomAccess {
    private final Labels labels;

    Listed(Labels labels) {
      this.labels = labels;
    }

    @Override
    public String get(int index) {
      return labels.label(java.util.Objects.checkIndex(index, labels.size()));
    }

    @Override
    public int size() {
      return labels.size();
    }
  }
}
