package org.weft.compiler.differential;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Well-known kernels; random formats make many cases of each. */
final class Kernels {
  /** A statement without formats; the result is called Y. */
  record Kernel(Term.Access target, Term value) {
    List<String> labels() {
      Set<String> labels = new LinkedHashSet<>(target.labels());
      value.accesses().forEach(access -> labels.addAll(access.labels()));
      return List.copyOf(labels);
    }
  }

  static final List<Kernel> ALL =
      List.of(
          // SpMV, its transpose, SpMM, SpGEMM, SDDMM
          kernel("Y i", times(t("A i j"), t("x j"))),
          kernel("Y i", times(t("A j i"), t("x j"))),
          kernel("Y i k", times(t("A i j"), t("B j k"))),
          kernel("Y k i", times(t("A i j"), t("B j k"))),
          kernel("Y i j", times(t("S i j"), t("A i k"), t("B k j"))),
          kernel("Y i j", elementwise(t("S i j"), times(t("A i k"), t("B k j")))),
          // residual, scaled sums, chains
          kernel("Y i", minus(t("b i"), times(t("A i j"), t("x j")))),
          kernel("Y i j", plus(times(t("alpha"), t("A i j")), times(t("beta"), t("B i j")))),
          kernel("Y i l", times(t("A i j"), t("B j k"), t("C k l"))),
          kernel("Y i", times(t("A i j"), t("B j k"), t("x k"))),
          kernel("Y i j", plus(times(t("A i k"), t("B k j")), t("C i j"))),
          kernel("Y i j", plus(t("A i j"), t("B i j"), t("C i j"), t("D i j"))),
          kernel("Y i j", times(t("A i j"), t("B i j"), t("C i j"))),
          kernel("Y i j", times(plus(t("A i j"), t("B i j")), t("C i j"))),
          kernel("Y i j", minus(t("A i j"), t("B i j"))),
          // transposes, copies, sums, outer and inner products
          kernel("Y i j", t("A i j")),
          kernel("Y j i", t("A i j")),
          kernel("Y k i j", t("A i j k")),
          kernel("Y i j", plus(t("A i j"), t("B j i"))),
          kernel("Y i", t("A i j")),
          kernel("Y", t("A i j k")),
          kernel("Y", times(t("A i j"), t("B i j"))),
          kernel("Y i j", times(t("x i"), t("y j"))),
          kernel("Y i j", times(t("d i"), t("A i j"), t("e j"))),
          kernel("Y i j k", times(t("A i j"), t("x k"))),
          // tensors: TTV, TTM, MTTKRP, inner product, sums
          kernel("Y i j", times(t("T i j k"), t("x k"))),
          kernel("Y i k", times(t("T i j k"), t("x j"))),
          kernel("Y i j l", times(t("T i j k"), t("U k l"))),
          kernel("Y i l", times(t("T i j k"), t("A j l"), t("B k l"))),
          kernel("Y j l", times(t("T i j k"), t("A i l"), t("B k l"))),
          kernel("Y i j k", plus(t("T i j k"), t("U i j k"))),
          kernel("Y i j k l", times(t("T i j k l"), t("U i j k l"))),
          kernel("Y", times(t("T i j k"), t("U i j k"))),
          kernel("Y i j", times(t("T i k l"), t("U j k l"))),
          // sums of different orders broadcast
          kernel("Y i", plus(t("A i j"), t("B i j"), t("c i"))),
          kernel("Y i j", plus(t("A i j"), t("x i"))),
          kernel("Y i j", times(t("A i j"), plus(t("x i"), t("y j")))));

  private Kernels() {}

  private static Kernel kernel(String target, Term value) {
    return new Kernel(t(target), value);
  }

  private static Term.Access t(String text) {
    String[] words = text.split(" ");
    return new Term.Access(words[0], List.of(words).subList(1, words.length));
  }

  private static Term times(Term... terms) {
    return chain(Term.Operator.MULTIPLY, terms);
  }

  private static Term elementwise(Term... terms) {
    return chain(Term.Operator.ELEMENTWISE, terms);
  }

  private static Term plus(Term... terms) {
    return chain(Term.Operator.ADD, terms);
  }

  private static Term minus(Term... terms) {
    return chain(Term.Operator.SUBTRACT, terms);
  }

  private static Term chain(Term.Operator operator, Term... terms) {
    return Stream.of(terms).reduce((a, b) -> new Term.Binary(operator, a, b)).orElseThrow();
  }
}
