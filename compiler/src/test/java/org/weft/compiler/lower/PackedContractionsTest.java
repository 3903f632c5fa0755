package org.weft.compiler.lower;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.KernelRequest;
import org.weft.compiler.Schedule;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.ValueType;

/** Contractions over packed panels, with blocks so small that every edge is met. */
class PackedContractionsTest {
  private static final long SEED = 19;
  private static final boolean LONG = Boolean.getBoolean("weft.long");
  private static final int LIBRARIES = LONG ? 12 : 1;
  private static final long[] SIZES = {0, 1, 1, 2, 3, 5, 7, 11, 13};
  private static final List<String> TILES =
      List.of("4:3:5:8:6", "8:2:4:8:4", "16:4:3:32:8", "5:3:7:10:9", "2:2:20:48:6", "4:3:17:64:9");

  /** The TCCG benchmark (Springer and Bientinesi): result, left and right operand. */
  private static final String TCCG =
      "abc-bda-dc abc-dca-bd abcd-dbea-ec abcd-deca-be "
          + "abcd-ebad-ce abcde-efbad-cf abcde-ecbfa-fd abcde-efcad-bf "
          + "abcd-ea-ebcd abcd-eb-aecd abcd-ec-abed ab-ac-cb "
          + "ab-acd-dbc ab-cad-dcb abc-acd-db abc-ad-bdc "
          + "abc-adc-bd abc-adc-db abc-adec-ebd abcd-aebf-dfce "
          + "abcd-aebf-fdec abcd-aecf-bfde abcd-aecf-fbed abcd-aedf-bfce "
          + "abcd-aedf-fbec abcd-aefb-fdce abcd-aefc-fbed abcd-eafb-fdec "
          + "abcd-eafc-bfde abcd-eafd-fbec abcdef-dega-gfbc abcdef-degb-gfac "
          + "abcdef-degc-gfab abcdef-dfga-gebc abcdef-dfgb-geac abcdef-dfgc-geab "
          + "abcdef-efga-gdbc abcdef-efgb-gdac abcdef-efgc-gdab abcdef-gdab-efgc "
          + "abcdef-gdac-efgb abcdef-gdbc-efga abcdef-geab-dfgc abcdef-geac-dfgb "
          + "abcdef-gebc-dfga abcdef-gfab-degc abcdef-gfac-degb abcdef-gfbc-dega";

  private static void check(List<KernelCase> cases, boolean guarded) {
    KernelCase.checkAll(CompilerOptions.forThisHost().withCheck(guarded), cases, 2, SEED);
  }

  private static KernelCase of(
      String expression, Map<String, TensorFormat> formats, Map<String, Long> sizes, String plan) {
    return new KernelCase(expression, formats, sizes, Set.of(), Schedule.parse(plan));
  }

  private static String access(String name, List<String> labels) {
    return labels.isEmpty()
        ? name
        : name + labels.stream().collect(Collectors.joining(",", "(", ")"));
  }

  /** A contraction with up to two labels in each group, in any order. */
  private static KernelCase random(Random random) {
    List<List<String>> groups = new ArrayList<>();
    int label = 0;
    for (int group = 0; group < 4; group++) {
      List<String> labels = new ArrayList<>();
      for (int count = random.nextInt(group == 3 ? 2 : 3); count > 0; count--) {
        labels.add(Character.toString('a' + label++));
      }
      groups.add(labels);
    }
    if (groups.get(0).isEmpty() && groups.get(1).isEmpty()) {
      groups.get(random.nextInt(2)).add("z");
    }
    Map<String, Long> sizes = new TreeMap<>();
    groups.forEach(group -> group.forEach(l -> sizes.put(l, SIZES[random.nextInt(SIZES.length)])));
    String[] names = {"C", "A", "B"};
    int[][] members = {{0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
    ValueType type = random.nextInt(3) == 0 ? ValueType.FLOAT : ValueType.DOUBLE;
    Map<String, TensorFormat> formats = new TreeMap<>();
    List<String> text = new ArrayList<>();
    String last = "";
    List<List<String>> stored = new ArrayList<>();
    for (int tensor = 0; tensor < 3; tensor++) {
      List<String> labels = new ArrayList<>();
      for (int group : members[tensor]) {
        labels.addAll(groups.get(group));
      }
      Collections.shuffle(labels, random);
      List<Integer> modes = new ArrayList<>(IntStream.range(0, labels.size()).boxed().toList());
      if (random.nextBoolean()) {
        Collections.shuffle(modes, random);
      }
      stored.add(modes.stream().map(labels::get).toList());
      last = tensor > 0 || labels.isEmpty() ? last : labels.get(modes.get(modes.size() - 1));
      TensorFormat format = TensorFormat.dense(labels.size(), type);
      formats.put(
          names[tensor], format.withModeOrder(modes.stream().mapToInt(mode -> mode).toArray()));
      text.add(access(names[tensor], labels));
    }
    String[] assignments = {" = ", " += ", " -= ", " = 2 * ", " = -"};
    String assignment = assignments[random.nextInt(assignments.length)];
    List<String> outer = new ArrayList<>(groups.get(0));
    outer.addAll(groups.get(1));
    String divided = outer.get(random.nextInt(outer.size()));
    List<String> loops = new ArrayList<>(outer);
    loops.removeAll(List.of(divided, last));
    String lanes = lanes(groups, stored, random);
    loops.remove(lanes);
    String around =
        loops.isEmpty() || random.nextBoolean() ? "" : " around(" + String.join(",", loops) + ")";
    return of(
        text.get(0) + assignment + text.get(1) + " * " + text.get(2),
        formats,
        sizes,
        (random.nextBoolean() ? "parallel " : "")
            + "gemm("
            + divided
            + ":"
            + TILES.get(random.nextInt(TILES.size()))
            + ")"
            + around
            + (lanes.isEmpty() ? "" : " vector(" + lanes + ")"));
  }

  /** Lanes along the last label of the operand that has the result's last one, mostly. */
  private static String lanes(List<List<String>> groups, List<List<String>> stored, Random random) {
    List<String> result = stored.get(0);
    if (result.isEmpty()) {
      return "";
    }
    String last = result.get(result.size() - 1);
    for (int side = 0; side < 2; side++) {
      List<String> operand = stored.get(side + 1);
      String lanes = operand.isEmpty() ? "" : operand.get(operand.size() - 1);
      List<String> labels = groups.get(side);
      boolean legal = labels.contains(last) && labels.contains(lanes) && !lanes.equals(last);
      if (legal && random.nextInt(4) > 0) {
        return lanes;
      }
    }
    return "";
  }

  @Test
  void randomContractions() {
    Random random = new Random(SEED);
    for (int library = 0; library < LIBRARIES; library++) {
      check(IntStream.range(0, 25).mapToObj(n -> random(random)).toList(), false);
    }
  }

  @Test
  void contractionsOfTccg() {
    Random random = new Random(SEED + 2);
    List<KernelCase> cases = new ArrayList<>();
    for (String contraction : TCCG.split(" ")) {
      String[] tensors = contraction.split("-");
      Map<String, TensorFormat> formats = new TreeMap<>();
      List<String> text = new ArrayList<>();
      for (int tensor = 0; tensor < 3; tensor++) {
        String name = List.of("C", "A", "B").get(tensor);
        formats.put(name, TensorFormat.dense(tensors[tensor].length(), ValueType.DOUBLE));
        text.add(access(name, List.of(tensors[tensor].split(""))));
      }
      Map<String, Long> sizes = new TreeMap<>();
      for (String label : (tensors[0] + tensors[1] + tensors[2]).split("")) {
        sizes.putIfAbsent(label, 2L + random.nextInt(4));
      }
      String divided = tensors[0].substring(0, 1);
      cases.add(
          of(
              text.get(0) + " = " + text.get(1) + " * " + text.get(2),
              formats,
              sizes,
              "parallel gemm(" + divided + ":" + TILES.get(cases.size() % TILES.size()) + ")"));
    }
    assertThat(cases).hasSize(48);
    // Contractions of one kind follow each other: usually one of two is compiled, in all tiles.
    IntStream numbers =
        LONG ? IntStream.range(0, 48) : IntStream.range(0, 24).map(n -> 2 * n + n / 3 % 2);
    check(numbers.mapToObj(cases::get).toList(), false);
  }

  @Test
  void guardedKernelsAccessNothingOutside() {
    Random random = new Random(SEED + 1);
    int count = LONG ? 25 : 10;
    check(IntStream.range(0, count).mapToObj(n -> random(random)).toList(), true);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,j) = A(i,k) @(min,+) B(k,j) | gemm(i:4:3:5:8:6)",
        "C(i,j) = A(i,k) @(min,+) B(k,j) | gemm(i:5:3:7:10:9)",
      })
  void otherOperators(String expression, String plan) {
    TensorFormat dense = TensorFormat.dense(2, ValueType.DOUBLE);
    check(
        List.of(
            of(
                expression,
                Map.of("A", dense, "B", dense, "C", dense),
                new TreeMap<>(Map.of("i", 7L, "j", 13L, "k", 11L)),
                plan)),
        false);
  }

  @Test
  void blocksAreRefusedBeforeTheirLabelsAreLookedAt() {
    TensorFormat dense = TensorFormat.dense(2, ValueType.DOUBLE);
    TensorFormat blocks = TensorFormat.parse("BCSR(2,2)", 2, ValueType.DOUBLE);
    KernelRequest request =
        new KernelRequest(
            "kernel",
            "C(i,j) = A(i,k) * B(k,j)",
            Map.of("A", blocks, "B", dense, "C", dense),
            Map.of(),
            Schedule.parse("gemm(i)"));
    assertThatExceptionOfType(WeftException.class)
        .isThrownBy(() -> Lowering.lower(request))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEDULE));
  }

  @ParameterizedTest(name = "{0} {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,j) = A(i,k) + B(k,j) | gemm(i)",
        "C(i,j) = A(i,k) * B(k,j) | gemm(k)",
        "C(i,j) = A(i,k) * B(l,j) | gemm(i)",
        "C(i,j) = A(i,i) * B(i,j) | gemm(j)",
        "C(i,j) = A(i,k) * B(k,j) | gemm(i) vector(j)",
        "C(i,j) = A(i,k) * B(k,j) | gemm(i) vector(k)",
        "C(i,j) = A(i,k) * B(k,j) | gemm(i) around(i)",
        "C(i,j) = A(i,k) * B(k,j) | gemm(i) around(j)",
        "C(i,j) = A(i,k) * B(k,j) | gemm(j) around(k)",
        "C(i,j) = A(i,k) * B(k,j) | around(i)",
      })
  void otherStatementsAreRefused(String expression, String plan) {
    TensorFormat dense = TensorFormat.dense(2, ValueType.DOUBLE);
    KernelRequest request =
        new KernelRequest(
            "kernel",
            expression,
            Map.of("A", dense, "B", dense, "C", dense),
            Map.of(),
            Schedule.parse(plan));
    assertThatExceptionOfType(WeftException.class)
        .isThrownBy(() -> Lowering.lower(request))
        .satisfies(
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_SCHEDULE);
              assertThat(e.getMessage()).contains("is illegal for");
            });
  }
}
