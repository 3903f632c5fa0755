package org.weft.compiler.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.llvm.Target;
import org.weft.compiler.loop.ExampleKernels;
import org.weft.tensor.Width;

class LibraryCacheTest {
  private static final CacheKey KEY = new CacheKey("ab12");
  private static final byte[] LIBRARY = {1, 2, 3, 4, 5, 6, 7, 8, 9};

  @TempDir Path folder;

  @Test
  void findsWhatWasStored() throws IOException {
    LibraryCache cache = new LibraryCache(folder.resolve("made/when/needed"));
    assertThat(cache.find(KEY)).isEmpty();
    cache.store(KEY, LIBRARY);
    cache.store(KEY, LIBRARY);
    assertThat(cache.find(KEY)).contains(LIBRARY);
    assertThat(new LibraryCache(folder.resolve("made/when/needed")).find(KEY)).contains(LIBRARY);
    try (Stream<Path> files = Files.list(folder.resolve("made/when/needed"))) {
      assertThat(files).as("no temporary file stays").hasSize(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 9, 30, 41, 48})
  void damagedFilesCountAsAbsent(int at) throws IOException {
    LibraryCache cache = new LibraryCache(folder);
    cache.store(KEY, LIBRARY);
    Path file = folder.resolve("ab12.weftlib");
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 0x10;
    Files.write(file, bytes);
    assertThat(cache.find(KEY)).isEmpty();
    Files.write(file, java.util.Arrays.copyOf(bytes, at));
    assertThat(cache.find(KEY)).isEmpty();
    cache.store(KEY, LIBRARY);
    assertThat(cache.find(KEY)).contains(LIBRARY);
  }

  /** The cache's folder is a file: nothing is kept, and nothing fails. */
  @Test
  void anUnusableFolderOnlyMisses() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    LibraryCache cache = new LibraryCache(file);
    cache.store(KEY, LIBRARY);
    assertThat(cache.find(KEY)).isEmpty();
  }

  @Test
  void keysDifferWhereCodeDiffers() {
    Target v3 = new Target("x86-64-v3", 3);
    List<CacheKey> keys =
        List.of(
            CacheKey.of(List.of(ExampleKernels.spmv(true)), v3),
            CacheKey.of(List.of(ExampleKernels.spmv(false)), v3),
            CacheKey.of(List.of(ExampleKernels.spmv(true)), new Target("x86-64-v2", 3)),
            CacheKey.of(List.of(ExampleKernels.spmv(true)), new Target("x86-64-v3", 2)),
            CacheKey.of(List.of(ExampleKernels.filter(Width.W8)), v3),
            CacheKey.of(List.of(ExampleKernels.filter(Width.W16)), v3),
            CacheKey.of(List.of(ExampleKernels.spmv(true), ExampleKernels.filter(Width.W8)), v3));
    assertThat(keys).doesNotHaveDuplicates();
    assertThat(CacheKey.of(List.of(ExampleKernels.spmv(true)), v3)).isEqualTo(keys.get(0));
  }
}
