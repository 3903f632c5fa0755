import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * Compiles C and C++ with the clang and lld inside the {@code org.bytedeco:llvm} jar, so that a
 * machine with a JDK, Maven and the C library's headers can build Weft's native code.
 *
 * <pre>
 * java -cp LLVM_JAR NativeBuild.java runtime MODULE_DIR   # into MODULE_DIR/target/classes
 * java -cp LLVM_JAR NativeBuild.java library OUT.so SOURCE.c [FLAG...]
 * </pre>
 *
 * The tools (270 MB) are unpacked once into {@code ~/.cache/weft/llvm-VERSION}; {@code
 * -Dweft.cache=DIR} names another folder. {@code runtime} makes {@code libweft.so} for a JVM and, for
 * libraries that are compiled ahead of time, the same code as one object with the header of their
 * tensors. It does nothing when sources, flags and tools are those of the files that are there.
 */
public final class NativeBuild {
  private static final String TOOLS = "org/bytedeco/llvm/linux-x86_64/";
  private static final List<String> PROGRAMS =
      List.of("clang", "lld", "libLLVM.so", "libclang-cpp.so");
  private static final String JNI = "weft_jni.cpp";
  private static final String HEADER = "weft_tensor.h";
  private static final String CLANG_HEADERS = "lib/clang/20/include/";

  private static final List<String> COMMON_FLAGS =
      List.of("-O2", "-g1", "-fPIC", "-march=x86-64-v2", "-Wall", "-Wextra", "-Werror");
  private static final List<String> CPP_FLAGS =
      List.of(
          "-std=c++20",
          "-nostdinc++",
          "-fno-exceptions",
          "-fno-rtti",
          "-fno-threadsafe-statics",
          "-fvisibility=hidden",
          "-ffunction-sections");
  // nodelete: worker threads run this code for the life of the process.
  private static final List<String> RUNTIME_LINK_FLAGS =
      List.of("-Wl,--gc-sections", "-Wl,-z,nodelete", "-Wl,-soname,libweft.so");
  private static final List<String> OBJECT_FLAGS = List.of("-r", "-nostdlib");
  private static final List<String> LINK_FLAGS =
      List.of(
          "-shared",
          "-nostdlib",
          "-Wl,--build-id=none",
          "-Wl,--no-undefined",
          "-Wl,-z,now",
          "-Wl,--as-needed",
          "-lc",
          "-lm");

  private NativeBuild() {}

  public static void main(String[] arguments) throws Exception {
    if (!System.getProperty("os.name").equals("Linux")
        || !System.getProperty("os.arch").equals("amd64")) {
      throw new IllegalStateException(
          "the native code builds on Linux on amd64; this is "
              + System.getProperty("os.name")
              + " on "
              + System.getProperty("os.arch"));
    }
    if (arguments.length == 2 && arguments[0].equals("runtime")) {
      buildRuntime(Path.of(arguments[1]));
    } else if (arguments.length >= 3 && arguments[0].equals("library")) {
      Path tools = unpackedTools();
      List<String> inputs = List.of(arguments).subList(2, arguments.length);
      run(linkCommand(tools, Path.of(arguments[1]), inputs, LINK_FLAGS));
    } else {
      System.err.println("usage: NativeBuild runtime MODULE_DIR | library OUT.so SOURCE [FLAG...]");
      System.exit(2);
    }
  }

  private static void buildRuntime(Path module) throws Exception {
    long start = System.nanoTime();
    Path sources = module.resolve("src/main/cpp");
    Path folder = module.resolve("target/classes/org/weft/runtime/linux-x86_64");
    Path output = folder.resolve("libweft.so");
    Path object = folder.resolve("weft_runtime.o");
    Path stamp = module.resolve("target/native/libweft.sha256");
    String wanted = fingerprint(sources);
    if (Files.exists(output)
        && Files.exists(object)
        && Files.exists(stamp)
        && Files.readString(stamp).equals(wanted)) {
      return;
    }
    Path tools = unpackedTools();
    Path headers = Path.of(System.getProperty("java.home"), "include");
    if (!Files.exists(headers.resolve("jni.h"))) {
      throw new IllegalStateException(
          "expected " + headers.resolve("jni.h") + ": run Maven with a JDK, not a JRE");
    }
    Files.createDirectories(folder);
    Files.createDirectories(stamp.getParent());
    List<String> inputs = new ArrayList<>(CPP_FLAGS);
    files(sources)
        .map(Path::toString)
        .filter(f -> f.endsWith(".cpp") && !f.endsWith(JNI))
        .forEach(inputs::add);
    Path whole = stamp.resolveSibling("weft_runtime.o");
    run(linkCommand(tools, whole, inputs, OBJECT_FLAGS));
    List<String> library = new ArrayList<>(CPP_FLAGS);
    library.addAll(List.of("-isystem", headers.toString()));
    library.addAll(List.of("-isystem", headers.resolve("linux").toString()));
    library.addAll(List.of(sources.resolve(JNI).toString(), whole.toString()));
    library.addAll(RUNTIME_LINK_FLAGS);
    Path fresh = stamp.resolveSibling("libweft.so");
    run(linkCommand(tools, fresh, library, LINK_FLAGS));
    Path stripped = stamp.resolveSibling("stripped.o");
    List<String> strip = new ArrayList<>(List.of("-Wl,--strip-debug", whole.toString()));
    run(linkCommand(tools, stripped, strip, OBJECT_FLAGS));
    // A rename: a running process keeps the library it has mapped.
    Files.move(fresh, output, StandardCopyOption.REPLACE_EXISTING);
    Files.move(stripped, object, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(
        sources.resolve(HEADER), folder.resolve(HEADER), StandardCopyOption.REPLACE_EXISTING);
    Files.writeString(stamp, wanted);
    System.out.printf(
        "libweft.so: %d bytes in %d ms%n",
        Files.size(output), TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
  }

  private static List<String> linkCommand(
      Path tools, Path output, List<String> inputs, List<String> linkFlags) {
    List<String> command = new ArrayList<>();
    command.add(tools.resolve("clang").toString());
    command.add("--no-default-config");
    command.addAll(List.of("-resource-dir", tools.resolve("lib/clang/20").toString()));
    command.add("--ld-path=" + tools.resolve("ld.lld"));
    command.addAll(COMMON_FLAGS);
    command.addAll(inputs);
    command.addAll(linkFlags);
    command.addAll(List.of("-o", output.toString()));
    return command;
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    if (status != 0) {
      throw new IllegalStateException(
          "native build failed, exit status "
              + status
              + " from: "
              + String.join(" ", command)
              + "\nWhen a system header is missing, install the C library's development package"
              + " (Debian, Ubuntu: libc6-dev; Fedora: glibc-devel).");
    }
  }

  /** What the library depends on: sources, flags, tools and JDK. */
  private static String fingerprint(Path sources) throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    List<Path> all;
    try (Stream<Path> found = files(sources)) {
      all = found.toList();
    }
    for (Path file : all) {
      digest.update(file.getFileName().toString().getBytes(StandardCharsets.UTF_8));
      digest.update(Files.readAllBytes(file));
    }
    String rest =
        COMMON_FLAGS
            + " "
            + CPP_FLAGS
            + OBJECT_FLAGS
            + RUNTIME_LINK_FLAGS
            + LINK_FLAGS
            + toolsVersion();
    digest.update((rest + System.getProperty("java.home")).getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest.digest());
  }

  private static Stream<Path> files(Path folder) throws IOException {
    return Files.walk(folder).filter(Files::isRegularFile).sorted();
  }

  /** The folder with clang and ld.lld, unpacked if this version is not there yet. */
  private static Path unpackedTools() throws IOException {
    String cache =
        System.getProperty("weft.cache", System.getProperty("user.home") + "/.cache/weft");
    Path tools = Path.of(cache, "llvm-" + toolsVersion());
    if (!Files.exists(tools)) {
      Files.createDirectories(tools.getParent());
      Path partial = Files.createTempDirectory(tools.getParent(), "unpacking-");
      try {
        unpack(partial);
        // The rename is the commit: a folder with the final name is complete.
        Files.move(partial, tools, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        // Another build may have been first, with the same contents.
        if (!Files.exists(tools)) {
          throw e;
        }
      } finally {
        deleteTree(partial);
      }
    }
    return tools;
  }

  private static void unpack(Path folder) throws IOException {
    try (JarFile jar = openLlvmJar()) {
      List<JarEntry> entries =
          jar.stream()
              .filter(e -> !e.isDirectory() && e.getName().startsWith(TOOLS))
              .filter(e -> isTool(e.getName().substring(TOOLS.length())))
              .toList();
      for (JarEntry entry : entries) {
        Path file = folder.resolve(entry.getName().substring(TOOLS.length()));
        Files.createDirectories(file.getParent());
        try (InputStream in = jar.getInputStream(entry)) {
          Files.copy(in, file);
        }
      }
    }
    for (String program : List.of("clang", "lld")) {
      if (!folder.resolve(program).toFile().setExecutable(true)) {
        throw new IOException("cannot make " + folder.resolve(program) + " executable");
      }
    }
    link(folder, "ld.lld", "lld");
    link(folder, "libLLVM.so.20.1", "libLLVM.so");
    link(folder, "libclang-cpp.so.20.1", "libclang-cpp.so");
  }

  private static boolean isTool(String name) {
    return PROGRAMS.contains(name) || name.startsWith(CLANG_HEADERS);
  }

  private static void link(Path folder, String name, String target) throws IOException {
    Files.createSymbolicLink(folder.resolve(name), Path.of(target));
  }

  private static JarFile openLlvmJar() throws IOException {
    return new JarFile(((JarURLConnection) clang().openConnection()).getJarFileURL().getPath());
  }

  private static URL clang() {
    URL clang = NativeBuild.class.getResource("/" + TOOLS + "clang");
    if (clang == null) {
      throw new IllegalStateException(
          "expected the jar of org.bytedeco:llvm:linux-x86_64 on the class path, found "
              + System.getProperty("java.class.path"));
    }
    return clang;
  }

  private static String toolsVersion() throws IOException {
    Properties properties = new Properties();
    try (JarFile jar = openLlvmJar();
        InputStream in =
            jar.getInputStream(jar.getEntry("META-INF/maven/org.bytedeco/llvm/pom.properties"))) {
      properties.load(in);
    }
    return properties.getProperty("version");
  }

  private static void deleteTree(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> all = Files.walk(folder)) {
      all.sorted(Comparator.reverseOrder())
          .forEach(
              file -> {
                try {
                  Files.delete(file);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
