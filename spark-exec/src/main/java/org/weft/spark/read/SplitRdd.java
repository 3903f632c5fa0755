package org.weft.spark.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.jspecify.annotations.Nullable;
import org.weft.engine.entries.OriginBlock;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * The input splits of one file, a partition for each or for some of them: the blocks of a split,
 * then its statistics unless they are known.
 */
public final class SplitRdd extends RDD<ParsedPart> {
  private static final long serialVersionUID = 1L;
  private static final int TASKS_PER_CORE = 4;
  private static final long MOST_JOINED_ENTRIES = 1L << 21;

  private final FileAccess files;
  private final InputPlan plan;
  private final boolean known;
  private final @Nullable List<List<Integer>> runs;
  private final transient List<List<String>> hosts;

  private SplitRdd(
      SparkContext context,
      FileAccess files,
      InputPlan plan,
      boolean known,
      @Nullable List<List<Integer>> runs) {
    super(
        context,
        CollectionConverters.asScala(List.<org.apache.spark.Dependency<?>>of()).toSeq(),
        ClassTag$.MODULE$.apply(ParsedPart.class));
    this.files = files;
    this.plan = plan;
    this.known = known;
    this.runs = runs;
    this.hosts = hosts(files, plan);
  }

  /** A partition for each split, with its statistics. */
  public static SplitRdd of(SparkContext context, FileAccess files, InputPlan plan) {
    return new SplitRdd(
        context, files, plan, false, each(plan.splits().size(), plan.splits().size()));
  }

  /**
   * Neighbouring splits in one partition where there are many small ones: a task costs some
   * hundredths of a second, in which a core reads some megabytes. At least {@value #TASKS_PER_CORE}
   * partitions per core that is there when the first job starts remain. The statistics are known.
   */
  public static SplitRdd joined(SparkContext context, FileAccess files, InputPlan plan) {
    return new SplitRdd(context, files, plan, true, null);
  }

  /** A partition for each list of numbers of splits. The statistics are known. */
  public static SplitRdd of(
      SparkContext context, FileAccess files, InputPlan plan, List<List<Integer>> splits) {
    return new SplitRdd(context, files, plan, true, splits);
  }

  /** Equally many neighbours in each of some runs. */
  private static List<List<Integer>> each(long splits, int runs) {
    return IntStream.range(0, runs)
        .mapToObj(
            r ->
                IntStream.range((int) (splits * r / runs), (int) (splits * (r + 1) / runs))
                    .boxed()
                    .toList())
        .toList();
  }

  /** Splits by their numbers. */
  private record Run(int index, int[] splits) implements Partition {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public Partition[] getPartitions() {
    List<List<Integer>> all = runs == null ? each(plan.splits().size(), joinedRuns()) : runs;
    return IntStream.range(0, all.size())
        .mapToObj(r -> new Run(r, all.get(r).stream().mapToInt(split -> split).toArray()))
        .toArray(Partition[]::new);
  }

  private int joinedRuns() {
    long fewest =
        Math.max(
            (long) TASKS_PER_CORE * sparkContext().defaultParallelism(),
            plan.header().records().orElse(0) / MOST_JOINED_ENTRIES);
    return (int) Math.min(plan.splits().size(), fewest);
  }

  @Override
  public Seq<String> getPreferredLocations(Partition run) {
    int[] splits = ((Run) run).splits();
    List<String> near = splits.length == 0 ? List.of() : hosts.get(splits[0]);
    return CollectionConverters.asScala(near).toSeq();
  }

  @Override
  public Iterator<ParsedPart> compute(Partition run, TaskContext task) {
    Splits splits = new Splits((Run) run);
    task.addTaskCompletionListener(
        done -> {
          splits.close();
        });
    return CollectionConverters.asScala(splits);
  }

  /** The parts of a run of splits, of which one is open at a time. */
  private final class Splits implements java.util.Iterator<ParsedPart> {
    private final int[] splits;
    private int next;
    private @Nullable BlockReader reader;
    private java.util.Iterator<ParsedPart> parts = Collections.emptyIterator();

    Splits(Run run) {
      this.splits = run.splits();
    }

    @Override
    public boolean hasNext() {
      while (!parts.hasNext() && next < splits.length) {
        close();
        int split = splits[next++];
        BlockReader opened = TensorFiles.read(files, plan, plan.splits().get(split));
        reader = opened;
        parts =
            known
                ? new Blocks(opened, split)
                : new ParsedSplit(opened, split, plan.header().order());
      }
      return parts.hasNext();
    }

    @Override
    public ParsedPart next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      return parts.next();
    }

    void close() {
      try {
        if (reader != null) {
          reader.close();
        }
      } catch (IOException e) {
        throw FileAccess.unavailable(plan.uri(), e);
      }
    }
  }

  /** The blocks of a split alone. */
  private static final class Blocks implements java.util.Iterator<ParsedPart> {
    private final BlockReader reader;
    private long origin;

    Blocks(BlockReader reader, int split) {
      this.reader = reader;
      this.origin = ParsedSplit.firstOrigin(split);
    }

    @Override
    public boolean hasNext() {
      return reader.hasNext();
    }

    @Override
    public ParsedPart next() {
      return ParsedPart.of(new OriginBlock(origin++, reader.next()));
    }
  }

  private static List<List<String>> hosts(FileAccess files, InputPlan plan) {
    List<List<String>> hosts = new ArrayList<>();
    for (InputSplit split : plan.splits()) {
      hosts.add(files.hosts(files.path(split.uri()), split.start()));
    }
    return hosts;
  }
}
