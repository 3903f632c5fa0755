package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.differential.ArrayCheck;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.memory.NativeArray;
import org.weft.runtime.Kernel;
import org.weft.runtime.KernelLibrary;
import org.weft.runtime.NativeRuntime;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;
import org.weft.tensor.Width;

/**
 * Results that are appended, on operands with heavy slices, which threads divide: every array is
 * that of the sequential kernel, bit for bit, on any number of threads. So it is where fibers or
 * slices of an operand are empty, whose places are not taken.
 */
class HeavySlicesTest {
  private static final Map<String, Long> SIZES =
      Map.of("i", 40L, "j", 300L, "k", 50L, "l", 30L, "r", 5L);
  private static final int ENTRIES = 6000;

  /** Where the entries of the first operand are, along its first mode. */
  private enum Weights {
    ONE(17),
    TWO(17, 18),
    LAST(39),
    FIRST(0),
    FIBER(17),
    LIGHT,
    EMPTY;

    private final int[] heavy;

    Weights(int... heavy) {
      this.heavy = heavy;
    }

    CooBlock entries(TensorShape shape, Random random) {
      CooBlock.Builder entries = new CooBlock.Builder(shape.order(), ENTRIES);
      for (int entry = 0; this != EMPTY && entry < ENTRIES; entry++) {
        long[] at = new long[shape.order()];
        for (int mode = 0; mode < at.length; mode++) {
          at[mode] = random.nextInt((int) shape.size(mode));
        }
        if (heavy.length > 0 && random.nextInt(4) > 0) {
          at[0] = heavy[random.nextInt(heavy.length)];
          at[1] = this == FIBER ? 5 : at[1];
        }
        entries.add(at, random.nextDouble() - 0.5);
      }
      return entries.build();
    }
  }

  /** Statements, with the formats of tensors in the order in which they are named. */
  enum Subject {
    TTV("Y(i,j) = T(i,j,k) * v(k)", "CU,CU", "CU,CU,CU", "D"),
    TTV_DENSE_SLICES("Y(i,j) = T(i,j,k) * v(k)", "D,CU", "D,CU,CU", "D"),
    TTV_TO_CSR("Y(i,j) = T(i,j,k) * v(k)", "D,CU", "CU,CU,CU", "D"),
    TTV_LISTED("Y(i,j) = T(i,j,k) * v(k)", "CN,S", "CU,CU,CU", "D"),
    TTM("Y(i,j,r) = T(i,j,k) * D(k,r)", "CU,CU,D", "CU,CU,CU", "D,D"),
    TTM_DENSE_SLICES("Y(i,j,r) = T(i,j,k) * D(k,r)", "D,CU,D", "D,CU,CU", "D,D"),
    TTV_4("Y(i,j,k) = T(i,j,k,l) * v(l)", "CU,CU,CU", "CU,CU,CU,CU", "D"),
    TTV_4_LISTED("Y(i,j,k) = T(i,j,k,l) * v(l)", "CU,CN,S", "CU,CU,CU,CU", "D"),
    TTV_4_DENSE_SLICES("Y(i,j,k) = T(i,j,k,l) * v(l)", "D,CU,CU", "D,CU,CU,CU", "D"),
    TTV_4_DENSE_FIBERS("Y(i,j,k) = T(i,j,k,l) * v(l)", "D,D,CU", "CU,CU,CU,CU", "D"),
    TTV_4_DENSE_BETWEEN("Y(i,j,k) = T(i,j,k,l) * v(l)", "CU,D,CU", "CU,CU,CU,CU", "D"),
    TTM_4("Y(i,j,k,r) = T(i,j,k,l) * D(l,r)", "CU,CU,CU,D", "CU,CU,CU,CU", "D,D"),
    SCALED("Y(i,j,k) = T(i,j,k) * x(j)", "CU,CU,CU", "CU,CU,CU", "D"),
    ROWS("Y(i,j) = A(i,j) * x(j)", "D,CU", "D,CU", "D"),
    SDDMM("Y(i,j) = A(i,j) * B(i,r) * D(j,r)", "D,CU", "D,CU", "D,D", "D,D"),
    PRODUCT("Y(i,j) = A(i,j) * B(i,j)", "CU,CU", "D,CU", "CU,CU"),
    PRODUCT_3("Y(i,j,k) = T(i,j,k) * S(i,j,k)", "CU,CU,CU", "CU,CU,CU", "CU,CU,CU"),
    SUM("Y(i,j) = A(i,j) + B(i,j)", "D,CU", "D,CU", "D,CU"),
    DISTRIBUTED("Y(i,j) = A(i,j) * x(j) + A(i,j) * B(i,j)", "D,CU", "D,CU", "D", "D,CU"),
    MATRICES("Y(i,k) = A(i,j) * B(j,k)", "D,CU", "D,CU", "D,CU"),
    NARROW("Y(i,j) = T(i,j,k) * v(k)", "CU,CU", "CU,CU,CU", "D");

    final String expression;
    final List<String> names = new ArrayList<>();
    final Map<String, TensorFormat> formats = new HashMap<>();

    Subject(String expression, String... levels) {
      this.expression = expression;
      for (int at = expression.indexOf('('); at > 0; at = expression.indexOf('(', at + 1)) {
        String name = expression.substring(at - 1, at);
        if (!names.contains(name)) {
          formats.put(name, format(levels[names.size()]));
          names.add(name);
        }
      }
    }

    private static TensorFormat format(String levels) {
      return TensorFormat.parse("{" + levels + "}", levels.split(",").length, ValueType.DOUBLE);
    }

    /** Coordinates of j do not fit a byte. */
    Map<String, TensorFormat> requested() {
      Map<String, TensorFormat> requested = new HashMap<>(formats);
      if (this == NARROW) {
        requested.put("Y", formats.get("Y").withWidths(Width.W32, Width.W8));
      }
      return requested;
    }

    TensorShape shape(String tensor) {
      int at = expression.indexOf(tensor + "(") + 2;
      String[] labels = expression.substring(at, expression.indexOf(')', at)).split(",");
      return TensorShape.of(Arrays.stream(labels).mapToLong(SIZES::get).toArray());
    }
  }

  /** What a third of the positions of an operand, or every second slice, lack. */
  private enum Holes {
    FIBERS,
    CHILDREN,
    SLICES,
    ALL
  }

  private static final Map<Subject, Kernel> KERNELS = new HashMap<>();
  private static final Map<Subject, Kernel> SEQUENTIAL = new HashMap<>();

  @BeforeAll
  static void compile() {
    List<KernelRequest> requests = new ArrayList<>();
    for (Subject subject : Subject.values()) {
      requests.add(request(subject, "k", Schedule.parallel()));
      requests.add(request(subject, "s", Schedule.sequential()));
    }
    try (TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      var image = compiler.compile(requests);
      KernelLibrary library = KernelLibrary.open(image);
      for (Subject subject : Subject.values()) {
        KERNELS.put(subject, Kernel.of(library, image.signature("k" + subject.ordinal())));
        var sequential = image.signature("s" + subject.ordinal());
        SEQUENTIAL.put(subject, Kernel.of(library, sequential));
      }
    }
  }

  private static KernelRequest request(Subject subject, String name, Schedule schedule) {
    return new KernelRequest(
        name + subject.ordinal(), subject.expression, subject.requested(), Map.of(), schedule);
  }

  @AfterAll
  static void forget() {
    KERNELS.clear();
    SEQUENTIAL.clear();
  }

  private static Map<String, TensorStorage> operands(
      Subject subject, Weights weights, MemoryScope scope) {
    Random random = new Random(weights.ordinal());
    Map<String, TensorStorage> operands = new HashMap<>();
    for (String name : subject.names.subList(1, subject.names.size())) {
      TensorShape shape = subject.shape(name);
      CooBlock entries = (operands.isEmpty() ? weights : Weights.LIGHT).entries(shape, random);
      TensorFormat format = subject.formats.get(name);
      operands.put(name, Packing.pack(scope, shape, format, List.of(entries)));
    }
    return operands;
  }

  private static List<String> arrays(
      Subject subject, Map<String, TensorStorage> operands, MemoryScope scope, int threads) {
    return arrays(subject, KERNELS.get(subject), operands, scope, threads);
  }

  /** All arrays of the result. */
  private static List<String> arrays(
      Subject subject,
      Kernel kernel,
      Map<String, TensorStorage> operands,
      MemoryScope scope,
      int threads) {
    TensorShape shape = subject.shape("Y");
    TensorStorage result = kernel.run(operands, Map.of("Y", shape), scope, threads).get("Y");
    assertThat(ArrayCheck.violation(result)).isEmpty();
    List<String> arrays = new ArrayList<>();
    for (int level = 0; level < result.format().levelCount(); level++) {
      long positions = result.positions(level);
      long parents = level == 0 ? 1 : result.positions(level - 1);
      if (result.hasPos(level)) {
        arrays.add("pos " + text(result.pos(level), parents + 1));
      }
      if (result.hasCrd(level)) {
        arrays.add("crd " + text(result.crd(level), positions));
      }
    }
    StringBuilder values = new StringBuilder("vals");
    result.forEachEntry((at, value) -> values.append(' ').append(Double.doubleToLongBits(value)));
    arrays.add(values.toString());
    result.close();
    return arrays;
  }

  private static String text(NativeArray array, long length) {
    StringBuilder text = new StringBuilder();
    for (long at = 0; at < length; at++) {
      text.append(' ').append(array.getLong(at));
    }
    return text.toString();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NARROW")
  void arraysAreThoseOfTheSequentialKernel(Subject subject) {
    for (Weights weights : Weights.values()) {
      try (MemoryScope scope = MemoryScope.root("heavy slices", MemorySource.system())) {
        Map<String, TensorStorage> operands = operands(subject, weights, scope);
        List<String> alone = arrays(subject, SEQUENTIAL.get(subject), operands, scope, 1);
        for (int threads : new int[] {1, 2, 4, 7}) {
          assertThat(arrays(subject, operands, scope, threads))
              .as("%s, %s, %s threads", subject, weights, threads)
              .isEqualTo(alone);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"TTV", "TTV_TO_CSR", "TTV_LISTED", "TTM"})
  void nothingIsStoredForEmptyFibers(Subject subject) {
    for (Holes holes : Holes.values()) {
      try (MemoryScope scope = MemoryScope.root("empty fibers", MemorySource.system())) {
        Map<String, TensorStorage> operands = operands(subject, Weights.LIGHT, scope);
        TensorStorage tensor = alternating(subject, scope);
        long fibers = tensor.positions(1);
        empty(tensor, holes);
        operands.put("T", tensor);
        Kernel sequential = SEQUENTIAL.get(subject);
        List<String> alone = arrays(subject, sequential, operands, scope, 1);
        for (int threads : new int[] {1, 2, 4, 7}) {
          assertThat(arrays(subject, operands, scope, threads))
              .as("%s, %s, %s threads", subject, holes, threads)
              .isEqualTo(alone);
        }
        TensorStorage result =
            sequential.run(operands, Map.of("Y", subject.shape("Y")), scope, 1).get("Y");
        if (holes != Holes.SLICES) { // its fibers are those of the next slice
          assertThat(result.positions(1)).isLessThan(fibers);
        }
      }
    }
  }

  /** A tensor whose slices can be joined to the next: coordinates of j increase all the same. */
  private static TensorStorage alternating(Subject subject, MemoryScope scope) {
    TensorShape shape = subject.shape("T");
    Random random = new Random(5);
    CooBlock.Builder entries = new CooBlock.Builder(shape.order(), ENTRIES);
    for (int entry = 0; entry < ENTRIES; entry++) {
      long i = random.nextInt((int) shape.size(0));
      long j = i % 2 * 150 + random.nextInt(150);
      entries.add(new long[] {i, j, random.nextInt((int) shape.size(2))}, random.nextDouble());
    }
    TensorFormat format = subject.formats.get("T");
    return Packing.pack(scope, shape, format, List.of(entries.build()));
  }

  /** Gives what is below some positions to the next one, or to none. */
  private static void empty(TensorStorage tensor, Holes holes) {
    NativeArray slices = tensor.pos(1);
    NativeArray fibers = tensor.pos(2);
    long last = tensor.positions(1);
    if (holes == Holes.ALL) {
      for (long p = 1; p <= last; p++) {
        fibers.setLong(p, fibers.getLong(0));
      }
    } else if (holes == Holes.FIBERS) {
      for (long p = 0; p + 1 < last; p += 3) {
        fibers.setLong(p + 1, fibers.getLong(p));
      }
    } else {
      for (long s = 0; s + 1 < tensor.positions(0); s += 2) {
        long from = slices.getLong(s);
        for (long p = from; p < slices.getLong(s + 1) && holes == Holes.CHILDREN; p++) {
          fibers.setLong(p + 1, fibers.getLong(from));
        }
        if (holes == Holes.SLICES) {
          slices.setLong(s + 1, from);
        }
      }
    }
  }

  @Test
  void whatDoesNotFitLeavesNothingBehind() {
    long blocks = NativeRuntime.statistics().liveBlocks();
    try (MemoryScope scope = MemoryScope.root("heavy slices", MemorySource.system())) {
      Map<String, TensorStorage> operands = operands(Subject.NARROW, Weights.ONE, scope);
      for (int threads : new int[] {1, 2, 7}) {
        assertThatThrownBy(() -> arrays(Subject.NARROW, operands, scope, threads))
            .isInstanceOfSatisfying(
                WeftException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.WIDTH_OVERFLOW));
        assertThat(NativeRuntime.statistics().liveBlocks()).isEqualTo(blocks);
      }
    }
  }
}
