package org.weft.compiler;

import java.nio.file.Path;
import java.util.Optional;
import org.weft.runtime.CpuFeatures;

/**
 * Options of a {@link TensorCompiler}.
 *
 * @param cpu CPU level that kernels are compiled for: {@code x86-64-v2}, {@code -v3} or {@code
 *     -v4}; the lowest of the machines that run them
 * @param cacheDirectory where compiled libraries are kept between processes; empty keeps them in
 *     memory only. Several processes may share it
 * @param optimisation LLVM's level, 0 to 3
 * @param check whether every access of a kernel to an array is guarded: one that is out of range
 *     ends the kernel with an error naming tensor, level and position. Takes time, changes no
 *     result, and is part of the cache key
 */
public record CompilerOptions(
    String cpu, Optional<Path> cacheDirectory, int optimisation, boolean check) {
  /** This machine's CPU level, no disk cache, full optimisation. */
  public static CompilerOptions forThisHost() {
    return new CompilerOptions(CpuFeatures.level(), Optional.empty(), 3, false);
  }

  public CompilerOptions withCpu(String level) {
    return new CompilerOptions(level, cacheDirectory, optimisation, check);
  }

  public CompilerOptions withCacheDirectory(Path directory) {
    return new CompilerOptions(cpu, Optional.of(directory), optimisation, check);
  }

  public CompilerOptions withOptimisation(int level) {
    return new CompilerOptions(cpu, cacheDirectory, level, check);
  }

  public CompilerOptions withCheck(boolean guarded) {
    return new CompilerOptions(cpu, cacheDirectory, optimisation, guarded);
  }
}
