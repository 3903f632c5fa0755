package org.weft.storage.container.encoding;

import java.util.List;
import org.weft.memory.ElementType;
import org.weft.runtime.BlockDecoder;

/**
 * A way to store the elements of one block in fewer bytes. Stateless but for scratch memory that
 * the caller lends; one encoding, one file. What a block of each looks like is said in {@code
 * FORMAT.md}, and by each class.
 */
public interface ArrayEncoding {
  /** The encodings besides {@link #PLAIN}, the cheapest to decode first. */
  List<ArrayEncoding> ALL =
      List.of(new DifferenceEncoding(), new DictionaryEncoding(), new ZstdEncoding());

  /** The name of elements as they are, which needs no class. */
  String PLAIN = "plain";

  /** The encoding called {@code name}, or null if this program does not know it. */
  static @org.jspecify.annotations.Nullable ArrayEncoding named(String name) {
    return ALL.stream().filter(e -> e.name().equals(name)).findFirst().orElse(null);
  }

  /** Name in the manifest. */
  String name();

  /** Whether it can serve elements of {@code type}. */
  boolean suits(ElementType type);

  /**
   * Encodes {@code count} elements.
   *
   * @param scratch address of as many bytes as the elements have
   * @param capacity bytes at {@code out}
   * @return bytes written, or -1 if they do not fit or the elements do not suit
   */
  int encode(ElementType type, long elements, int count, long scratch, long out, int capacity);

  /**
   * Decodes {@code count} elements; {@link BlockDecoder#SLACK_BYTES} behind the block may be read.
   *
   * @param scratch address of as many bytes as the elements have
   * @return whether the bytes are such a block; if not, the elements are undefined
   */
  boolean decode(ElementType type, long in, int bytes, long scratch, long elements, int count);
}
