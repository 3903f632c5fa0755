package org.weft.compiler.cache;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.llvm.Target;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.LoopPrinter;

/**
 * Identity of a compiled library: SHA-256 over what its kernels were asked for with, or their
 * printed loops and signatures, and over the target, LLVM's version, and the compiler's own class
 * files with those of every level format, so that a changed compiler never meets old code.
 */
public record CacheKey(String sha256) {

  /** Kernels that are not lowered yet: everything that lowering reads. */
  public static CacheKey ofRequests(List<KernelRequest> kernels, Target target, boolean check) {
    MessageDigest digest = start("requests", target);
    add(digest, check ? "checked" : "unchecked");
    for (KernelRequest kernel : kernels) {
      add(digest, kernel.symbol());
      add(digest, kernel.expression());
      add(digest, kernel.schedule().toString());
      add(digest, kernel.sizes().toString());
      add(digest, Integer.toString(kernel.formats().size()));
      kernel
          .formats()
          .forEach(
              (name, format) -> {
                add(digest, name);
                add(digest, format.order() + " " + format + " " + format.valueType());
              });
    }
    return new CacheKey(HexFormat.of().formatHex(digest.digest()));
  }

  /** Kernels as loops, with checks in them if they are to have some. */
  public static CacheKey of(List<LoopFunction> kernels, Target target) {
    MessageDigest digest = start("loops", target);
    for (LoopFunction kernel : kernels) {
      add(digest, LoopPrinter.print(kernel));
      add(digest, kernel.signature().toString());
    }
    return new CacheKey(HexFormat.of().formatHex(digest.digest()));
  }

  private static MessageDigest start(String kind, Target target) {
    MessageDigest digest = digest();
    add(digest, kind);
    add(digest, CompilerFingerprint.VALUE);
    add(digest, target.toString());
    return digest;
  }

  private static void add(MessageDigest digest, String part) {
    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
    digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
    digest.update(bytes);
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }
}
