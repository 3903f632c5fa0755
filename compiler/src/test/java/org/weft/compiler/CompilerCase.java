package org.weft.compiler;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.api.AfterEach;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.NativeRuntime;
import org.weft.tensor.TensorStorage;

/** A test with a compiler and a scope of its own, in which nothing leaks. */
public abstract class CompilerCase {
  private final long blocks = NativeRuntime.statistics().liveBlocks();
  protected final MemoryScope scope = MemoryScope.root("test", MemorySource.system());
  protected final TensorCompiler compiler;

  /** With a compiler of usual optimisation. */
  protected CompilerCase() {
    this.compiler = TensorCompiler.create(CompilerOptions.forThisHost());
  }

  protected CompilerCase(int optimisation) {
    this.compiler =
        TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(optimisation));
  }

  @AfterEach
  void nothingLeaks() {
    scope.close();
    compiler.close();
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(blocks);
  }

  /** All arrays of a tensor. */
  public static byte[] bytes(TensorStorage storage) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      storage.writeTo(new DataOutputStream(bytes));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }
}
