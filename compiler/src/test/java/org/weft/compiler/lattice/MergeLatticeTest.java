package org.weft.compiler.lattice;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sets are written in postfix: {@code B C | D &} is (B or C) and D. Capital letters are sparse
 * levels; {@code d e} are full with random access, {@code f g} full without, {@code h} sparse with
 * random access, {@code U} is the universe.
 */
class MergeLatticeTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "B             ; {B}",
        "d             ; {@d, U}",
        "U             ; {U}",
        "B C &         ; {B, C}",
        "B C |         ; {B, C} > {B} > {C}",
        "B d &         ; {@d, B}",
        "B d |         ; {@d, B, U} > {@d, U}",
        "B U |         ; {B, U} > {U}",
        "B U &         ; {B}",
        "d e |         ; {@d, @e, U}",
        "d e &         ; {@d, @e, U}",
        "B h &         ; {@h, B}",
        "h             ; {h}",
        "B C & D |     ; {B, C, D} > {B, C} > {D}",
        "B C | D &     ; {B, C, D} > {B, D} > {C, D}",
        "B d & C |     ; {@d, B, C} > {@d, B} > {C}",
        "B C | D |     ; {B, C, D} > {B, D} > {C, D} > {B, C} > {B} > {C} > {D}",
        "B d e | &     ; {@d, @e, B}",
        "B C d & &     ; {@d, B, C}",
        "f             ; {f}",
        "B f |         ; {B, f} > {f}",
        "f g |         ; {f, g}",
        "B h U | &     ; {@h, B} > {B}",
        "B h C | &     ; {B, C, h} > {B, h} > {B, C}",
        "B C & h U | & ; {@h, B, C} > {B, C}"
      })
  void pointsAreTheLoopsOfTheSet(String set, String expected) {
    assertThat(MergeLattice.of(parse(set))).hasToString(expected);
  }

  /** Chou et al., figure 6: CSR rows and COO rows without a gap; CSR columns and COO columns. */
  @Test
  void figure6() {
    assertThat(MergeLattice.of(parse("d f |"))).hasToString("{@d, f}");
    assertThat(MergeLattice.of(parse("B C |"))).hasToString("{B, C} > {B} > {C}");
  }

  /** Chou et al., figure 9b: cases of the column loops, most specific first. */
  @Test
  void figure9() {
    MergeLattice columns = MergeLattice.of(parse("B C |"));
    assertThat(columns.cases(columns.points().get(0))).hasToString("[{B, C}, {B}, {C}]");
    assertThat(columns.cases(columns.points().get(1))).hasToString("[{B}]");
    assertThat(columns.cases(columns.points().get(2))).hasToString("[{C}]");
  }

  /** The union of n sparse operands has 2^n - 1 points: of very many only the top is listed. */
  @Test
  void unionsOfVeryManyOperandsAreSummaries() {
    List<IterationSet> sparse = new ArrayList<>();
    List<IterationSet> factors = new ArrayList<>();
    for (int operand = 0; operand < 200; operand++) {
      String name = "S" + operand;
      sparse.add(new IterationSet.Stored(new LatticeOperand(operand, name, false, false)));
      IterationSet full =
          new IterationSet.Stored(new LatticeOperand(1000 + operand, name, true, true));
      factors.add(IterationSet.union(List.of(full, IterationSet.UNIVERSE)));
    }
    MergeLattice union = MergeLattice.of(IterationSet.union(sparse));
    assertThat(union.isSummary()).isTrue();
    assertThat(union.points()).hasSize(1);
    assertThat(union.points().get(0).iterated()).hasSize(200);
    assertThat(union.points().get(0).universe()).isFalse();
    MergeLattice few = MergeLattice.of(IterationSet.union(sparse.subList(0, 9)));
    assertThat(few.isSummary()).isFalse();
    assertThat(few.points()).hasSize(511);
    MergeLattice product = MergeLattice.of(IterationSet.intersection(sparse));
    assertThat(product.isSummary()).isFalse();
    assertThat(product.points()).hasSize(1);
    MergeLattice full = MergeLattice.of(IterationSet.intersection(factors));
    assertThat(full.isSummary()).as("full operands are always present").isFalse();
    assertThat(full.points()).hasSize(1);
  }

  @Test
  void emptySetHasNoLoop() {
    assertThat(MergeLattice.of(IterationSet.EMPTY).isEmpty()).isTrue();
    assertThat(IterationSet.intersection(List.of(parse("B"), IterationSet.EMPTY)))
        .isEqualTo(IterationSet.EMPTY);
    assertThat(IterationSet.union(List.of(parse("B"), IterationSet.EMPTY))).isEqualTo(parse("B"));
  }

  /** Running the loops as described visits exactly the coordinates of the set, with all present. */
  @Test
  void loopsVisitTheSetOnRandomData() {
    RandomGenerator random = new java.util.Random(7);
    for (int run = 0; run < 2_000; run++) {
      String text = randomSet(random, 1 + random.nextInt(4));
      IterationSet set = parse(text);
      MergeLattice lattice = MergeLattice.of(set);
      List<Set<Integer>> data = new ArrayList<>();
      for (int operand = 0; operand < 128; operand++) {
        Set<Integer> stored = new TreeSet<>();
        for (int i = 0; i < 6; i++) {
          if ("defg".indexOf(operand) >= 0 || random.nextInt(3) == 0) {
            stored.add(i);
          }
        }
        data.add(stored);
      }
      for (int i = 0; i < 6; i++) {
        int at = i;
        boolean inSet = contains(set, data, at);
        List<LatticePoint> here =
            lattice.points().stream()
                .filter(p -> p.operands().stream().allMatch(o -> data.get(o.id()).contains(at)))
                .toList();
        assertThat(!here.isEmpty()).as(text + " at " + at + " " + lattice).isEqualTo(inSet);
        if (inSet) {
          Set<Integer> all =
              here.stream()
                  .flatMap(p -> p.operands().stream())
                  .map(LatticeOperand::id)
                  .collect(Collectors.toSet());
          Set<Integer> first =
              here.get(0).operands().stream().map(LatticeOperand::id).collect(Collectors.toSet());
          assertThat(first).as(text + " at " + at + " " + lattice).containsAll(sparse(all));
        }
      }
    }
  }

  private static Set<Integer> sparse(Set<Integer> ids) {
    return ids.stream().filter(id -> "defg".indexOf(id) < 0).collect(Collectors.toSet());
  }

  private static boolean contains(IterationSet set, List<Set<Integer>> data, int at) {
    if (set instanceof IterationSet.Union union) {
      return union.sets().stream().anyMatch(s -> contains(s, data, at));
    } else if (set instanceof IterationSet.Intersection intersection) {
      return intersection.sets().stream().allMatch(s -> contains(s, data, at));
    } else if (set instanceof IterationSet.Stored stored) {
      return data.get(stored.operand().id()).contains(at);
    }
    return set instanceof IterationSet.Universe;
  }

  private static String randomSet(RandomGenerator random, int operands) {
    if (operands == 1) {
      return String.valueOf("ABCDEdefgU".charAt(random.nextInt(10)));
    }
    int left = 1 + random.nextInt(operands - 1);
    return randomSet(random, left)
        + " "
        + randomSet(random, operands - left)
        + (random.nextBoolean() ? " |" : " &");
  }

  private static IterationSet parse(String postfix) {
    Deque<IterationSet> stack = new ArrayDeque<>();
    for (String token : postfix.trim().split(" ")) {
      char c = token.charAt(0);
      switch (c) {
        case '|' -> {
          IterationSet right = stack.pop();
          stack.push(IterationSet.union(List.of(stack.pop(), right)));
        }
        case '&' -> {
          IterationSet right = stack.pop();
          stack.push(IterationSet.intersection(List.of(stack.pop(), right)));
        }
        case 'U' -> stack.push(IterationSet.UNIVERSE);
        default -> {
          boolean full = "defg".indexOf(c) >= 0;
          boolean locate = "deh".indexOf(c) >= 0;
          stack.push(new IterationSet.Stored(new LatticeOperand(c, token, full, locate)));
        }
      }
    }
    return stack.pop();
  }
}
