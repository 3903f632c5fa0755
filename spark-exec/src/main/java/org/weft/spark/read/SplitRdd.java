package org.weft.spark.read;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.weft.storage.BlockReader;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;
import scala.collection.Iterator;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** The input splits of one file, a partition each: its blocks, then its statistics. */
public final class SplitRdd extends RDD<ParsedPart> {
  private static final long serialVersionUID = 1L;

  private final FileAccess files;
  private final InputPlan plan;
  private final transient List<List<String>> hosts;

  public SplitRdd(SparkContext context, FileAccess files, InputPlan plan) {
    super(
        context,
        CollectionConverters.asScala(List.<org.apache.spark.Dependency<?>>of()).toSeq(),
        ClassTag$.MODULE$.apply(ParsedPart.class));
    this.files = files;
    this.plan = plan;
    this.hosts = hosts(files, plan);
  }

  @Override
  public Partition[] getPartitions() {
    return NumberedPartition.array(plan.splits().size());
  }

  @Override
  public Seq<String> getPreferredLocations(Partition split) {
    return CollectionConverters.asScala(hosts.get(split.index())).toSeq();
  }

  @Override
  public Iterator<ParsedPart> compute(Partition split, TaskContext task) {
    BlockReader reader = TensorFiles.read(files, plan, plan.splits().get(split.index()));
    task.addTaskCompletionListener(
        done -> {
          try {
            reader.close();
          } catch (IOException e) {
            throw FileAccess.unavailable(plan.uri(), e);
          }
        });
    return CollectionConverters.asScala(
        new ParsedSplit(reader, split.index(), plan.header().order()));
  }

  private static List<List<String>> hosts(FileAccess files, InputPlan plan) {
    List<List<String>> hosts = new ArrayList<>();
    for (InputSplit split : plan.splits()) {
      hosts.add(files.hosts(files.path(split.uri()), split.start()));
    }
    return hosts;
  }
}
