package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code weft ingest --append}: days are added by their labels. */
class IngestAppendTest extends IngestCase {
  private String[] days(String input, String output, String... more) {
    List<String> all = new ArrayList<>(List.of(path(input), path(output)));
    all.addAll(List.of("--mode", "user", "--mode", "day=at:day", "--mode", "size=n:number"));
    all.addAll(List.of("--value", "v"));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  @Test
  void daysAreAddedByTheirLabelsAndOnce() {
    Run.write(folder, "1.csv", "user,at,n,v\nbob,2024-01-02,10,1\neve,2024-01-02,9,2\n");
    Run.write(
        folder,
        "2.csv",
        "user,at,n,v\nann,2024-01-01,10,4\neve,2024-01-02,9,8\neve,2024-01-03,1,16\n");
    assertThat(ingest(days("1.csv", "x.weft", "--append", "--batch", "1")).succeeds().err())
        .contains("no tensor is there yet");
    ingest(days("2.csv", "x.weft", "--append", "--batch", "2")).succeeds();
    Map<String, Double> sums =
        Map.of(
            "bob|2024-01-02|10", 1.0,
            "eve|2024-01-02|9", 10.0,
            "ann|2024-01-01|10", 4.0,
            "eve|2024-01-03|1", 16.0);
    Run.of("convert", path("x.weft"), path("sums.weft")).succeeds();
    assertThat(entries("sums.weft")).isEqualTo(sums);
    assertThat(labels("x.weft", 0)).containsExactly("bob", "eve", "ann");
    assertThat(labels("x.weft", 1)).containsExactly("2024-01-02", "2024-01-01", "2024-01-03");
    assertThat(labels("x.weft", 2)).containsExactly("9", "10", "1");
    assertThat(ingest(days("2.csv", "x.weft", "--append", "--batch", "1")).succeeds().out())
        .contains("batch 1 is there already, in version 2");
    Run.write(folder, "2b.csv", "user,at,n,v\nann,2024-01-01,10,5\n");
    ingest(days("2b.csv", "x.weft", "--append", "--batch", "2", "--replace-batch")).succeeds();
    assertThat(entries("x.weft"))
        .isEqualTo(
            Map.of("bob|2024-01-02|10", 1.0, "eve|2024-01-02|9", 2.0, "ann|2024-01-01|10", 5.0));
    assertThat(Run.names(folder.resolve("x.weft")))
        .containsExactly("data", "manifest-1.json", "manifest-2.json", "manifest-3.json");
  }

  @Tag("long")
  @Test
  void daysAreAddedToAReorderedTensorAndToOneWithFewLabels() {
    Run.write(
        folder,
        "1.csv",
        "user,at,n,v\nbob,2024-01-02,10,1\neve,2024-01-02,9,2\nada,2024-01-05,9,3\n");
    Run.write(folder, "2.csv", "user,at,n,v\nann,2024-01-01,10,4\neve,2024-01-02,8,8\n");
    ingest(days("1.csv", "plain.weft")).succeeds();
    Run.of("reorder", path("plain.weft"), path("x.weft"), "--method", "random:4").succeeds();
    ingest(days("2.csv", "x.weft", "--append")).succeeds();
    ingest(days("2.csv", "plain.weft", "--append")).succeeds();
    assertThat(entries("x.weft")).isEqualTo(entries("plain.weft")).hasSize(5);
    assertThat(labels("x.weft", 0)).containsExactly("ada", "bob", "eve", "ann");
  }

  @Test
  void whatDoesNotFitIsNotAdded() {
    Run.write(folder, "1.csv", "user,at,n,v\nbob,2024-01-02,10,1\n");
    ingest(days("1.csv", "x.weft")).succeeds();
    Run.write(folder, "u.tns", "1 1 1 1\n");
    Run.of("convert", path("u.tns"), path("u.weft"), "--names", "user,day,size").succeeds();
    ingest(days("1.csv", "u.weft", "--append"))
        .fails(2, "expected a tensor with labels", "none for user, day, size");
    String x = path("x.weft");
    ingest(
            path("1.csv"),
            x,
            "--mode",
            "day=at:day",
            "--mode",
            "user",
            "--mode",
            "size=n",
            "--append")
        .fails(2, "the same in another order");
    ingest(path("1.csv"), x, "--mode", "user", "--append")
        .fails(2, "expected entries with the modes user, day, size");
    assertThat(ingest(days("1.csv", "x.weft", "--append", "--overwrite")).err()).contains("both");
    assertThat(Run.names(folder.resolve("x.weft"))).containsExactly("data", "manifest-1.json");
  }

  @Tag("long")
  @Test
  void labelsOfAnAppendDoNotPassThroughTheDriver() {
    for (int day = 0; day < 2; day++) {
      StringBuilder text = new StringBuilder("user,item\n");
      for (int n = 0; n < 20_000; n++) {
        String user = "a user with a long name ".repeat(5) + (n + day * 10_000);
        text.append('"').append(user).append("\",i").append(n % 5).append('\n');
      }
      Run.write(folder, day + ".csv", text.toString());
      ingest(path(day + ".csv"), path("u.weft"), "--mode", "user", "--mode", "item", "--append")
          .succeeds();
    }
    assertThat(labels("u.weft", 0)).hasSize(30_000).doesNotHaveDuplicates();
    assertThat(labels("u.weft", 1)).hasSize(5);
  }
}
