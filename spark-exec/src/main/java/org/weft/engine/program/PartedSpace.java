package org.weft.engine.program;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.weft.compiler.eval.LabelledStatement;
import org.weft.compiler.program.space.CommonModes;
import org.weft.compiler.program.space.CoordinateRange;
import org.weft.compiler.program.space.Diagonals;
import org.weft.compiler.program.space.ModeIdentity;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.compiler.program.space.ProgramStatement;
import org.weft.compiler.program.space.ProgramTensor;
import org.weft.compiler.program.space.StoredAs;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.engine.Engine;
import org.weft.engine.EngineTensor;
import org.weft.engine.OutputTarget;
import org.weft.engine.PlacedTensor;
import org.weft.engine.Placement;
import org.weft.engine.ProgressListener;
import org.weft.engine.StatementJob;
import org.weft.engine.StatementOperand;
import org.weft.engine.StatementResult;
import org.weft.engine.distributed.Box;
import org.weft.engine.distributed.Piece;
import org.weft.engine.distributed.Steps;
import org.weft.memory.MemoryScope;
import org.weft.planner.machine.Resources;
import org.weft.storage.ContainerOptions;
import org.weft.storage.ReadOptions;
import org.weft.storage.WriteOptions;
import org.weft.storage.model.MatchedLabels;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * The tensors of a program in the parts of an engine. Every statement is planned by statistics of
 * its operands and computed where these lie; what a statement computes stays there. Numbers, and
 * tensors that the program prints, come to this process.
 */
public final class PartedSpace implements TensorSpace {
  private final Engine engine;
  private final Placement placement;
  private final Files files;
  private final Plans plans;

  /** Files as the command knows them. */
  public interface Files {
    /** Paths alone: no options, no names of modes; an output that exists is refused. */
    Files PLAIN =
        new Files() {
          @Override
          public ReadOptions readOptions(String uri) {
            return ReadOptions.defaults();
          }

          @Override
          public List<Optional<ModeIdentity>> modes(String uri, int order) {
            return List.of();
          }

          @Override
          public OutputTarget output(
              String uri, ValueType type, List<Optional<ModeIdentity>> modes) {
            ContainerOptions typed = ContainerOptions.defaults().withValueType(type);
            return new OutputTarget(uri, false, WriteOptions.defaults().withContainer(typed));
          }
        };

    ReadOptions readOptions(String uri);

    /** What the modes of a file stand for, or empty if it says nothing. */
    List<Optional<ModeIdentity>> modes(String uri, int order);

    /** Where a tensor with values of {@code type} goes. */
    OutputTarget output(String uri, ValueType type, List<Optional<ModeIdentity>> modes);
  }

  /** Whoever looks at plans. */
  public interface Plans {
    /** Nobody does; files are written. */
    Plans NONE =
        new Plans() {
          @Override
          public boolean writes() {
            return true;
          }

          @Override
          public boolean measures() {
            return false;
          }

          @Override
          public void evaluated(LabelledStatement statement, StatementResult result) {}
        };

    /** Whether files are written. */
    boolean writes();

    /** Whether the steps of statements are measured. */
    boolean measures();

    /** Takes what {@code statement} has computed, with its plan. */
    void evaluated(LabelledStatement statement, StatementResult result);
  }

  /**
   * @param engine borrowed
   */
  public PartedSpace(Engine engine, Files files, Plans plans) {
    this.engine = engine;
    this.placement = engine.statements().placement();
    this.files = files;
    this.plans = plans;
  }

  /** What was read, in parts. */
  private record Read(
      Placement placement,
      PlacedTensor tensor,
      boolean declaresShape,
      List<Optional<ModeIdentity>> modes)
      implements Input {
    @Override
    public TensorShape shape() {
      return tensor.shape();
    }

    @Override
    public Input within(TensorShape shape) {
      return new Read(placement, tensor.within(shape), true, modes);
    }

    @Override
    public Input at(CommonModes.Places common) {
      PlacedTensor moved =
          common.stay()
              ? tensor.within(common.shape())
              : placement.mapped(
                  tensor, common.shape(), Steps.moved(new MatchedLabels.Moves(common.places())));
      return new Read(placement, moved, declaresShape, common.modes());
    }
  }

  /** A tensor of this space. */
  private record Parted(PlacedTensor tensor, StoredAs stored) implements ProgramTensor {
    @Override
    public TensorShape shape() {
      return tensor.shape();
    }

    @Override
    public ValueType valueType() {
      return stored.valueType();
    }

    @Override
    public void close() {
      tensor.close();
    }
  }

  private static Parted of(ProgramTensor tensor) {
    return (Parted) tensor;
  }

  @Override
  public Input read(String uri, Diagonals part, StoredAs stored) {
    EngineTensor all = engine.read(uri, files.readOptions(uri), stored.valueType());
    int order = all.originalStatistics().shape().order();
    PlacedTensor placed = placement.of(all);
    boolean whole = part.equals(Diagonals.ALL) || order != 2;
    return new Read(
        placement,
        whole
            ? placed
            : placement.mapped(placed, placed.shape(), Steps.diagonals(part.least(), part.most())),
        all.declaresShape(),
        files.modes(uri, order));
  }

  @Override
  public Input entries(ProgramFiles.Entries entries) {
    return new Read(
        placement,
        placement.of("entries", entries.shape(), entries.blocks()),
        entries.declaresShape(),
        entries.modes());
  }

  @Override
  public ProgramTensor store(Input input, StoredAs stored) {
    PlacedTensor read = ((Read) input).tensor();
    return new Parted(stored.valueType() == ValueType.FLOAT ? cast(read, stored) : read, stored);
  }

  /** The values in the type that the tensor is declared with. */
  private PlacedTensor cast(PlacedTensor tensor, StoredAs stored) {
    return placement.mapped(tensor, tensor.shape(), Steps.cast(stored.valueType()));
  }

  @Override
  public ProgramTensor filled(TensorShape shape, StoredAs stored, Number filled) {
    Number value =
        switch (stored.valueType()) {
          case LONG -> (Number) filled.longValue();
          case FLOAT -> (Number) filled.floatValue();
          default -> (Number) filled.doubleValue();
        };
    boolean none = value.doubleValue() == 0 && !stored.parsed().isDense();
    return new Parted(
        none ? placement.of("zeros", shape, List.of()) : placement.filled("cells", shape, value),
        stored);
  }

  @Override
  public ProgramTensor random(TensorShape shape, StoredAs stored) {
    PlacedTensor cells = placement.random("random", shape, new SplittableRandom().nextLong());
    return store(new Read(placement, cells, true, List.of()), stored);
  }

  @Override
  public int partitions() {
    return placement.partitions();
  }

  @Override
  public long availableBytes() {
    Resources resources = engine.resources();
    return resources.executors() * resources.memoryBytesPerExecutor();
  }

  @Override
  public ProgramTensor evaluate(ProgramStatement statement) {
    Map<String, StatementOperand> tensors = new HashMap<>();
    Map<String, String> formats = new HashMap<>();
    statement
        .tensors()
        .forEach(
            (name, tensor) -> {
              tensors.put(name, of(tensor).tensor());
              formats.put(name, of(tensor).stored().format());
            });
    formats.put(statement.labelled().result(), statement.result().format());
    StatementJob job =
        new StatementJob(
            statement.labelled(),
            tensors,
            statement.numbers(),
            statement.previous().map(previous -> of(previous).tensor()),
            formats,
            statement.sizes(),
            type(statement),
            "",
            Optional.empty());
    PlacedTensor result = kept(job);
    if (job.type() == statement.result().valueType()) {
      return new Parted(result, statement.result());
    }
    try (result) {
      return new Parted(cast(result, statement.result()), statement.result());
    }
  }

  private PlacedTensor kept(StatementJob job) {
    StatementResult result =
        plans.measures()
            ? engine.statements().analyze(job, ProgressListener.NONE)
            : engine.statements().evaluate(job, ProgressListener.NONE);
    PlacedTensor kept = result.kept();
    plans.evaluated(job.statement(), result);
    return kept;
  }

  /** The type that a statement is computed in: the widest of its tensors and numbers. */
  private static ValueType type(ProgramStatement statement) {
    return Stream.of(
            Stream.of(statement.result().valueType()),
            statement.tensors().values().stream().map(ProgramTensor::valueType),
            statement.numbers().values().stream()
                .map(number -> number instanceof Long ? ValueType.LONG : ValueType.DOUBLE))
        .flatMap(types -> types)
        .reduce(PartedSpace::wider)
        .orElseThrow();
  }

  private static ValueType wider(ValueType first, ValueType other) {
    if (first.elementType().isFloating() != other.elementType().isFloating()) {
      return first.elementType().isFloating() ? first : other;
    }
    return first.elementType().bytes() >= other.elementType().bytes() ? first : other;
  }

  @Override
  public Number scalar(ProgramTensor tensor) {
    double sum = 0;
    long whole = 0;
    for (Iterator<Piece> pieces = of(tensor).tensor().parts().pieces(); pieces.hasNext(); ) {
      CooBlock block = pieces.next().entries();
      for (int e = 0; e < block.size(); e++) {
        sum += block.value(e);
        whole += block.hasLongValues() ? block.longValue(e) : (long) block.value(e);
      }
    }
    return tensor.valueType().elementType().isFloating() ? (Number) sum : (Number) whole;
  }

  @Override
  public ProgramTensor part(
      ProgramTensor whole, StoredAs stored, List<Optional<CoordinateRange>> ranges) {
    Box box = box(whole.shape(), ranges);
    return new Parted(placement.mapped(of(whole).tensor(), box.shape(), box.taken()), stored);
  }

  @Override
  public ProgramTensor replaced(
      ProgramTensor whole,
      ProgramTensor part,
      StoredAs stored,
      List<Optional<CoordinateRange>> ranges) {
    Box box = box(whole.shape(), ranges);
    return new Parted(placement.replaced(of(whole).tensor(), of(part).tensor(), box), stored);
  }

  private static Box box(TensorShape shape, List<Optional<CoordinateRange>> ranges) {
    int order = shape.order();
    long[] starts = new long[order];
    long[] steps = new long[order];
    long[] counts = new long[order];
    for (int m = 0; m < order; m++) {
      long size = shape.size(m);
      CoordinateRange range = ranges.get(m).orElseGet(() -> new CoordinateRange(0, 1, size));
      starts[m] = range.start();
      steps[m] = range.step();
      counts[m] = range.count();
    }
    return new Box(starts, steps, counts);
  }

  @Override
  public TensorStorage storage(MemoryScope scope, ProgramTensor tensor, StoredAs stored) {
    Parted parted = of(tensor);
    if (!stored.parsed().pads()) {
      return packed(scope, parted.tensor(), stored);
    }
    try (PlacedTensor copied = copied(parted)) {
      return packed(scope, copied, stored);
    }
  }

  private static TensorStorage packed(MemoryScope scope, PlacedTensor placed, StoredAs stored) {
    List<CooBlock> blocks = new ArrayList<>();
    placed.parts().pieces().forEachRemaining(piece -> blocks.add(piece.entries()));
    long entries = blocks.stream().mapToLong(CooBlock::size).sum();
    return Packing.pack(scope, placed.shape(), stored.of(placed.shape(), entries), blocks);
  }

  @Override
  public void write(String uri, ProgramTensor tensor, List<Optional<ModeIdentity>> modes) {
    Parted parted = of(tensor);
    if (!plans.writes()) {
      return;
    }
    OutputTarget out = files.output(uri, parted.valueType(), modes);
    Optional<PlacedTensor.Sorted> sorted = parted.tensor().sorted();
    if (sorted.isPresent() && !parted.stored().parsed().pads()) {
      placement.write(parted.tensor(), out);
      return;
    }
    try (PlacedTensor copied = copied(parted)) {
      placement.write(copied, out);
    }
  }

  /** Its entries in order, each once; without zeros if its format pads. */
  private PlacedTensor copied(Parted parted) {
    LabelledStatement copy = copy(parted.shape().order());
    String format = parted.stored().format();
    StatementJob job =
        new StatementJob(
            copy,
            Map.of("Source", parted.tensor()),
            Map.of(),
            Optional.empty(),
            Map.of("Source", format, copy.result(), format),
            Map.of(),
            parted.valueType(),
            "",
            Optional.empty());
    return kept(job);
  }

  private static LabelledStatement copy(int order) {
    String labels = String.join(",", IntStream.range(0, order).mapToObj(m -> "i" + m).toList());
    return LabelledStatement.parse("Copy(" + labels + ") = Source(" + labels + ")");
  }
}
