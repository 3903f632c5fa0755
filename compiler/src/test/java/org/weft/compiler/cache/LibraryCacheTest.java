package org.weft.compiler.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.llvm.Target;
import org.weft.compiler.loop.ExampleKernels;
import org.weft.runtime.KernelImage;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;
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

  /** A folder in the place of the file stands for whatever the system may refuse. */
  @Test
  void aWarningHasTheSystemsWordsAndNoNamesOfClasses() throws IOException {
    Path inTheWay = folder.resolve("ab12.weftlib");
    Files.createDirectories(inTheWay.resolve("full"));
    List<String> said = warnings(() -> new LibraryCache(folder).store(KEY, LIBRARY));
    assertThat(said)
        .singleElement()
        .asString()
        .contains("the kernel cache", "ab12.weftlib: Is a directory; WEFT_KERNEL_CACHE")
        .doesNotContain("Exception");
  }

  private static List<String> warnings(Runnable work) {
    List<String> said = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord line) {
            said.add(new SimpleFormatter().formatMessage(line));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger log = Logger.getLogger(LibraryCache.class.getName());
    log.addHandler(handler);
    try {
      work.run();
    } finally {
      log.removeHandler(handler);
    }
    return said;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 5, 9, 11, 12, 20})
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

  /** A lookup and a store that fail for one reason, as in a home that may not be read. */
  @Test
  void anUnusableFolderIsSaidOnce() throws IOException {
    Path below = Files.createFile(folder.resolve("file")).resolve("kernels");
    LibraryCache cache = new LibraryCache(below);
    List<String> said =
        warnings(
            () -> {
              assertThat(cache.find(KEY)).isEmpty();
              cache.store(KEY, LIBRARY);
              assertThat(new LibraryCache(below).find(KEY)).isEmpty();
            });
    assertThat(said).singleElement().asString().contains(below + " is not used");
  }

  private static void chmod(Path file, String permissions) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  @Test
  void theFolderIsMadeForItsUserAlone() throws IOException {
    Path made = folder.resolve("made/here");
    new LibraryCache(made).store(KEY, LIBRARY);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(made)))
        .isEqualTo("rwx------");
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(made.resolve("ab12.weftlib"))))
        .isEqualTo("rw-------");
  }

  @ParameterizedTest
  @CsvSource({
    "rwx------, rw-------, true",
    "rwxr-xr-x, rw-r--r--, true",
    "rwxrwx---, rw-------, false",
    "rwx----w-, rw-------, false",
    "rwxrwxrwx, rw-------, false",
    "rwx------, rw--w----, false",
    "rwx------, rw-rw-rw-, false"
  })
  void whatOthersCanWriteToIsNotRead(String directory, String file, boolean found)
      throws IOException {
    LibraryCache cache = new LibraryCache(folder);
    cache.store(KEY, LIBRARY);
    chmod(folder.resolve("ab12.weftlib"), file);
    chmod(folder, directory);
    assertThat(cache.find(KEY).isPresent()).isEqualTo(found);
    chmod(folder, "rwx------");
    cache.store(KEY, LIBRARY);
    assertThat(cache.find(KEY)).as("stored anew").contains(LIBRARY);
    chmod(folder, "rwxrwxrwx");
    cache.store(new CacheKey("cd34"), LIBRARY);
    chmod(folder, "rwx------");
    assertThat(cache.find(new CacheKey("cd34")).isPresent())
        .as("stored where others can write")
        .isEqualTo(false);
  }

  @Test
  void nothingIsReadThroughLinks() throws IOException {
    Path real = folder.resolve("real");
    LibraryCache cache = new LibraryCache(real);
    cache.store(KEY, LIBRARY);
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);
    LibraryCache behind = new LibraryCache(link);
    assertThat(behind.find(KEY)).isEmpty();
    behind.store(new CacheKey("cd34"), LIBRARY);
    assertThat(real.resolve("cd34.weftlib")).doesNotExist();
    Path file = real.resolve("ab12.weftlib");
    Path moved = Files.move(file, folder.resolve("elsewhere"));
    Files.createSymbolicLink(file, moved);
    assertThat(cache.find(KEY)).isEmpty();
    cache.store(KEY, LIBRARY);
    assertThat(cache.find(KEY)).contains(LIBRARY);
    assertThat(file).isRegularFile().satisfies(f -> assertThat(f).isNotEqualTo(moved));
    Files.delete(file);
    Files.createDirectory(file);
    assertThat(cache.find(KEY)).isEmpty();
  }

  @Test
  void anotherUsersFolderIsNotRead() throws IOException {
    new LibraryCache(folder).store(KEY, LIBRARY);
    UserPrincipal owner = Files.getOwner(folder);
    assertThat(new PrivateFolder(folder, owner).read("ab12.weftlib")).isNotEmpty();
    UserPrincipal other =
        new UserPrincipal() {
          @Override
          public String getName() {
            return "somebody-else";
          }
        };
    PrivateFolder theirs = new PrivateFolder(folder, other);
    assertThatThrownBy(() -> theirs.read("ab12.weftlib"))
        .isInstanceOf(PrivateFolder.UntrustedException.class)
        .hasMessageContaining("belongs to " + owner.getName());
    assertThatThrownBy(theirs::create).isInstanceOf(PrivateFolder.UntrustedException.class);
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

  /** Everything that lowering or code generation reads is in the key of a request. */
  @Test
  void keysDifferWhereRequestsDiffer() {
    Target v3 = new Target("x86-64-v3", 3);
    TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
    Map<String, TensorFormat> formats =
        Map.of("y", vector(ValueType.DOUBLE), "A", csr, "x", vector(ValueType.DOUBLE));
    KernelRequest request =
        new KernelRequest(
            "k", "y(i) = A(i,j) * x(j)", formats, Map.of("j", 8L), Schedule.sequential());
    Map<String, TensorFormat> floats = new HashMap<>(formats);
    floats.put("x", vector(ValueType.FLOAT));
    Map<String, TensorFormat> narrow = new HashMap<>(formats);
    narrow.put("A", TensorFormat.parse("CSR[32,16]", 2, ValueType.DOUBLE));
    Map<String, TensorFormat> columns = new HashMap<>(formats);
    columns.put("A", TensorFormat.parse("CSR@1,0", 2, ValueType.DOUBLE));
    List<KernelRequest> different =
        List.of(
            request,
            request.withSchedule(Schedule.parallel()),
            request.withSchedule(Schedule.parse("unroll(j,4)")),
            request.withSchedule(Schedule.parse("unroll(j,2)")),
            with("other", "y(i) = A(i,j) * x(j)", formats, Map.of("j", 8L)),
            with("k", "y(i) += A(i,j) * x(j)", formats, Map.of("j", 8L)),
            with("k", "y(i) = A(i,j) * x(j)", formats, Map.of("j", 9L)),
            with("k", "y(i) = A(i,j) * x(j)", formats, Map.of()),
            with("k", "y(i) = A(i,j) * x(j)", floats, Map.of("j", 8L)),
            with("k", "y(i) = A(i,j) * x(j)", narrow, Map.of("j", 8L)),
            with("k", "y(i) = A(i,j) * x(j)", columns, Map.of("j", 8L)));
    List<CacheKey> keys = new ArrayList<>();
    different.forEach(each -> keys.add(CacheKey.ofRequests(List.of(each), v3, false)));
    keys.add(CacheKey.ofRequests(List.of(request), v3, true));
    keys.add(CacheKey.ofRequests(List.of(request), new Target("x86-64-v2", 3), false));
    keys.add(CacheKey.ofRequests(List.of(request), new Target("x86-64-v3", 1), false));
    keys.add(CacheKey.ofRequests(different.subList(0, 2), v3, false));
    assertThat(keys).doesNotHaveDuplicates();
    assertThat(CacheKey.ofRequests(List.of(request), v3, false)).isEqualTo(keys.get(0));
  }

  private static TensorFormat vector(ValueType type) {
    return TensorFormat.dense(1, type);
  }

  private static KernelRequest with(
      String symbol,
      String expression,
      Map<String, TensorFormat> formats,
      Map<String, Long> sizes) {
    return new KernelRequest(symbol, expression, formats, sizes, Schedule.sequential());
  }

  @Test
  void imagesReadBack() {
    KernelImage image =
        KernelImage.of(
            LIBRARY,
            "identity",
            "x86-64-v3",
            List.of(
                ExampleKernels.mttkrp(4, 16, true).signature(),
                ExampleKernels.filter(Width.W8).signature()));
    byte[] bytes = ImageCodec.encode(image).orElseThrow();
    assertThat(ImageCodec.decode(bytes, "identity", "x86-64-v3")).contains(image);
    for (int length = 0; length < bytes.length; length++) {
      assertThat(ImageCodec.decode(Arrays.copyOf(bytes, length), "identity", "x86-64-v3"))
          .isEmpty();
    }
    assertThat(ImageCodec.decode(Arrays.copyOf(bytes, bytes.length + 1), "identity", "x86-64-v3"))
        .isEmpty();
    byte[] foreign = new byte[64];
    Arrays.fill(foreign, (byte) 0x7f);
    assertThat(ImageCodec.decode(foreign, "identity", "x86-64-v3")).isEmpty();
  }
}
