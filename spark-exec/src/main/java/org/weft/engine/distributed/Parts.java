package org.weft.engine.distributed;

import java.io.IOException;
import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.weft.engine.OutputTarget;
import org.weft.memory.MemoryScope;
import org.weft.planner.distributed.Ranges;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;

/**
 * Pieces of tensors in numbered parts, wherever these are. Nothing runs before somebody asks for
 * the pieces: a part that is lost, or asked for again, is made again from what it was made of.
 */
public interface Parts {
  /** What is done to one part; travels to it. */
  @FunctionalInterface
  interface Step extends Serializable {
    /**
     * @param part the number of the part
     * @param scope for storages while the step runs; they are freed with the task
     */
    Iterator<Piece> run(int part, Iterator<Piece> pieces, MemoryScope scope);
  }

  /** Every part after {@code step}. */
  Parts map(Step step);

  /**
   * These pieces, those of {@code others} and no more, each in the part that it is addressed to.
   */
  Parts exchange(List<Parts> others, int parts);

  /** The pieces of both, part by part; both have been exchanged into as many parts. */
  Parts with(Parts other);

  /** These parts, which stay where they are made until they are released. */
  Parts kept();

  /** Frees what {@link #kept} holds. */
  void release();

  /** Statistics of the entries, which are of {@code order}; computes them. */
  TensorStatistics.Builder count(int order);

  /** All pieces, part by part; memory of the caller: a part. */
  Iterator<Piece> pieces();

  /**
   * Writes the entries as a tensor.
   *
   * @param modeOrder modes in the order by which the entries of every part are sorted
   * @param ranges of the first of them, one for each part
   */
  void write(OutputTarget out, TensorShape shape, int[] modeOrder, Ranges ranges);

  /** Writes the entries as a tensor in this process, one piece after the other. */
  static void write(FileAccess files, OutputTarget out, TensorShape shape, Iterator<Piece> pieces) {
    WriteOptions options = out.options().withShape(shape);
    try (TensorOutput made =
        TensorFiles.create(files, out.uri(), out.overwrite(), shape.order(), options)) {
      while (pieces.hasNext()) {
        made.write(pieces.next().entries());
      }
      made.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(out.uri(), e);
    }
  }
}
