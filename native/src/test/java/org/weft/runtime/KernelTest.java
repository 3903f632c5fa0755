package org.weft.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MachineMemory;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.runtime.TensorParameter.Role;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/** Calls kernels written in C: what a compiled kernel may do, and what it may do wrong. */
class KernelTest {
  private static final String SOURCE =
      """
      #include <math.h>
      #include "weft_runtime.h"

      typedef struct { const int64_t *args; int64_t chunks; } squares_task;

      // y(i) = sqrt(x(i)) * s, in 4 * threads chunks: slots 3 size, 4 x, 5 y, 6 s
      static void squares_chunk(void *ctx, int64_t task) {
        const squares_task *t = ctx;
        int64_t n = t->args[3];
        const double *x = (const double *)t->args[4];
        double *y = (double *)t->args[5];
        union { int64_t bits; double value; } s = {t->args[6]};
        for (int64_t i = n * task / t->chunks; i < n * (task + 1) / t->chunks; i++)
          y[i] = sqrt(x[i]) * s.value;
      }
      void roots(int64_t *args) {
        const weft_runtime *runtime = (const weft_runtime *)args[0];
        squares_task t = {args, runtime->threads * 4};
        runtime->parallel_for(runtime, t.chunks, squares_chunk, &t);
      }

      // y = the even coordinates below the mode size of y as a CSF vector; 8-bit coordinates.
      // slots 3 mode size, 4 positions, 5 pos, 6 crd, 7 vals; fails as `mode` says half-way
      static void evens(int64_t *args, int64_t mode) {
        const weft_runtime *rt = (const weft_runtime *)args[0];
        int64_t n = 0, capacity = 0;
        uint8_t *crd = 0;
        double *vals = 0;
        for (int64_t i = 0; i < args[3]; i += 2) {
          if (n == capacity) {
            int64_t wider = capacity ? 2 * capacity : 4;
            args[6] = (int64_t)(crd = rt->grow(crd, capacity, wider));
            args[7] = (int64_t)(vals = rt->grow(vals, capacity * 8, wider * 8));
            capacity = wider;
          }
          if (i > 255) {
            args[1] = WEFT_WIDTH_OVERFLOW;
            args[2] = 0;
            return;
          }
          if (mode && i > args[3] / 2) {
            args[1] = mode;
            args[2] = 17;
            return;
          }
          crd[n] = (uint8_t)i;
          vals[n++] = 0.5 * (double)i;
        }
        int64_t *pos = rt->alloc(16);
        pos[0] = 0;
        pos[1] = n;
        args[4] = n;
        args[5] = (int64_t)pos;
      }
      void evens_well(int64_t *args) { evens(args, 0); }
      void evens_no_memory(int64_t *args) { evens(args, WEFT_OUT_OF_MEMORY); }
      void evens_bounds(int64_t *args) { evens(args, WEFT_BOUNDS); }
      void evens_unknown(int64_t *args) { evens(args, 99); }
      void evens_huge(int64_t *args) {
        const weft_runtime *rt = (const weft_runtime *)args[0];
        void *huge = rt->alloc(args[3] << 20);
        if (huge) rt->release(huge, args[3] << 20);
        else args[1] = WEFT_OUT_OF_MEMORY;
      }
      void evens_nothing(int64_t *args) { (void)args; }
      void evens_null(int64_t *args) { evens(args, 0); ((const weft_runtime *)args[0])->release((void *)args[6], 0); args[6] = 0; }
      void evens_negative(int64_t *args) { evens(args, 0); args[4] = -1; }
      """;

  private static final TensorFormat VECTOR = TensorFormat.dense(1, ValueType.DOUBLE);
  private static final TensorFormat NARROW =
      TensorFormat.csf(1, ValueType.DOUBLE).withWidths(Width.W64, Width.W8);

  private static KernelLibrary library;

  private MemoryScope scope;
  private NativeRuntime.Statistics before;

  @BeforeAll
  static void compile() {
    library =
        KernelLibrary.open(
            KernelImage.of(CLibrary.compile(SOURCE), "source", "x86-64-v2", List.of()));
  }

  @BeforeEach
  void open() {
    scope = MemoryScope.root("test", MemorySource.system());
    before = NativeRuntime.statistics();
  }

  @AfterEach
  void nothingLeaks() {
    scope.close();
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(before.liveBlocks());
    assertThat(NativeRuntime.statistics().liveBytes()).isEqualTo(before.liveBytes());
  }

  private static Kernel roots() {
    return Kernel.of(
        library,
        new KernelSignature(
            "roots",
            List.of(
                new TensorParameter("x", VECTOR, Role.INPUT),
                new TensorParameter("y", VECTOR, Role.OUTPUT_DENSE),
                new TensorParameter("s", TensorFormat.dense(0, ValueType.DOUBLE), Role.INPUT)),
            List.of(
                Slot.runtime(),
                Slot.status(),
                Slot.statusDetail(),
                Slot.modeSize(0, 0),
                Slot.vals(0),
                Slot.vals(1),
                Slot.scalar(2))));
  }

  private static KernelSignature evens(String symbol) {
    return new KernelSignature(
        symbol,
        List.of(new TensorParameter("y", NARROW, Role.OUTPUT_SPARSE)),
        List.of(
            Slot.runtime(),
            Slot.status(),
            Slot.statusDetail(),
            Slot.modeSize(0, 0),
            Slot.positions(0, 0),
            Slot.pos(0, 0),
            Slot.crd(0, 0),
            Slot.vals(0)));
  }

  private Map<String, TensorStorage> runEvens(String symbol, long size) {
    return Kernel.of(library, evens(symbol))
        .run(Map.of(), Map.of("y", TensorShape.of(size)), scope, 1);
  }

  private Map<String, TensorStorage> rootsTensors(long n) {
    TensorStorage x = TensorStorage.dense(scope, TensorShape.of(n), ValueType.DOUBLE);
    TensorStorage y = TensorStorage.dense(scope, TensorShape.of(n), ValueType.DOUBLE);
    TensorStorage s = TensorStorage.dense(scope, TensorShape.of(), ValueType.DOUBLE);
    for (long i = 0; i < n; i++) {
      x.vals().setDouble(i, (double) i * i);
    }
    s.vals().setDouble(0, 3);
    return Map.of("x", x, "y", y, "s", s);
  }

  private void checkRoots(long n, int threads) {
    Map<String, TensorStorage> tensors = rootsTensors(n);
    assertThat(roots().run(tensors, Map.of(), scope, threads)).isEmpty();
    for (long i = 0; i < n; i++) {
      assertThat(tensors.get("y").vals().getDouble(i)).isEqualTo(3.0 * i);
    }
  }

  @Test
  void writesDenseOutputsWithAnyNumberOfThreads() {
    for (int threads = 1; threads <= 4; threads++) {
      for (long n : new long[] {0, 1, 2, 1000}) {
        checkRoots(n, threads);
      }
    }
  }

  @Test
  void javaThreadsCallAtTheSameTime() throws Exception {
    ExecutorService callers = Executors.newFixedThreadPool(6);
    try {
      List<Callable<Boolean>> calls = new ArrayList<>();
      for (int call = 0; call < 60; call++) {
        int threads = 1 + call % 4;
        calls.add(
            () -> {
              for (int round = 0; round < 20; round++) {
                checkRoots(200, threads);
              }
              return true;
            });
      }
      for (Future<Boolean> done : callers.invokeAll(calls)) {
        assertThat(done.get()).isTrue();
      }
    } finally {
      callers.shutdown();
    }
    assertThat(NativeRuntime.statistics().workers()).isLessThan(256);
  }

  @Test
  void takesOverASparseOutput() {
    try (TensorStorage y = runEvens("evens_well", 101).get("y")) {
      assertThat(y.storedEntries()).isEqualTo(51);
      assertThat(y.shape()).isEqualTo(TensorShape.of(101));
      assertThat(y.pos(0).length()).isEqualTo(2);
      assertThat(y.crd(0).byteSize()).isEqualTo(51);
      List<String> entries = new ArrayList<>();
      y.forEachEntry((coordinates, value) -> entries.add(coordinates[0] + "=" + value));
      assertThat(entries).hasSize(51).startsWith("0=0.0", "2=1.0").endsWith("100=50.0");
      assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(before.liveBlocks() + 3);
      assertThat(scope.liveBytes()).isEqualTo(16 + 51 + 51 * 8);
    }
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(before.liveBlocks());
  }

  @Test
  void closingTheScopeFreesASparseOutput() {
    runEvens("evens_well", 101);
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(before.liveBlocks() + 3);
  }

  @Test
  void arraysOfAnEmptyOutputMayBeNull() {
    TensorStorage nothing = runEvens("evens_nothing", 7).get("y");
    assertThat(nothing.storedEntries()).isZero();
    nothing.forEachEntry((coordinates, value) -> assertThat(coordinates).isNull());
    assertThat(runEvens("evens_well", 0).get("y").storedEntries()).isZero();
  }

  @Test
  void statusBecomesAnErrorAndNothingStays() {
    assertFails("evens_no_memory", 100, ErrorCode.OUT_OF_MEMORY, "evens_no_memory", "partitions");
    assertFails("evens_bounds", 100, ErrorCode.KERNEL_FAILURE, "position 17", "level 0 of tensor");
    assertFails("evens_unknown", 100, ErrorCode.KERNEL_FAILURE, "status 99");
    assertFails(
        "evens_well", 300, ErrorCode.WIDTH_OVERFLOW, "level 0 of tensor y", "crd 8 bits", "wider");
  }

  /** Linux grants it until it is used, and kills the process then. */
  @Test
  void memoryThatTheMachineDoesNotHaveIsRefused() {
    long mebibytes = (MachineMemory.availableBytes() >> 20) + 100;
    assertFails("evens_huge", mebibytes, ErrorCode.OUT_OF_MEMORY, "no memory", "available");
  }

  @Test
  void anIncompleteOutputIsAnErrorAndNothingStays() {
    assertFails("evens_null", 100, ErrorCode.KERNEL_FAILURE, "CRD", "null");
    assertFails("evens_negative", 100, ErrorCode.KERNEL_FAILURE, "level 0", "-1");
  }

  private void assertFails(String symbol, long size, ErrorCode code, String... words) {
    assertThatThrownBy(() -> runEvens(symbol, size))
        .isInstanceOfSatisfying(WeftException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(words);
    assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(before.liveBlocks());
    assertThat(scope.liveBytes()).isZero();
  }

  @Test
  void aClosedOutputScopeStillFreesTheKernelsArrays() {
    MemoryScope closed = scope.child("closed");
    closed.close();
    Kernel kernel = Kernel.of(library, evens("evens_well"));
    assertThatThrownBy(() -> kernel.run(Map.of(), Map.of("y", TensorShape.of(9)), closed, 1))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void refusesWrongBindings() {
    Map<String, TensorStorage> good = rootsTensors(3);
    TensorStorage floats = TensorStorage.dense(scope, TensorShape.of(3), ValueType.FLOAT);
    Kernel roots = roots();
    assertThatThrownBy(() -> roots.run(Map.of("x", good.get("x")), Map.of(), scope, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("tensor y", "roots", "[x]");
    assertThatThrownBy(
            () ->
                roots.run(
                    Map.of("x", floats, "y", good.get("y"), "s", good.get("s")),
                    Map.of(),
                    scope,
                    1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll("tensor x", "double", "float");
    assertThatThrownBy(() -> roots.run(good, Map.of(), scope, 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> runEvens("evens_missing", 3))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining("evens_missing");
    Kernel evens = Kernel.of(library, evens("evens_well"));
    assertThatThrownBy(() -> evens.run(Map.of(), Map.of(), scope, 1))
        .hasMessageContaining("shape of a sparse output");
    assertThatThrownBy(() -> evens.run(Map.of(), Map.of("y", TensorShape.of(3, 3)), scope, 1))
        .hasMessageContaining("order 1");
  }

  @Test
  void refusesASignatureWithoutTheSlotsOfASparseOutput() {
    KernelSignature whole = evens("evens_well");
    for (int missing = 4; missing < whole.slots().size(); missing++) {
      List<Slot> slots = new ArrayList<>(whole.slots());
      Slot removed = slots.remove(missing);
      KernelSignature part = new KernelSignature("evens_well", whole.tensors(), slots);
      assertThatThrownBy(() -> Kernel.of(library, part))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(removed.toString());
    }
  }
}
