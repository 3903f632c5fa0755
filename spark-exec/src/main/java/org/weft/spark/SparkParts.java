package org.weft.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.jspecify.annotations.Nullable;
import org.weft.engine.OutputTarget;
import org.weft.engine.distributed.Parts;
import org.weft.engine.distributed.Piece;
import org.weft.engine.entries.OriginBlock;
import org.weft.memory.MemoryScope;
import org.weft.planner.distributed.Ranges;
import org.weft.planner.partition.ModePartitioning;
import org.weft.planner.partition.SliceRange;
import org.weft.spark.kernel.EntryBlock;
import org.weft.spark.output.ResultFile;
import org.weft.spark.read.ParsedPart;
import org.weft.spark.resident.TaskMemory;
import org.weft.spark.wire.PartitionNumber;
import org.weft.spark.wire.PartitionWork;
import org.weft.spark.wire.Wire;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;
import scala.Tuple2;

/** Parts of a tensor of a program, each of which is a partition of an RDD. */
final class SparkParts implements Parts {
  private final JavaSparkContext context;
  private final FileAccess files;
  private final JavaRDD<Piece> pieces;
  private final Wire.@Nullable Kept<Piece> kept;

  private SparkParts(
      JavaSparkContext context,
      FileAccess files,
      JavaRDD<Piece> pieces,
      Wire.@Nullable Kept<Piece> kept) {
    this.context = context;
    this.files = files;
    this.pieces = pieces;
    this.kept = kept;
  }

  /** Parsed entries where they were read. */
  static SparkParts of(JavaSparkContext context, FileAccess files, JavaRDD<ParsedPart> parsed) {
    return new SparkParts(
        context,
        files,
        parsed
            .<OriginBlock>mapPartitions(parts -> new SparkBlocks.Blocks(parts))
            .map(block -> new Piece(0, 0, block.origin(), block.block())),
        null);
  }

  /** Entries of the driver. */
  static SparkParts of(JavaSparkContext context, FileAccess files, List<Piece> pieces) {
    return new SparkParts(context, files, Wire.distribute(context, pieces, 1), null);
  }

  JavaRDD<CooBlock> entries() {
    return pieces.map(Piece::entries);
  }

  private SparkParts then(JavaRDD<Piece> next) {
    return new SparkParts(context, files, next, null);
  }

  @Override
  public Parts map(Step step) {
    return then(
        pieces.mapPartitionsWithIndex(
            (part, some) -> {
              MemoryScope scope = TaskMemory.ofTask().scope();
              return step.run(part, some, scope);
            },
            true));
  }

  @Override
  public Parts exchange(List<Parts> others, int parts) {
    List<JavaRDD<Piece>> all = new ArrayList<>(List.of(pieces));
    others.forEach(other -> all.add(((SparkParts) other).pieces));
    JavaRDD<Piece> united =
        all.size() == 1 ? pieces : context.union(all.toArray(SparkParts::array));
    JavaPairRDD<Integer, Piece> keyed =
        united.mapToPair(piece -> new Tuple2<>(piece.part(), piece));
    return then(Wire.shuffle(keyed, new PartitionNumber(parts), null).map(Tuple2::_2));
  }

  @SuppressWarnings("unchecked")
  private static JavaRDD<Piece>[] array(int length) {
    return (JavaRDD<Piece>[]) new JavaRDD<?>[length];
  }

  @Override
  public Parts with(Parts other) {
    return then(
        pieces.zipPartitions(
            ((SparkParts) other).pieces, (mine, theirs) -> new Both(mine, theirs)));
  }

  /** One iterator after the other. */
  private record Both(Iterator<Piece> first, Iterator<Piece> second) implements Iterator<Piece> {
    @Override
    public boolean hasNext() {
      return first.hasNext() || second.hasNext();
    }

    @Override
    public Piece next() {
      return first.hasNext() ? first.next() : second.next();
    }
  }

  @Override
  public Parts kept() {
    Wire.Kept<Piece> made = Wire.keep(pieces, "");
    return new SparkParts(context, files, made.values(), made);
  }

  @Override
  public void release() {
    if (kept != null) {
      kept.release(false);
    }
  }

  @Override
  public TensorStatistics.Builder count(int order) {
    return Wire.reduce(
        pieces.mapPartitions(
            some -> {
              TensorStatistics.Builder counts = TensorStatistics.builder(order);
              some.forEachRemaining(piece -> counts.add(piece.entries()));
              return List.of(counts).iterator();
            }),
        TensorStatistics.Builder::merge);
  }

  @Override
  public Iterator<Piece> pieces() {
    return Wire.iterator(pieces, PartitionWork.none(), 1);
  }

  @Override
  public void write(OutputTarget out, TensorShape shape, int[] modeOrder, Ranges ranges) {
    if (shape.order() == 0) { // one cell, which no mode divides among tasks
      Parts.write(files, out, shape, pieces());
      return;
    }
    ResultFile file = new ResultFile(files, out, new SparkMeasurements(context.sc()));
    int root = modeOrder[0];
    List<SliceRange> slices = new ArrayList<>();
    for (int part = 0; part < ranges.parts(); part++) {
      if (ranges.length(part) > 0) {
        slices.add(
            new SliceRange(ranges.from(part), ranges.from(part) + ranges.length(part), 0, 1));
      }
    }
    if (slices.isEmpty()) { // a mode without coordinates
      slices.add(new SliceRange(0, shape.size(root), 0, 1));
    }
    JavaRDD<EntryBlock> blocks =
        pieces.mapPartitionsWithIndex((part, some) -> new Numbered(part, ranges, some), false);
    file.writeEntries(
        blocks, shape, modeOrder, new ModePartitioning(root, shape.size(root), slices), true);
  }

  /** The entries of one part, numbered. */
  private static final class Numbered implements Iterator<EntryBlock> {
    private final int part;
    private final Ranges ranges;
    private final Iterator<Piece> pieces;
    private int sequence;

    Numbered(int part, Ranges ranges, Iterator<Piece> pieces) {
      this.part = part;
      this.ranges = ranges;
      this.pieces = pieces;
    }

    @Override
    public boolean hasNext() {
      return pieces.hasNext();
    }

    @Override
    public EntryBlock next() {
      Piece piece = pieces.next();
      return new EntryBlock(ranges.from(part), part, sequence++, false, piece.entries());
    }
  }
}
