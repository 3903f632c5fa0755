package org.weft.engine;

import java.util.List;
import java.util.Optional;
import org.weft.engine.distributed.StatementRunner;
import org.weft.engine.entries.EntryBlocks;
import org.weft.planner.JobPlan;
import org.weft.planner.job.Job;
import org.weft.planner.machine.Resources;
import org.weft.storage.InputPlan;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * Where tensors lie and kernels run: the threads of this process, or Spark. An {@link Engine} plans
 * and orders; a backend knows nothing of what the passes are for.
 */
public interface Backend extends StatementRunner.Site, AutoCloseable {
  /** Of a split that is worth a task or a turn of a thread. */
  long SPLIT_BYTES = 8L << 20;

  /** Files as everything that runs here sees them. */
  FileAccess files();

  /** What it offers, as the planner counts it. */
  Resources resources();

  /** What it is expected to offer, if {@link #resources} has still to wait for it. */
  default Optional<Resources> expected() {
    return Optional.empty();
  }

  /**
   * Most bytes of a split of a file, so that all cores read until the end.
   *
   * @param fileBytes of the whole file
   * @param blockBytes of a block of the file system, or what is read at a time
   */
  long splitBytes(long fileBytes, long blockBytes);

  /** A place for the measurements of one job. */
  Measurements measurements();

  /**
   * Reads a tensor: every byte is parsed once, entries are kept, statistics come along. A container
   * has been counted when it was written and is not parsed before somebody asks for its entries.
   */
  EngineTensor read(InputPlan plan, ValueType type);

  /** A tensor of entries of this process. */
  EngineTensor of(String name, TensorShape shape, List<CooBlock> entries, ValueType type);

  /** A tensor of what a step makes of the entries of another, where they lie. */
  EngineTensor select(
      EngineTensor tensor, String name, TensorShape shape, EntryBlocks.Step<CooBlock> step);

  /** The passes of {@code plan}, which is for {@code tensor}; nothing is packed yet. */
  Passes open(EngineTensor tensor, JobPlan plan, JobClock clock);

  /** Names the work of this thread to whoever watches it, until the answer is closed. */
  Label label(Job job, String uri);

  /** The error that a failed job means to its user. */
  RuntimeException failure(Exception failure);

  /** Frees what is left when a job has ended, or failed. */
  void sweep();

  /** The engine that owns the backend is closed: all its tensors are. */
  @Override
  void close();

  /** What a job does now. */
  interface Label extends AutoCloseable {
    void describe(String step);

    @Override
    void close();
  }
}
