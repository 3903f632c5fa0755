package org.weft.it.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.weft.engine.OutputTarget;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.memory.MemoryScope;
import org.weft.planner.distributed.Ranges;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.TensorShape;

/**
 * Parts of which one step, wherever it runs, kills its process when it has handed on its first
 * piece: once, after which the step does what it should.
 *
 * @param parts what does the work
 * @param steps counts the steps that have been added to any of the parts of a statement
 * @param deadly number of the step that kills; none with -1
 * @param marker a file of this machine, which is there when a process has been killed
 */
public record DeadlyParts(Parts parts, AtomicInteger steps, int deadly, Path marker)
    implements Parts {

  private DeadlyParts of(Parts made) {
    return new DeadlyParts(made, steps, deadly, marker);
  }

  private static Parts within(Parts parts) {
    return ((DeadlyParts) parts).parts;
  }

  @Override
  public Parts map(Step step) {
    boolean kills = steps.getAndIncrement() == deadly;
    return of(parts.map(kills ? new DeadlyStep(step, marker.toString()) : step));
  }

  @Override
  public Parts exchange(List<Parts> others, int count) {
    return of(parts.exchange(others.stream().map(DeadlyParts::within).toList(), count));
  }

  @Override
  public Parts with(Parts other) {
    return of(parts.with(within(other)));
  }

  @Override
  public Parts kept() {
    return of(parts.kept());
  }

  @Override
  public void release() {
    parts.release();
  }

  @Override
  public TensorStatistics.Builder count(int order) {
    return parts.count(order);
  }

  @Override
  public Iterator<Piece> pieces() {
    return parts.pieces();
  }

  @Override
  public void write(OutputTarget out, TensorShape shape, int[] modeOrder, Ranges ranges) {
    parts.write(out, shape, modeOrder, ranges);
  }

  /** On an executor. */
  record DeadlyStep(Step step, String marker) implements Step {
    @Override
    public Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope) {
      Iterator<Piece> made = step.run(part, pieces, scope);
      return new DeadlyIterator(made, marker);
    }
  }

  /** Dies when it is asked for what follows the first piece, or for the end if there is none. */
  record DeadlyIterator(Iterator<Piece> pieces, String marker) implements Iterator<Piece> {
    @Override
    public boolean hasNext() {
      boolean more = pieces.hasNext();
      if (!more) {
        die();
      }
      return more;
    }

    @Override
    public Piece next() {
      Piece piece = pieces.next();
      die();
      return piece;
    }

    private void die() {
      try {
        Files.createFile(Path.of(marker));
      } catch (FileAlreadyExistsException e) {
        return;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      Runtime.getRuntime().halt(137);
    }
  }
}
