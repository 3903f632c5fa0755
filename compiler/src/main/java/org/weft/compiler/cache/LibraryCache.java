package org.weft.compiler.cache;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;
import org.weft.error.Reasons;

/**
 * A folder of compiled libraries, one file {@code <key>.weftlib} each, that threads and processes
 * share. A file is 8 bytes {@code WEFTLIB3}, the CRC-32C of the library in 4 bytes, then the
 * library. It is written under a temporary name and moved into place, so a reader sees all of it or
 * nothing; two writers of one key write the same thing. A file that fails its checksum counts as
 * absent and is replaced by the next store.
 *
 * <p>What is found is run, so only a {@link PrivateFolder} is read. The cache only saves time: when
 * the folder cannot be read or written, or others may have written to it, lookups miss, stores do
 * nothing, and the log says so, once for each folder.
 */
public final class LibraryCache {
  private static final byte[] MAGIC = "WEFTLIB3".getBytes(StandardCharsets.US_ASCII);
  private static final int HEADER_BYTES = MAGIC.length + Integer.BYTES;

  /** Folders of which the log has said that they are not used. */
  private static final Set<Path> REFUSED = ConcurrentHashMap.newKeySet();

  private final Path folder;
  private final PrivateFolder own;

  /**
   * @param folder made when the first library is stored
   */
  public LibraryCache(Path folder) {
    this.folder = folder;
    this.own = new PrivateFolder(folder);
  }

  /** The library stored under {@code key}, intact; well below 1 ms. */
  public Optional<byte[]> find(CacheKey key) {
    Path file = file(key);
    try {
      byte[] bytes = own.read(String.valueOf(file.getFileName()));
      Optional<byte[]> library = unwrap(bytes);
      if (library.isEmpty()) {
        logger()
            .log(
                System.Logger.Level.WARNING,
                "cached kernel library {0} is damaged: recompiling",
                file);
      }
      return library;
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (PrivateFolder.UntrustedException e) {
      refused(String.valueOf(e.getMessage()));
      return Optional.empty();
    } catch (IOException e) {
      refused(Reasons.of(e));
      return Optional.empty();
    }
  }

  /** Stores a library; atomic. */
  public void store(CacheKey key, byte[] library) {
    Path temporary = null;
    try {
      own.create();
      temporary = Files.createTempFile(folder, key.sha256(), ".tmp");
      Files.write(temporary, wrap(library));
      Files.move(
          temporary,
          file(key),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } catch (PrivateFolder.UntrustedException e) {
      refused(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      refused(Reasons.of(e));
      if (temporary != null) {
        discard(temporary);
      }
    }
  }

  private void refused(String why) {
    if (REFUSED.add(folder)) {
      logger()
          .log(
              System.Logger.Level.WARNING,
              "the kernel cache {0} is not used, kernels are compiled anew: {1};"
                  + " WEFT_KERNEL_CACHE names another folder",
              folder,
              why);
    }
  }

  private static void discard(Path temporary) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      logger()
          .log(System.Logger.Level.WARNING, "cannot delete a temporary file: {0}", Reasons.of(e));
    }
  }

  private Path file(CacheKey key) {
    return folder.resolve(key.sha256() + ".weftlib");
  }

  private static byte[] wrap(byte[] library) {
    return ByteBuffer.allocate(HEADER_BYTES + library.length)
        .put(MAGIC)
        .putInt(checksum(library))
        .put(library)
        .array();
  }

  private static Optional<byte[]> unwrap(byte[] file) {
    if (file.length < HEADER_BYTES
        || !Arrays.equals(file, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
      return Optional.empty();
    }
    byte[] library = Arrays.copyOfRange(file, HEADER_BYTES, file.length);
    return ByteBuffer.wrap(file).getInt(MAGIC.length) == checksum(library)
        ? Optional.of(library)
        : Optional.empty();
  }

  private static int checksum(byte[] library) {
    CRC32C sum = new CRC32C();
    sum.update(library);
    return (int) sum.getValue();
  }

  /** Found when there is something to say: a small job ends before loggers have started. */
  private static System.Logger logger() {
    return System.getLogger(LibraryCache.class.getName());
  }
}
