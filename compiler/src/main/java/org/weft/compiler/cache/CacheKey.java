package org.weft.compiler.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Enumeration;
import java.util.HexFormat;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.weft.compiler.llvm.CodeGenerator;
import org.weft.compiler.llvm.Target;
import org.weft.compiler.loop.LoopFunction;
import org.weft.compiler.loop.LoopPrinter;

/**
 * Identity of a compiled library: SHA-256 over the printed loops and signatures of its kernels, the
 * target, LLVM's version, and the code generator's own class files, so that a changed generator
 * never meets old code.
 */
public record CacheKey(String sha256) {

  public static CacheKey of(List<LoopFunction> kernels, Target target) {
    MessageDigest digest = digest();
    add(digest, Generator.FINGERPRINT);
    add(digest, target.toString());
    for (LoopFunction kernel : kernels) {
      add(digest, LoopPrinter.print(kernel));
      add(digest, kernel.signature().toString());
    }
    return new CacheKey(HexFormat.of().formatHex(digest.digest()));
  }

  private static void add(MessageDigest digest, String part) {
    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
    digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
    digest.update(bytes);
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every Java platform has SHA-256", e);
    }
  }

  /** What generates code, hashed once per process: about 1 ms. */
  private static final class Generator {
    private static final String FOLDER = "org/weft/compiler/llvm/";
    static final String FINGERPRINT = CodeGenerator.LLVM_VERSION + " " + classes();

    private static String classes() {
      CodeSource source = CodeGenerator.class.getProtectionDomain().getCodeSource();
      if (source == null) {
        throw new IllegalStateException("the compiler's classes have no code source to hash");
      }
      try {
        Path at = Path.of(source.getLocation().toURI());
        TreeMap<String, String> parts = Files.isDirectory(at) ? folder(at) : jar(at);
        return HexFormat.of()
            .formatHex(digest().digest(parts.toString().getBytes(StandardCharsets.UTF_8)));
      } catch (IOException e) {
        throw new UncheckedIOException("expected to read the compiler's own classes", e);
      } catch (URISyntaxException e) {
        throw new IllegalStateException("the compiler's classes are at no path", e);
      }
    }

    private static TreeMap<String, String> folder(Path root) throws IOException {
      TreeMap<String, String> hashes = new TreeMap<>();
      try (Stream<Path> files = Files.list(root.resolve(FOLDER))) {
        for (Path file : files.toList()) {
          byte[] hash = digest().digest(Files.readAllBytes(file));
          hashes.put(file.toString().substring(root.toString().length()), toHex(hash));
        }
      }
      return hashes;
    }

    private static TreeMap<String, String> jar(Path jar) throws IOException {
      TreeMap<String, String> checksums = new TreeMap<>();
      try (ZipFile zip = new ZipFile(jar.toFile())) {
        Enumeration<? extends ZipEntry> entries = zip.entries();
        while (entries.hasMoreElements()) {
          ZipEntry entry = entries.nextElement();
          if (entry.getName().startsWith(FOLDER)) {
            checksums.put(entry.getName(), entry.getSize() + "-" + entry.getCrc());
          }
        }
      }
      return checksums;
    }

    private static String toHex(byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
  }
}
