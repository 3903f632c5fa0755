package org.weft.compiler.program.space;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.weft.compiler.Schedule;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.memory.MachineMemory;
import org.weft.memory.MemoryScope;
import org.weft.memory.NativeArray;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Tensors as storages in one memory scope; an {@link Evaluator} computes them. */
public final class StoredSpace implements TensorSpace {
  private final Evaluator evaluator;
  private final ProgramFiles files;
  private final MemoryScope scope;
  private final Consumer<StatementInput> statements;

  /**
   * @param scope of all storages
   * @param statements takes each statement before it is evaluated
   */
  public StoredSpace(
      Evaluator evaluator,
      ProgramFiles files,
      MemoryScope scope,
      Consumer<StatementInput> statements) {
    this.evaluator = evaluator;
    this.files = files;
    this.scope = scope;
    this.statements = statements;
  }

  /** A tensor of this space. */
  private record Stored(TensorStorage storage) implements ProgramTensor {
    @Override
    public TensorShape shape() {
      return storage.shape();
    }

    @Override
    public ValueType valueType() {
      return storage.format().valueType();
    }

    @Override
    public void close() {
      storage.close();
    }
  }

  private static TensorStorage of(ProgramTensor tensor) {
    return ((Stored) tensor).storage();
  }

  @Override
  public Input read(String uri, Diagonals part, StoredAs stored) {
    return files.read(uri, stored.valueType()).part(part);
  }

  @Override
  public Input entries(ProgramFiles.Entries entries) {
    return entries;
  }

  @Override
  public ProgramTensor store(Input input, StoredAs stored) {
    ProgramFiles.Entries entries = (ProgramFiles.Entries) input;
    return new Stored(
        Packing.pack(
            scope, entries.shape(), stored.of(entries.shape(), entries.count()), entries.blocks()));
  }

  @Override
  public ProgramTensor filled(TensorShape shape, StoredAs stored, Number value) {
    TensorFormat format = stored.parsed();
    boolean zero = value.doubleValue() == 0;
    if (zero && !format.isDense()) {
      CooBlock none = new CooBlock.Builder(shape.order(), 0).build();
      return new Stored(Packing.pack(scope, shape, stored.of(shape, 0), List.of(none)));
    }
    TensorStorage dense = TensorStorage.dense(scope, shape, format.valueType());
    NativeArray values = dense.vals();
    for (long p = 0; !zero && p < values.length(); p++) {
      if (value instanceof Long integer) {
        values.setLong(p, integer);
      } else {
        values.setDouble(p, value.doubleValue());
      }
    }
    return stored(dense, format);
  }

  @Override
  public ProgramTensor random(TensorShape shape, StoredAs stored) {
    TensorFormat format = stored.parsed();
    TensorStorage dense = TensorStorage.dense(scope, shape, format.valueType());
    SplittableRandom random = new SplittableRandom();
    for (long p = 0; p < dense.vals().length(); p++) {
      dense.vals().setDouble(p, random.nextDouble());
    }
    return stored(dense, format);
  }

  /** Row-major cells in {@code format}. */
  private ProgramTensor stored(TensorStorage dense, TensorFormat format) {
    if (format.equals(TensorFormat.dense(dense.shape().order(), format.valueType()))) {
      return new Stored(dense);
    }
    try (dense) {
      return new Stored(evaluator.convert(scope, dense, format));
    }
  }

  @Override
  public int partitions() {
    return 1;
  }

  @Override
  public long availableBytes() {
    return MachineMemory.availableBytes();
  }

  @Override
  public ProgramTensor evaluate(ProgramStatement statement) {
    try (MemoryScope temporary = scope.child("numbers")) {
      Map<String, TensorStorage> operands = new HashMap<>();
      statement.tensors().forEach((name, tensor) -> operands.put(name, of(tensor)));
      statement.numbers().forEach((name, value) -> operands.put(name, number(temporary, value)));
      StatementInput input =
          new StatementInput(
              statement.statement(),
              operands,
              statement.result().parsed(),
              statement.sizes(),
              statement.previous().map(StoredSpace::of),
              Schedule.parallel());
      statements.accept(input);
      return new Stored(evaluator.evaluate(scope, input));
    }
  }

  @Override
  public OptionalLong sharedEntries(ProgramTensor tensor) {
    return OptionalLong.of(of(tensor).storedEntries());
  }

  private static TensorStorage number(MemoryScope scope, Number value) {
    boolean integer = value instanceof Long;
    TensorStorage storage =
        TensorStorage.dense(scope, TensorShape.of(), integer ? ValueType.LONG : ValueType.DOUBLE);
    if (integer) {
      storage.vals().setLong(0, value.longValue());
    } else {
      storage.vals().setDouble(0, value.doubleValue());
    }
    return storage;
  }

  @Override
  public Number scalar(ProgramTensor tensor) {
    NativeArray values = of(tensor).vals();
    return tensor.valueType().elementType().isFloating()
        ? (Number) values.getDouble(0)
        : (Number) values.getLong(0);
  }

  @Override
  public ProgramTensor part(
      ProgramTensor whole, StoredAs stored, List<Optional<CoordinateRange>> ranges) {
    return new Stored(new Selection(evaluator, ranges).of(scope, of(whole), stored.parsed()));
  }

  @Override
  public ProgramTensor replaced(
      ProgramTensor whole,
      ProgramTensor part,
      StoredAs stored,
      List<Optional<CoordinateRange>> ranges) {
    int order = whole.shape().order();
    boolean exact = stored.valueType() == ValueType.LONG;
    CooBlock.Builder entries = new CooBlock.Builder(order, 16, exact);
    NativeArray before = of(whole).vals();
    of(whole)
        .forEachPosition(
            (coordinates, position) -> {
              if (!holds(ranges, coordinates)) {
                add(entries, coordinates, before, position, exact);
              }
            });
    long[] moved = new long[order];
    NativeArray now = of(part).vals();
    of(part)
        .forEachPosition(
            (coordinates, position) -> {
              for (int m = 0; m < order; m++) {
                long coordinate = coordinates[m];
                moved[m] = ranges.get(m).map(r -> r.coordinate(coordinate)).orElse(coordinate);
              }
              add(entries, moved, now, position, exact);
            });
    return new Stored(
        Packing.pack(scope, whole.shape(), of(whole).format(), List.of(entries.build())));
  }

  private static void add(
      CooBlock.Builder entries, long[] coordinates, NativeArray values, long at, boolean exact) {
    if (exact) {
      entries.addLong(coordinates, values.getLong(at));
    } else {
      entries.add(coordinates, values.getDouble(at));
    }
  }

  private static boolean holds(List<Optional<CoordinateRange>> ranges, long[] coordinates) {
    for (int m = 0; m < coordinates.length; m++) {
      if (ranges.get(m).isPresent() && ranges.get(m).get().position(coordinates[m]) < 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public TensorStorage storage(MemoryScope into, ProgramTensor tensor, StoredAs stored) {
    TensorStorage storage = of(tensor);
    return storage.format().pads()
        ? evaluator.convert(into, evaluator.inModeOrder(into, storage), storage.format())
        : storage;
  }

  @Override
  public void write(String uri, ProgramTensor tensor, List<Optional<ModeIdentity>> modes) {
    TensorStorage storage = of(tensor);
    try (MemoryScope temporary = scope.child("written")) {
      TensorStorage entries =
          storage.format().pads() ? evaluator.inModeOrder(temporary, storage) : storage;
      files.write(uri, entries, new ArrayList<>(modes));
    }
  }
}
