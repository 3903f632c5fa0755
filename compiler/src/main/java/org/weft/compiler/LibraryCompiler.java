package org.weft.compiler;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.Supplier;
import org.weft.compiler.cache.CacheKey;
import org.weft.compiler.cache.ImageCodec;
import org.weft.compiler.cache.LibraryCache;
import org.weft.compiler.llvm.CodeGenerator;
import org.weft.compiler.llvm.SideBySide;
import org.weft.compiler.llvm.Target;
import org.weft.compiler.loop.BoundsChecks;
import org.weft.compiler.loop.LoopChecker;
import org.weft.compiler.loop.LoopFunction;
import org.weft.runtime.KernelImage;
import org.weft.runtime.KernelSignature;

/**
 * Requests or loop functions to a library: looked up in memory, then on disk, then lowered and
 * compiled. Equal requests at the same time compile once. Thread-safe.
 */
final class LibraryCompiler {
  static final String LOWER = "lower";
  private static final String CACHE = "cache";

  private final Target target;
  private final boolean check;
  private final Optional<LibraryCache> disk;
  private final CodeGenerator generator;
  private final Map<CacheKey, CompletableFuture<KernelImage>> memory = new ConcurrentHashMap<>();
  private final Map<String, LongAdder> nanos = new LinkedHashMap<>();
  private final LongAdder kernels = new LongAdder();
  private final LongAdder memoryHits = new LongAdder();
  private final LongAdder diskHits = new LongAdder();
  private final LongAdder compiled = new LongAdder();

  LibraryCompiler(CompilerOptions options) {
    target = new Target(options.cpu(), options.optimisation());
    check = options.check();
    disk = options.cacheDirectory().map(LibraryCache::new);
    nanos.put(LOWER, new LongAdder());
    nanos.put(CACHE, new LongAdder());
    for (CodeGenerator.Stage stage : CodeGenerator.Stage.values()) {
      nanos.put(name(stage), new LongAdder());
    }
    generator = new CodeGenerator(target, (stage, time) -> spent(name(stage), time));
  }

  int vectorBits() {
    return target.vectorBits();
  }

  CodeGenerator generator() {
    return generator;
  }

  /**
   * One library with all of {@code lowered}, checked when the options say so.
   *
   * @throws org.weft.error.WeftException COMPILER_FAILURE for illegal loops or an LLVM error
   */
  KernelImage compile(List<LoopFunction> lowered) {
    long start = System.nanoTime();
    lowered.forEach(LoopChecker::check);
    List<LoopFunction> functions = lowered.stream().map(this::guarded).toList();
    CacheKey key = CacheKey.of(functions, target);
    spent(CACHE, System.nanoTime() - start);
    return compile(key, functions.size(), () -> functions);
  }

  /**
   * One library with all of {@code requests}, which {@code lower} makes loops of when no cache has
   * it.
   */
  KernelImage compile(List<KernelRequest> requests, Function<KernelRequest, LoopFunction> lower) {
    long start = System.nanoTime();
    CacheKey key = CacheKey.ofRequests(requests, target, check);
    spent(CACHE, System.nanoTime() - start);
    return compile(
        key, requests.size(), () -> SideBySide.map(requests, lower.andThen(this::guarded)));
  }

  private KernelImage compile(CacheKey key, int count, Supplier<List<LoopFunction>> functions) {
    long start = System.nanoTime();
    kernels.add(count);
    CompletableFuture<KernelImage> mine = new CompletableFuture<>();
    CompletableFuture<KernelImage> first = memory.putIfAbsent(key, mine);
    if (first != null) {
      memoryHits.increment();
      spent(CACHE, System.nanoTime() - start);
      return await(first);
    }
    try {
      Optional<KernelImage> kept =
          disk.flatMap(cache -> cache.find(key))
              .flatMap(bytes -> ImageCodec.decode(bytes, key.sha256(), target.cpu()));
      spent(CACHE, System.nanoTime() - start);
      KernelImage image = kept.orElseGet(() -> generate(functions, key));
      kept.ifPresent(library -> diskHits.increment());
      mine.complete(image);
      return image;
    } catch (RuntimeException | Error e) {
      memory.remove(key, mine);
      mine.completeExceptionally(e);
      throw e;
    }
  }

  /** The function as it is compiled: with checks when the options say so. */
  LoopFunction guarded(LoopFunction function) {
    return check ? BoundsChecks.guard(function) : function;
  }

  private KernelImage generate(Supplier<List<LoopFunction>> lowered, CacheKey key) {
    generator.prepare();
    List<LoopFunction> functions = lowered.get();
    byte[] library = generator.library(functions);
    compiled.increment();
    long start = System.nanoTime();
    List<KernelSignature> signatures = functions.stream().map(LoopFunction::signature).toList();
    KernelImage image = KernelImage.of(library, key.sha256(), target.cpu(), signatures);
    disk.ifPresent(cache -> ImageCodec.encode(image).ifPresent(bytes -> cache.store(key, bytes)));
    spent(CACHE, System.nanoTime() - start);
    return image;
  }

  private static KernelImage await(CompletableFuture<KernelImage> image) {
    try {
      return image.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /** Drops the libraries kept in memory. */
  void forget() {
    memory.clear();
  }

  void spent(String stage, long time) {
    LongAdder adder = nanos.get(stage);
    if (adder == null) {
      throw new IllegalArgumentException("unknown stage " + stage);
    }
    adder.add(time);
  }

  CompileStatistics statistics() {
    Map<String, Double> millis = new LinkedHashMap<>();
    nanos.forEach((stage, time) -> millis.put(stage, time.sum() / 1e6));
    return new CompileStatistics(
        kernels.sum(), memoryHits.sum(), diskHits.sum(), compiled.sum(), millis);
  }

  private static String name(CodeGenerator.Stage stage) {
    return stage.name().toLowerCase(Locale.ROOT);
  }
}
