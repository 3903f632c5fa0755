package org.weft.engine.local;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.weft.engine.OutputTarget;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.distributed.Ranges;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/** Parts in this process: as many as wanted, one computed after the other. */
public final class LocalParts implements Parts {
  private final FileAccess files;
  private final Supplier<List<List<Piece>>> made;
  private final boolean keeps;
  private @Nullable List<List<Piece>> kept;

  private LocalParts(FileAccess files, Supplier<List<List<Piece>>> made, boolean keeps) {
    this.files = files;
    this.made = made;
    this.keeps = keeps;
  }

  /** These pieces, part by part. */
  public static LocalParts of(FileAccess files, List<List<Piece>> parts) {
    return new LocalParts(files, () -> parts, false);
  }

  private LocalParts then(Supplier<List<List<Piece>>> next) {
    return new LocalParts(files, next, false);
  }

  private List<List<Piece>> parts() {
    if (!keeps) {
      return made.get();
    }
    List<List<Piece>> known = kept;
    if (known == null) {
      known = made.get();
      kept = known;
    }
    return known;
  }

  @Override
  public Parts map(Step step) {
    return then(
        () -> {
          List<List<Piece>> all = new ArrayList<>();
          for (List<Piece> pieces : parts()) {
            try (MemoryScope scope =
                MemoryScope.root("part " + all.size(), MemorySource.system())) {
              List<Piece> results = new ArrayList<>();
              step.run(all.size(), pieces.iterator(), scope).forEachRemaining(results::add);
              all.add(results);
            }
          }
          return all;
        });
  }

  @Override
  public Parts exchange(List<Parts> others, int parts) {
    return then(
        () -> {
          List<List<Piece>> arrived = new ArrayList<>();
          for (int part = 0; part < parts; part++) {
            arrived.add(new ArrayList<>());
          }
          List<Parts> all = new ArrayList<>(List.of(this));
          all.addAll(others);
          for (Parts sent : all) {
            sent.pieces().forEachRemaining(piece -> arrived.get(piece.part()).add(piece));
          }
          return arrived;
        });
  }

  @Override
  public Parts with(Parts other) {
    return then(
        () -> {
          List<List<Piece>> both = new ArrayList<>();
          List<List<Piece>> theirs = ((LocalParts) other).parts();
          for (List<Piece> mine : parts()) {
            List<Piece> pieces = new ArrayList<>(mine);
            pieces.addAll(theirs.get(both.size()));
            both.add(pieces);
          }
          return both;
        });
  }

  @Override
  public Parts kept() {
    return new LocalParts(files, made, true);
  }

  @Override
  public void release() {
    kept = null;
  }

  @Override
  public TensorStatistics.Builder count(int order) {
    TensorStatistics.Builder counts = TensorStatistics.builder(order);
    pieces().forEachRemaining(piece -> counts.add(piece.entries()));
    return counts;
  }

  @Override
  public Iterator<Piece> pieces() {
    return parts().stream().flatMap(List::stream).iterator();
  }

  @Override
  public void write(OutputTarget out, TensorShape shape, int[] modeOrder, Ranges ranges) {
    Parts.write(files, out, shape, pieces());
  }
}
