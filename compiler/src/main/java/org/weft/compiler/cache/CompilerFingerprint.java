package org.weft.compiler.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.llvm.CodeGenerator;
import org.weft.service.Providers;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.level.LevelFormat;

/**
 * Everything that decides what code a request becomes, summed up once per process: LLVM's version
 * and the class files of compiler, tensor model and every level format on the class path, or the
 * jars that hold them.
 */
final class CompilerFingerprint {
  static final String VALUE = CodeGenerator.LLVM_VERSION + " " + classes();

  private static final String OWN = "org/weft/";

  private CompilerFingerprint() {}

  private static String classes() {
    TreeMap<String, String> parts = new TreeMap<>();
    try {
      add(CodeGenerator.class, OWN, parts);
      add(TensorFormat.class, OWN, parts);
      for (Class<?> service : List.of(LevelFormat.class, LevelEmitter.class)) {
        for (Object provider : Providers.of(service)) {
          Class<?> type = provider.getClass();
          add(type, type.getPackageName().replace('.', '/') + "/", parts);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("expected to read the compiler's own classes", e);
    }
    return checksum(ByteBuffer.wrap(parts.toString().getBytes(StandardCharsets.UTF_8)));
  }

  /** Adds the jar from which {@code type} was loaded, or {@code folder} of the folder, once. */
  private static void add(Class<?> type, String folder, TreeMap<String, String> parts)
      throws IOException {
    Path at = location(type);
    if (!Files.isDirectory(at)) {
      if (!parts.containsKey(at.toString())) {
        parts.put(at.toString(), checksum(at));
      }
      return;
    }
    String name = at + "!" + folder;
    boolean covered = folder.startsWith(OWN) && parts.containsKey(at + "!" + OWN);
    if (!parts.containsKey(name) && !covered) {
      parts.put(name, inFolder(at, folder).toString());
    }
  }

  private static Path location(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source == null) {
      throw new IllegalStateException(type.getName() + " has no code source to hash");
    }
    try {
      return Path.of(source.getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(type.getName() + " is at no path", e);
    }
  }

  private static TreeMap<String, String> inFolder(Path root, String folder) throws IOException {
    TreeMap<String, String> checksums = new TreeMap<>();
    try (Stream<Path> files = Files.walk(root.resolve(folder))) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        checksums.put(root.relativize(file).toString(), checksum(file));
      }
    }
    return checksums;
  }

  private static String checksum(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file)) {
      return checksum(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
    }
  }

  /**
   * By native code, and of a jar as it is: to look at its entries, or to hash as much in Java, is a
   * tenth of a job's start before the JVM is warm.
   */
  private static String checksum(ByteBuffer bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes.duplicate());
    Adler32 adler = new Adler32();
    adler.update(bytes.duplicate());
    return bytes.remaining() + "-" + crc.getValue() + "-" + adler.getValue();
  }
}
