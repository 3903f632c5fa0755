package org.weft.storage.container;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.weft.memory.ElementType;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.memory.NativeMemory;
import org.weft.storage.container.encoding.ArrayEncoding;
import org.weft.storage.container.encoding.ZstdEncoding;

/**
 * Writes arrays one after the other into one data file. How a block is encoded is measured: every
 * eighth block of an array is encoded in all ways that suit its type, and the following blocks
 * share the winner's. Packing must save an eighth of the bytes to be worth decoding, zstd a fifth
 * more.
 */
final class ArrayWriter implements Closeable {
  private static final int MEASURED_BLOCKS = 8;
  private static final double WORTH_PACKING = 7.0 / 8;
  private static final double WORTH_ZSTD = 0.8;
  private static final int COPY_BYTES = 1 << 16;

  private final String path;
  private final int file;
  private final OutputStream out;
  private final boolean plain;
  private final MemoryScope scope = MemoryScope.root("array writer", MemorySource.system());
  private final byte[] buffer = new byte[COPY_BYTES];
  private @Nullable NativeArray staging;
  private long position;
  private boolean closed;

  /**
   * @param path of the file, relative to the container
   * @param file number under which entries name it
   * @param out receives the bytes; closed with this
   * @param plain whether elements are stored as they are
   */
  ArrayWriter(String path, int file, OutputStream out, boolean plain) {
    this.path = path;
    this.file = file;
    this.out = out;
    this.plain = plain;
  }

  /** Bytes written so far. */
  long position() {
    return position;
  }

  int file() {
    return file;
  }

  Manifest.DataFile finished() throws IOException {
    close();
    return new Manifest.DataFile(path, position);
  }

  /** Adds the arrays of a part that another writer has written into memory. */
  Manifest.Part append(Manifest.Part part, ByteArrayOutputStream arrays) throws IOException {
    Manifest.Part placed = part.placed(file, position);
    arrays.writeTo(out);
    position += arrays.size();
    return placed;
  }

  Manifest.ArrayEntry write(NativeArray array) throws IOException {
    return write(array.type(), array.address(), array.length());
  }

  /** Writes {@code length} elements at {@code address}. */
  Manifest.ArrayEntry write(ElementType type, long address, long length) throws IOException {
    List<Manifest.Block> blocks = new ArrayList<>();
    long start = position;
    int each = Manifest.BLOCK_BYTES / type.bytes();
    @Nullable ArrayEncoding chosen = null;
    for (long at = 0; at < length; at += each) {
      int count = (int) Math.min(each, length - at);
      long from = address + at * type.bytes();
      if (blocks.size() % MEASURED_BLOCKS == 0) {
        chosen = plain ? null : measure(type, from, count);
      }
      boolean last = at + count == length;
      blocks.add(block(type, from, count, chosen, last));
    }
    return new Manifest.ArrayEntry(
        file, start, type.name().toLowerCase(Locale.ROOT), length, blocks);
  }

  private Manifest.Block block(
      ElementType type, long from, int count, @Nullable ArrayEncoding encoding, boolean last)
      throws IOException {
    int raw = count * type.bytes();
    int bytes = encoding == null ? -1 : encode(encoding, type, from, count);
    boolean encoded = bytes >= 0 && bytes < raw;
    long payload = encoded ? staged(0) : from;
    int stored = encoded ? bytes : raw;
    CRC32C crc = new CRC32C();
    crc.update(NativeMemory.buffer(payload, stored));
    for (int at = 0; at < stored; at += buffer.length) {
      int part = Math.min(buffer.length, stored - at);
      NativeMemory.copyToArray(payload + at, buffer, 0, part);
      out.write(buffer, 0, part);
    }
    position += stored;
    if (last) {
      byte[] padding = new byte[(int) (-position & (Manifest.ALIGNMENT - 1))];
      crc.update(padding);
      out.write(padding);
      position += padding.length;
    }
    String name = encoded && encoding != null ? encoding.name() : ArrayEncoding.PLAIN;
    return new Manifest.Block(name, stored, ManifestFile.hex(crc.getValue()));
  }

  private @Nullable ArrayEncoding measure(ElementType type, long from, int count) {
    int raw = count * type.bytes();
    double least = raw;
    @Nullable ArrayEncoding best = null;
    for (ArrayEncoding encoding : ArrayEncoding.ALL) {
      if (!encoding.suits(type)) {
        continue;
      }
      int bytes = encode(encoding, type, from, count);
      double worth = encoding instanceof ZstdEncoding ? WORTH_ZSTD : 1;
      if (bytes >= 0 && bytes < WORTH_PACKING * raw && bytes < worth * least) {
        least = bytes;
        best = encoding;
      }
    }
    return best;
  }

  private int encode(ArrayEncoding encoding, ElementType type, long from, int count) {
    return encoding.encode(type, from, count, staged(1), staged(0), Manifest.BLOCK_BYTES);
  }

  private long staged(int number) {
    NativeArray memory = staging;
    if (memory == null) {
      memory = scope.allocateUninitialized(ElementType.U8, 2L * (Manifest.BLOCK_BYTES + 64));
      staging = memory;
    }
    return memory.address() + (long) number * (Manifest.BLOCK_BYTES + 64);
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      scope.close();
      out.close();
    }
  }
}
