package org.weft.compiler.llvm;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/**
 * Work on several things at once: the caller's thread takes the first, the common pool the rest.
 */
public final class SideBySide {
  private SideBySide() {}

  /**
   * What {@code work} makes of each of {@code things}, in their order.
   *
   * @throws RuntimeException that of the first one that fails, when all have ended
   */
  public static <T, R> List<R> map(List<T> things, Function<T, R> work) {
    List<CompletableFuture<R>> others =
        things.stream()
            .skip(1)
            .map(thing -> CompletableFuture.supplyAsync(() -> work.apply(thing)))
            .toList();
    try {
      List<R> results = new ArrayList<>();
      results.add(work.apply(things.get(0)));
      others.forEach(other -> results.add(other.join()));
      return results;
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    } finally {
      others.forEach(other -> other.handle((result, e) -> true).join());
    }
  }
}
