package org.weft.runtime;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.scratch.ScratchFolder;

/**
 * An opened library of kernels. Thread-safe.
 *
 * <p>A library is opened from memory ({@code memfd_create}), or from a temporary file where the
 * system does not allow that, once per process and identity; opening it again costs a check sum. It
 * stays mapped for the life of the process, with one file descriptor: other handles and running
 * calls may use it.
 */
public final class KernelLibrary implements AutoCloseable {
  /** Handles of the dynamic loader by identity. */
  private static final Map<String, Long> OPENED = new ConcurrentHashMap<>();

  private final KernelImage image;
  private final long handle;
  private volatile boolean closed;

  private KernelLibrary(KernelImage image, long handle) {
    this.image = image;
    this.handle = handle;
  }

  /**
   * Checks the image's check sum and CPU level, and opens it.
   *
   * @throws WeftException {@code UNSUPPORTED_PLATFORM} if this host cannot run the code, {@code
   *     KERNEL_FAILURE} if the bytes do not have the image's check sum or the loader refuses them
   */
  public static KernelLibrary open(KernelImage image) {
    NativeRuntime.require();
    if (!image.isIntact()) {
      throw new WeftException(
          ErrorCode.KERNEL_FAILURE,
          "kernel library of "
              + image.library().length
              + " bytes is damaged: expected the CRC-32C "
              + Long.toHexString(image.checksum())
              + "; clear the kernel cache and plan again");
    }
    CpuFeatures.require(image.cpu());
    long handle =
        OPENED.computeIfAbsent(image.identity(), id -> openFromMemory(image.library(), id));
    return new KernelLibrary(image, handle);
  }

  private static long openFromMemory(byte[] library, String identity) {
    int descriptor = NativeRuntime.memoryFile("weft-" + identity);
    if (descriptor < 0) {
      return openFromFile(library, identity);
    }
    // The descriptor stays open: the loader knows a library by its path, so no other may have it.
    String path = "/proc/self/fd/" + descriptor;
    try {
      Files.write(Path.of(path), library);
      return NativeRuntime.open(path);
    } catch (IOException | WeftException memory) {
      try {
        return openFromFile(library, identity);
      } catch (WeftException file) {
        file.addSuppressed(memory);
        throw file;
      }
    }
  }

  static long openFromFile(byte[] library, String identity) {
    try {
      Path file = Files.createTempFile("weft-" + identity + "-", ".so");
      try {
        Files.write(file, library);
        return NativeRuntime.open(file.toString());
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw ScratchFolder.unavailable(e);
    }
  }

  /** The image that was opened. */
  public KernelImage image() {
    return image;
  }

  /**
   * Address of a symbol; good for the life of the process.
   *
   * @throws WeftException {@code KERNEL_FAILURE} if the library has no such symbol
   */
  public long address(String symbol) {
    requireOpen();
    return NativeRuntime.symbol(handle, symbol);
  }

  /** Gives up this handle; kernels made from it can still run. Closing twice is an error. */
  @Override
  public void close() {
    requireOpen();
    closed = true;
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("kernel library " + image + " is closed");
    }
  }
}
