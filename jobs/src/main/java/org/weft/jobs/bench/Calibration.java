package org.weft.jobs.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.BoundStatement;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.memory.MachineCaches;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.machine.MachineConstant;
import org.weft.planner.machine.MachineFile;
import org.weft.planner.machine.MachineIdentity;
import org.weft.planner.machine.MachineParameters;
import org.weft.scratch.ScratchFolder;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/**
 * Fits the constants of the cost model on this machine, on one thread: each by the benchmark that
 * {@link MachineConstant#benchmark} names. Some seconds at full scale.
 */
public final class Calibration {
  private static final int ENTRIES = 1_000_000;
  private static final int ROUNDS = 3;
  private static final int COLUMNS = 16;
  private static final int CALL_ENTRIES = 100;
  private static final int CALLS = 2_000;
  private static final int ROW_BYTES = COLUMNS * Double.BYTES;
  private static final int ROW_LENGTH = 16;
  private static final long MODE_SIZE = 10_000;
  private static final long LARGEST_SHARED_BYTES = 16 << 20;

  private final int entries;
  private MachineParameters fitted = MachineParameters.ofThisMachine();
  private final Set<MachineConstant> measured = EnumSet.noneOf(MachineConstant.class);

  /**
   * @param scale share of a million entries
   */
  public Calibration(double scale) {
    entries = (int) Math.max(1_000, Math.min(Integer.MAX_VALUE / 32, ENTRIES * scale));
  }

  /** Measures, and returns the text of a {@link MachineFile}. */
  public String run(Consumer<String> progress) throws IOException {
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost());
        MemoryScope scope = MemoryScope.root("weft bench --calibrate", MemorySource.system())) {
      progress.accept("measure bandwidth and arithmetic");
      Bounds bounds = new Bounds(compiler, scope, List.of(1), ValueType.DOUBLE);
      bounds.measure(ROUNDS);
      Bounds.Rates rates = bounds.rates().values().iterator().next();
      fit(MachineConstant.STREAM, rates.read());
      fit(MachineConstant.FLOPS, rates.flops());
      progress.accept("measure caches");
      fit(MachineConstant.NEAR, rowRate(compiler, scope, (long) fitted.nearCacheBytes() / 2));
      fit(MachineConstant.CACHED, rowRate(compiler, scope, (long) fitted.cacheBytes() / 2));
      long third = MachineCaches.thirdLevelBytes().orElse(0);
      if (third > 4 * fitted.cacheBytes()) {
        long bytes = Math.min(LARGEST_SHARED_BYTES, third / 4);
        fit(MachineConstant.SHARED, rowRate(compiler, scope, bytes));
      }
      progress.accept("measure compilation");
      fit(MachineConstant.COMPILE, compileSeconds(compiler, scope));
      fit(MachineConstant.CALL, callSeconds(compiler, scope));
      progress.accept("measure packing");
      CooBlock block = random(MODE_SIZE, MODE_SIZE, MODE_SIZE);
      fit(MachineConstant.PACKED, entries / packSeconds(scope, block));
      progress.accept("measure writing and parsing");
      measureFiles(block);
    }
    return MachineFile.text(MachineIdentity.ofThisMachine(), fitted, measured);
  }

  private void fit(MachineConstant constant, double value) {
    fitted = fitted.fitted(constant, value);
    measured.add(constant);
  }

  private CooBlock random(long... sizes) {
    SplittableRandom random = new SplittableRandom(7);
    CooBlock.Builder block = new CooBlock.Builder(sizes.length, entries);
    long[] at = new long[sizes.length];
    for (int e = 0; e < entries; e++) {
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = random.nextLong(sizes[mode]);
      }
      block.add(at, random.nextDouble());
    }
    return block.build();
  }

  private static TensorStorage packed(
      MemoryScope scope, CooBlock block, String format, long... sizes) {
    TensorFormat parsed = TensorFormat.parse(format, sizes.length, ValueType.DOUBLE);
    return Packing.pack(scope, TensorShape.of(sizes), parsed, List.of(block));
  }

  /** Bytes of rows per second that a product of matrices reads in random order. */
  private double rowRate(TensorCompiler compiler, MemoryScope parent, long bytes) {
    long rows = Math.max(2, bytes / ROW_BYTES);
    long slices = Math.max(1, entries / ROW_LENGTH);
    MemoryScope scope = parent.child("rows");
    try {
      TensorStorage a = packed(scope, random(slices, rows), "CSR", slices, rows);
      TensorStorage b = TensorStorage.dense(scope, TensorShape.of(rows, COLUMNS), ValueType.DOUBLE);
      TensorStorage y =
          TensorStorage.dense(scope, TensorShape.of(slices, COLUMNS), ValueType.DOUBLE);
      Map<String, TensorStorage> operands = Map.of("A", a, "B", b);
      StatementInput input = StatementInput.of("Y(i,r) = A(i,j) * B(j,r)", operands, y.format());
      try (BoundStatement statement = new Evaluator(compiler, 1).prepare(input).bind(y, operands)) {
        double seconds = best(statement::run);
        double streamed = (a.byteSize() + y.byteSize()) / fitted.streamBytesPerSecond();
        return (double) a.storedEntries() * ROW_BYTES / Math.max(seconds / 10, seconds - streamed);
      }
    } finally {
      scope.close();
    }
  }

  /** Work that is timed. */
  private interface Timed {
    void run() throws IOException;
  }

  private static double seconds(Timed work) throws IOException {
    long start = System.nanoTime();
    work.run();
    return Math.max(1, System.nanoTime() - start) * 1e-9;
  }

  private static double best(Runnable work) {
    double best = Double.POSITIVE_INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
      long start = System.nanoTime();
      work.run();
      best = Math.min(best, Math.max(1, System.nanoTime() - start) * 1e-9);
    }
    return best;
  }

  /** Seconds for a kernel that is new: the median of three ranks. */
  private double compileSeconds(TensorCompiler compiler, MemoryScope parent) {
    MemoryScope scope = parent.child("kernels");
    try {
      TensorStorage t = packed(scope, random(20, 20, 20), "CSF", 20, 20, 20);
      double[] times = new double[ROUNDS];
      for (int round = 0; round < ROUNDS; round++) {
        TensorShape shape = TensorShape.of(20, 9 + round);
        TensorStorage m = TensorStorage.dense(scope, shape, ValueType.DOUBLE);
        TensorStorage b = TensorStorage.dense(scope, shape, ValueType.DOUBLE);
        Map<String, TensorStorage> operands = Map.of("T", t, "B", b, "C", b);
        StatementInput input =
            StatementInput.of("M(i,r) = T(i,j,k) * B(j,r) * C(k,r)", operands, m.format());
        long start = System.nanoTime();
        new Evaluator(compiler, 1).prepare(input).bind(m, operands).close();
        times[round] = (System.nanoTime() - start) * 1e-9;
      }
      Arrays.sort(times);
      return times[ROUNDS / 2];
    } finally {
      scope.close();
    }
  }

  /** Seconds of a call with next to nothing to do: the median of many. */
  private static double callSeconds(TensorCompiler compiler, MemoryScope parent) {
    MemoryScope scope = parent.child("call");
    try {
      CooBlock.Builder entries = new CooBlock.Builder(3, CALL_ENTRIES);
      for (int e = 0; e < CALL_ENTRIES; e++) {
        entries.add(new long[] {e % 10, e / 10, e % 7}, 1);
      }
      TensorStorage t = packed(scope, entries.build(), "CSF", 10, 10, 10);
      TensorShape shape = TensorShape.of(10, COLUMNS);
      TensorStorage m = TensorStorage.dense(scope, shape, ValueType.DOUBLE);
      TensorStorage b = TensorStorage.dense(scope, shape, ValueType.DOUBLE);
      Map<String, TensorStorage> operands = Map.of("T", t, "B", b, "C", b);
      StatementInput input =
          StatementInput.of("M(i,r) = T(i,j,k) * B(j,r) * C(k,r)", operands, m.format());
      try (BoundStatement statement = new Evaluator(compiler, 1).prepare(input).bind(m, operands)) {
        double[] times = new double[CALLS];
        for (int call = 0; call < 2 * CALLS; call++) {
          long start = System.nanoTime();
          statement.run();
          times[call % CALLS] = (System.nanoTime() - start) * 1e-9;
        }
        Arrays.sort(times);
        return times[CALLS / 2];
      }
    } finally {
      scope.close();
    }
  }

  private static double packSeconds(MemoryScope parent, CooBlock block) {
    return best(
        () -> {
          MemoryScope scope = parent.child("pack");
          try {
            packed(scope, block, "CSF", MODE_SIZE, MODE_SIZE, MODE_SIZE);
          } finally {
            scope.close();
          }
        });
  }

  /** Writes entries to a file of the local disk and reads them back; the best of the rounds. */
  private void measureFiles(CooBlock block) throws IOException {
    FileAccess files = FileAccess.plain();
    Path folder = ScratchFolder.newFolder("calibrate");
    Path file = folder.resolve("entries.tns");
    WriteOptions options =
        WriteOptions.defaults().withShape(TensorShape.of(MODE_SIZE, MODE_SIZE, MODE_SIZE));
    double write = Double.POSITIVE_INFINITY;
    double parse = Double.POSITIVE_INFINITY;
    double bytes = 0;
    try {
      for (int round = 0; round < ROUNDS; round++) {
        write =
            Math.min(
                write,
                seconds(
                    () -> {
                      try (TensorOutput out =
                          TensorFiles.create(files, file.toString(), true, 3, options)) {
                        out.write(block);
                        out.commit();
                      }
                    }));
        bytes = Files.size(file);
        parse =
            Math.min(
                parse,
                seconds(
                    () ->
                        TensorFiles.readAll(
                            files,
                            TensorFiles.open(
                                files, file.toString(), ReadOptions.defaults(), Long.MAX_VALUE))));
      }
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
    fit(MachineConstant.WRITTEN, bytes / write);
    fit(MachineConstant.PARSED, bytes / parse);
  }
}
