package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;

/** {@code weft eval} compares modes that have labels by their labels. */
class MatchedOperandsTest extends FolderCase {
  private void write(String file, List<List<String>> labels, String... entries) throws Exception {
    LabelledFile.write(folder.resolve(file), labels, entries);
  }

  @BeforeEach
  void writeTensors() throws Exception {
    List<String> people = List.of("ann", "bob");
    List<String> items = List.of("milk", "tea");
    write("sales.weft", List.of(people, items), "ann milk 2", "ann tea 3", "bob tea 1");
    write("prices.wtb", List.of(List.of("coffee", "tea")), "coffee 9", "tea 5");
    write(
        "links.weft",
        List.of(List.of("a", "b", "c"), List.of("b", "c", "d")),
        "a b 1",
        "b c 2",
        "c d 3");
  }

  private Run eval(String expression, String... more) {
    List<String> line = new java.util.ArrayList<>(List.of("eval", expression));
    for (String operand : List.of("S=sales.weft", "P=prices.wtb", "L=links.weft")) {
      if (expression.contains(operand.charAt(0) + "(")) {
        line.add("--input");
        line.add(operand.replace("=", "=" + folder + "/"));
      }
    }
    line.addAll(List.of(more));
    return Run.of(line.toArray(String[]::new));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Y(u) = S(u,i) * P(i) | ann 15;bob 5",
        "Y(u) = P(i) * S(u,i) | ann 15;bob 5",
        "Y(u,i) = S(u,i) + P(i) | ann milk 2;ann tea 8;ann coffee 9;bob tea 6;bob coffee 9",
        "Y(i) = max(P(i), sum(u, S(u,i))) | coffee 9;tea 5;milk 2",
        "P(i) += S(u,i) | coffee 9;tea 9;milk 2",
        "Y(i,k) = L(i,j) * L(j,k) | a c 2;b d 6",
        "y() = S(u,i) * P(i) | 20",
        "Y(u) = S(u,i) | ann 5;bob 1",
      })
  void theSameLabelIsTheSameCoordinate(String expression, String expected) {
    for (String[] where : new String[][] {{}, {"--master", "local[2]"}}) {
      Run run = eval(expression, where).succeeds();
      assertThat(run.err()).doesNotContain("warning");
      assertThat(run.out().replace('\t', ' ').lines().sorted())
          .containsExactlyElementsOf(List.of(expected.split(";")).stream().sorted().toList());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "local[2]"})
  void theResultHasTheLabelsOfAll(String master) {
    String[] more = master.isEmpty() ? new String[0] : new String[] {"--master", master};
    List<String> line = new java.util.ArrayList<>(List.of(more));
    line.addAll(List.of("--output", path("y.weft")));
    eval("Y(u,i) = S(u,i) + P(i)", line.toArray(String[]::new)).succeeds();
    Map<Integer, Labels> labels = TensorFiles.labels(FileAccess.local(), path("y.weft"));
    assertThat(labels.get(0).toList()).containsExactly("ann", "bob");
    assertThat(labels.get(1).toList()).containsExactly("milk", "tea", "coffee");
  }

  @Test
  void labelsThatCannotBeMatchedAreOneError() throws Exception {
    String plain = Run.write(folder, "q.tns", "1 1\n2 1\n");
    Run run =
        eval("Y(u) = S(u,i) * P(i) * Q(i)", "--input", "Q=" + plain)
            .fails(2, "WEFT-103", "--input Q=", "mode 0: expected labels");
    write("twice.weft", List.of(List.of("tea", "tea")), "tea 1");
    run = eval("Y(u) = S(u,i) * Q(i)", "--input", "Q=" + path("twice.weft"));
    assertThat(run.err()).contains("WEFT-103", "expected each label once, found 'tea' twice");
    run = eval("Y(u) = S(u,i) * Q(i)", "--input", "Q=" + plain);
    assertThat(run.status()).as("one dictionary, numbers").isZero();
  }
}
