package org.weft.runtime;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;

/**
 * The C++ runtime in the form that libraries contain which are used without a JVM: {@code
 * weft_tensor.h} says how they are called, {@code ahead.h} what the compiler adds.
 */
public final class StandaloneRuntime {
  /** Modes of a tensor of such a library, at most. */
  public static final int MOST_MODES = 8;

  /** Tensors of a statement, the result included, at most. */
  public static final int MOST_TENSORS = 16;

  /** Slots of a kernel, at most. */
  public static final int MOST_SLOTS = 512;

  private StandaloneRuntime() {}

  /** The runtime as one relocatable object, whose symbols are hidden from other libraries. */
  public static byte[] object() {
    return resource("weft_runtime.o");
  }

  /** The C header of the tensors, with a guard of its own. */
  public static String tensorHeader() {
    return new String(resource("weft_tensor.h"), StandardCharsets.UTF_8);
  }

  private static byte[] resource(String name) {
    String path = "linux-x86_64/" + name;
    try (InputStream in = StandaloneRuntime.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new WeftException(
            ErrorCode.UNSUPPORTED_PLATFORM,
            "the class path has no org/weft/runtime/" + path + "; build the native module");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
