package org.weft.compiler.cache;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Enumeration;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.Adler32;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.weft.compiler.level.LevelEmitter;
import org.weft.compiler.llvm.CodeGenerator;
import org.weft.service.Providers;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.level.LevelFormat;

/**
 * Everything that decides what code a request becomes, summed up once per process: LLVM's version
 * and the class files of compiler, tensor model and every level format on the class path.
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
    return checksum(parts.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Adds the files under {@code folder} from where {@code type} was loaded, once. */
  private static void add(Class<?> type, String folder, TreeMap<String, String> parts)
      throws IOException {
    Path at = location(type);
    String name = at + "!" + folder;
    String whole = at + "!" + OWN;
    boolean covered = folder.startsWith(OWN) && parts.containsKey(whole);
    if (parts.containsKey(name) || covered) {
      return;
    }
    TreeMap<String, String> files =
        Files.isDirectory(at) ? inFolder(at, folder) : inJar(at, folder);
    parts.put(name, files.toString());
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
        checksums.put(root.relativize(file).toString(), checksum(Files.readAllBytes(file)));
      }
    }
    return checksums;
  }

  private static TreeMap<String, String> inJar(Path jar, String folder) throws IOException {
    TreeMap<String, String> checksums = new TreeMap<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      Enumeration<? extends ZipEntry> entries = zip.entries();
      while (entries.hasMoreElements()) {
        ZipEntry entry = entries.nextElement();
        if (entry.getName().startsWith(folder)) {
          checksums.put(entry.getName(), entry.getSize() + "-" + entry.getCrc());
        }
      }
    }
    return checksums;
  }

  /** By native code: to hash as much is a tenth of a job's start before the JVM is warm. */
  private static String checksum(byte[] bytes) {
    CRC32 crc = new CRC32();
    crc.update(bytes);
    Adler32 adler = new Adler32();
    adler.update(bytes);
    return bytes.length + "-" + crc.getValue() + "-" + adler.getValue();
  }
}
