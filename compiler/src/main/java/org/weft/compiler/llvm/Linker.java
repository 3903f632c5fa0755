package org.weft.compiler.llvm;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.bytedeco.javacpp.Loader;
import org.bytedeco.llvm.global.LLVM;
import org.jspecify.annotations.Nullable;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.scratch.ScratchFolder;

/**
 * Links objects to a shared library with the lld that comes with LLVM. Kernels import nothing but
 * {@code memset} and its kin from libc and elementary functions from libm, which every process with
 * a JVM has loaded; both are recorded only when used.
 *
 * <p>Most of a link is the start of the process, so it is started before the object exists, beside
 * code generation, and waits for the first object at its standard input. The others are files that
 * it reads after that one.
 */
final class Linker implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger(Linker.class.getName());
  private static final int TIMEOUT_SECONDS = 60;
  private static final List<String> LIBRARY_FOLDERS =
      List.of("/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/lib");

  private static @Nullable Path cachedLld;

  private final Path folder;
  private final Path out;
  private final Path messages;
  private final Process process;

  /**
   * Starts the linker for a library of kernels, which a process with the runtime opens.
   *
   * @param objects how many objects follow, at least 1
   * @param shared an object that is linked in where those that follow need it
   */
  Linker(byte[] shared, int objects) {
    this(List.of(shared), objects, List.of());
  }

  /**
   * Starts the linker for a library that any program opens: what it does not export is its own, and
   * it stays in the process, because threads run its code.
   *
   * @param shared objects that are linked in where those that follow need them
   * @param objects how many objects follow, at least 1
   * @param exports symbols that the library offers; empty for all
   */
  Linker(List<byte[]> shared, int objects, List<String> exports) {
    Path made = null;
    try {
      Path lld = lld();
      made = ScratchFolder.newFolder("link");
      folder = made;
      out = folder.resolve("kernels.so");
      messages = folder.resolve("messages");
      List<String> inputs = new ArrayList<>();
      for (int number = 1; number < objects; number++) {
        inputs.add(object(number).toString());
      }
      for (byte[] object : shared) {
        Path file = folder.resolve("shared" + inputs.size() + ".o");
        inputs.add(Files.write(file, object).toString());
      }
      if (!exports.isEmpty()) {
        String script = "{ global: " + String.join("; ", exports) + "; local: *; };\n";
        Path file = Files.writeString(folder.resolve("exports"), script);
        inputs.add("--version-script=" + file);
        inputs.addAll(List.of("--strip-debug", "-z", "nodelete", library("ld-linux-x86-64.so.2")));
      }
      process =
          new ProcessBuilder(command(lld, inputs))
              .redirectErrorStream(true)
              .redirectOutput(messages.toFile())
              .start();
    } catch (IOException e) {
      if (made != null) {
        delete(made);
      }
      throw unavailable(e);
    }
  }

  /**
   * The linked library; once.
   *
   * @throws WeftException COMPILER_FAILURE with the linker's words, for example about a symbol that
   *     neither the objects nor the C library define
   */
  byte[] link(List<byte[]> objects) {
    try {
      for (int number = 1; number < objects.size(); number++) {
        Files.write(object(number), objects.get(number));
      }
      send(objects.get(0));
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw ModuleContext.failure("the linker", "did not end in " + TIMEOUT_SECONDS + " s");
      }
      if (process.exitValue() != 0) {
        throw ModuleContext.failure("the linker", Files.readString(messages));
      }
      return Files.readAllBytes(out);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WeftException(
          ErrorCode.COMPILER_FAILURE, "interrupted while linking kernels; compile again", e);
    } catch (IOException e) {
      throw unavailable(e);
    }
  }

  private void send(byte[] object) {
    try (OutputStream in = process.getOutputStream()) {
      in.write(object);
    } catch (IOException e) {
      // The linker has ended early: its exit value and messages say why.
      LOG.log(System.Logger.Level.DEBUG, "the linker does not read its input: {0}", e.toString());
    }
  }

  /** Ends the linker if it still runs, and deletes its files. */
  @Override
  public void close() {
    if (process.isAlive()) {
      process.destroyForcibly();
    }
    delete(folder);
  }

  private static WeftException unavailable(IOException e) {
    return new WeftException(
        ErrorCode.STORAGE_UNAVAILABLE,
        "expected to write temporary files to link kernels in "
            + System.getProperty("java.io.tmpdir")
            + ", found: "
            + e.getMessage()
            + "; free space there or set java.io.tmpdir",
        e);
  }

  /** The file of an object after the first. */
  private Path object(int number) {
    return folder.resolve("object" + number + ".o");
  }

  private List<String> command(Path lld, List<String> inputs) {
    List<String> command = new ArrayList<>();
    command.add(lld.toString());
    command.addAll(List.of("-shared", "--build-id=none", "-z", "now", "--gc-sections"));
    command.addAll(List.of("--no-undefined", "--as-needed", "--threads=1"));
    command.addAll(List.of("-o", out.toString(), "/dev/stdin"));
    command.addAll(inputs);
    command.add(library("libc.so.6"));
    command.add(library("libm.so.6"));
    return command;
  }

  /** Unpacks lld once per machine, with the names beside it that it looks for. */
  private static synchronized Path lld() throws IOException {
    Path known = cachedLld;
    if (known != null) {
      return known;
    }
    LlvmNative.load();
    File unpacked = Loader.cacheResource(LLVM.class, "/org/bytedeco/llvm/linux-x86_64/lld");
    File llvm = Loader.cacheResource(LLVM.class, "/org/bytedeco/llvm/linux-x86_64/libLLVM.so");
    if (unpacked == null || llvm == null) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_PLATFORM,
          "expected the bundled lld on the class path, found none; add the llvm jar with classifier"
              + " linux-x86_64");
    }
    if (!unpacked.canExecute() && !unpacked.setExecutable(true)) {
      throw new IOException("cannot make " + unpacked + " executable");
    }
    Path folder = Path.of(unpacked.getParent());
    symlink(folder.resolve("ld.lld"), unpacked.toPath());
    symlink(folder.resolve("libLLVM.so.20.1"), llvm.toPath());
    cachedLld = folder.resolve("ld.lld");
    return cachedLld;
  }

  private static void symlink(Path link, Path target) throws IOException {
    if (!Files.exists(link)) {
      try {
        Files.createSymbolicLink(link, target);
      } catch (FileAlreadyExistsException e) {
        if (!Files.exists(link)) {
          throw e;
        }
      }
    }
  }

  private static String library(String name) {
    return LIBRARY_FOLDERS.stream()
        .map(folder -> Path.of(folder, name))
        .filter(Files::exists)
        .findFirst()
        .map(Path::toString)
        .orElseThrow(
            () ->
                new WeftException(
                    ErrorCode.UNSUPPORTED_PLATFORM,
                    "expected "
                        + name
                        + " in one of "
                        + LIBRARY_FOLDERS
                        + ", found none; run the driver on a glibc system"));
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "cannot delete files of the linker: {0}", e.toString());
    }
  }
}
