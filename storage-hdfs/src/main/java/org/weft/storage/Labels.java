package org.weft.storage;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The labels of a mode: UTF-8 text, one per line, plain or gzip; line n (from 1) labels the
 * coordinate that a 1-based file writes as n, in memory coordinate n - 1. Labels are kept whole,
 * blanks included; a carriage return before the line end and a byte-order mark are not part of one.
 */
public final class Labels {
  private static final int MAX_BYTES = 1 << 20;
  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private final List<String> labels;

  private Labels(List<String> labels) {
    this.labels = labels;
  }

  /** Labels in coordinate order. */
  public static Labels of(List<String> labels) {
    return new Labels(List.copyOf(labels));
  }

  /** Reads the file {@code uri}; holds all labels in memory. */
  public static Labels read(FileAccess access, String uri) {
    SourceFile file = SourceFile.find(access, uri, true);
    try (InputStream in = new BufferedInputStream(file.open(0), 1 << 16)) {
      return read(in, uri);
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** Reads to the end of {@code in}; {@code name} stands in messages. */
  public static Labels read(InputStream in, String name) throws IOException {
    List<String> labels = new ArrayList<>();
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
    return new Labels(List.copyOf(labels));
  }

  private static String label(ByteArrayOutputStream line, int at, String name) {
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(line.toByteArray()))
              .toString();
      line.reset();
      int from = at == 0 && !text.isEmpty() && text.charAt(0) == BYTE_ORDER_MARK ? 1 : 0;
      return text.substring(from, text.endsWith("\r") ? text.length() - 1 : text.length());
    } catch (CharacterCodingException e) {
      throw new WeftException(
          ErrorCode.MALFORMED_INPUT,
          name + ":" + (at + 1) + ": expected a label in UTF-8, found other bytes",
          e);
    }
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
    for (int i = 0; i < labels.size(); i++) {
      buffered.write(requireLine(labels.get(i), i + 1L).getBytes(StandardCharsets.UTF_8));
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
    return labels.size();
  }

  /** The label of a 0-based coordinate; its 1-based number if there are fewer labels. */
  public String label(long coordinate) {
    return coordinate < labels.size()
        ? labels.get((int) coordinate)
        : Long.toString(coordinate + 1);
  }

  public List<String> toList() {
    return labels;
  }
}
