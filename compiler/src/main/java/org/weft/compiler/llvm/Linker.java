package org.weft.compiler.llvm;

import java.io.File;
import java.io.IOException;
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
import org.weft.error.Reasons;
import org.weft.error.WeftException;
import org.weft.scratch.ScratchFolder;

/**
 * Links objects to a shared library with the lld that comes with LLVM: libraries that any program
 * opens, and kernels that {@link org.weft.compiler.elf.ElfLinker} refuses. Kernels import nothing
 * but {@code memset} and its kin from libc and elementary functions from libm, which every process
 * with a JVM has loaded; both are recorded only when used.
 */
final class Linker {
  private static final int TIMEOUT_SECONDS = 300;
  private static final int SIGNAL_STATUS = 128;
  private static final List<String> LIBRARY_FOLDERS =
      List.of("/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/usr/lib/x86_64-linux-gnu", "/lib");

  private static @Nullable Path cachedLld;

  private Linker() {}

  /**
   * The linked library. One with {@code exports} is for any program: what it does not export is its
   * own, and it stays in the process, because threads run its code.
   *
   * @param shared objects that are linked in where {@code objects} need them
   * @param exports symbols that the library offers; empty for all, and for a process that has the
   *     runtime
   * @throws WeftException COMPILER_FAILURE with the linker's words, for example about a symbol that
   *     neither the objects nor the C library define
   */
  static byte[] link(List<byte[]> objects, List<byte[]> shared, List<String> exports) {
    try {
      Path folder = ScratchFolder.newFolder("link");
      try {
        List<String> inputs = new ArrayList<>();
        for (List<byte[]> some : List.of(objects, shared)) {
          for (byte[] object : some) {
            Path file = folder.resolve("object" + inputs.size() + ".o");
            inputs.add(Files.write(file, object).toString());
          }
        }
        if (!exports.isEmpty()) {
          String script = "{ global: " + String.join("; ", exports) + "; local: *; };\n";
          Path file = Files.writeString(folder.resolve("exports"), script);
          inputs.add("--version-script=" + file);
          inputs.addAll(
              List.of("--strip-debug", "-z", "nodelete", library("ld-linux-x86-64.so.2")));
        }
        return run(folder, inputs);
      } finally {
        delete(folder);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new WeftException(
          ErrorCode.COMPILER_FAILURE, "interrupted while linking kernels; compile again", e);
    } catch (IOException e) {
      throw unavailable(e);
    }
  }

  private static byte[] run(Path folder, List<String> inputs)
      throws IOException, InterruptedException {
    Path out = folder.resolve("kernels.so");
    Path messages = folder.resolve("messages");
    Process process =
        new ProcessBuilder(command(lld(), out, inputs))
            .redirectErrorStream(true)
            .redirectOutput(messages.toFile())
            .start();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new WeftException(
            ErrorCode.COMPILER_FAILURE,
            "the linker did not end in "
                + TIMEOUT_SECONDS
                + " s; see what keeps the machine or its disk busy, and run again");
      }
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() != 0) {
      throw failed(process.exitValue(), Files.readString(messages));
    }
    return Files.readAllBytes(out);
  }

  /** The linker as something else ended it, or as it says that it cannot link these kernels. */
  static WeftException failed(int status, String messages) {
    return status > SIGNAL_STATUS
        ? new WeftException(
            ErrorCode.COMPILER_FAILURE,
            "the linker was ended by signal "
                + (status - SIGNAL_STATUS)
                + "; 9 is often for want of memory: free some, and run again")
        : ModuleContext.failure("the linker", messages);
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

  private static List<String> command(Path lld, Path out, List<String> inputs) {
    List<String> command = new ArrayList<>();
    command.add(lld.toString());
    command.addAll(List.of("-shared", "--build-id=none", "-z", "now", "--gc-sections"));
    command.addAll(List.of("--no-undefined", "--as-needed", "--threads=1"));
    command.addAll(List.of("-o", out.toString()));
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
      System.getLogger(Linker.class.getName())
          .log(
              System.Logger.Level.WARNING, "cannot delete files of the linker: {0}", Reasons.of(e));
    }
  }
}
