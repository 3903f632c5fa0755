package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** {@code weft complete --validate FILE}, where slices have labels: a label is one slice. */
class CompleteValidationLabelsTest extends FolderCase {
  private static final List<String> USERS = List.of("ann", "bob", "cem", "dee", "eva", "fay");
  private static final List<String> ITEMS = List.of("ham", "jam", "oil", "pea", "rye");

  /**
   * The cells of a rank-1 table that are trained, or validated, under coordinates of the labels.
   */
  private String table(
      String name, boolean validated, List<String> users, List<String> items, String... names)
      throws IOException {
    CooBlock.Builder cells = new CooBlock.Builder(2, 64);
    for (String user : users) {
      for (String item : items) {
        int u = USERS.indexOf(user);
        int i = ITEMS.indexOf(item);
        if ((u * 2 + i) % 5 == 0 == validated) {
          cells.add(new long[] {users.indexOf(user), items.indexOf(item)}, (u + 2) * (i - 5.5));
        }
      }
    }
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(users.size(), items.size()))
            .withLabels(Map.of(0, Labels.of(users), 1, Labels.of(items)))
            .withContainer(ContainerOptions.defaults().withModeNames(List.of(names)));
    try (TensorOutput out = TensorFiles.create(FileAccess.local(), path(name), false, 2, options)) {
      out.write(cells.build());
      out.commit();
    }
    return path(name);
  }

  private static List<String> shuffled(List<String> labels, long seed, String... more) {
    List<String> others = new ArrayList<>(labels);
    Collections.addAll(others, more);
    Collections.shuffle(others, new Random(seed));
    return others;
  }

  private JsonNode summary(String x, String validation, String model, String... more)
      throws IOException {
    List<String> line =
        new ArrayList<>(List.of("complete", x, "--rank", "1", "--split", "0,0", "--ridge", "0.01"));
    Collections.addAll(line, "--validate", validation, "--output", path(model));
    Collections.addAll(line, more);
    Run.of(line.toArray(new String[0])).succeeds();
    return new ObjectMapper().readTree(folder.resolve(model + "/summary.json").toFile());
  }

  @Test
  void entriesAreFoundByTheirLabels() throws IOException {
    String x = table("x.weft", false, USERS, ITEMS, "user", "item");
    JsonNode same = summary(x, table("same.weft", true, USERS, ITEMS, "user", "item"), "same");
    for (int seed = 1; seed <= (Boolean.getBoolean("weft.long") ? 3 : 1); seed++) {
      String other =
          table(seed + ".weft", true, shuffled(USERS, seed), shuffled(ITEMS, seed), "user", "item");
      JsonNode found = summary(x, other, "m" + seed);
      assertThat(found.get("dims")).isEqualTo(same.get("dims"));
      for (int it = 0; it < found.get("rmse_validation").size(); it++) {
        assertThat(found.get("rmse_validation").get(it).asDouble())
            .isCloseTo(same.get("rmse_validation").get(it).asDouble(), withinPercentage(1e-9));
      }
    }
    String[] spark = {"--master", "local[2]", "--reproducible", "--iterations", "2"};
    JsonNode there = summary(x, path("1.weft"), "there", spark);
    assertThat(there.get("rmse_validation").get(0).asDouble())
        .isCloseTo(same.get("rmse_validation").get(0).asDouble(), withinPercentage(1e-7));
  }

  @Test
  void entriesOfUnknownLabelsAreLeftOut() throws IOException {
    String x = table("x.weft", false, USERS, ITEMS, "user", "item");
    JsonNode same = summary(x, table("same.weft", true, USERS, ITEMS, "user", "item"), "same");
    List<String> more = shuffled(USERS, 5, "gil", "hal");
    String other = table("other.weft", true, more, ITEMS, "user", "item");
    JsonNode found = summary(x, other, "found");
    assertThat(found.get("dims")).isEqualTo(same.get("dims"));
    assertThat(found.get("rmse_validation").size()).isEqualTo(same.get("rmse_validation").size());
    String strangers = table("strangers.weft", true, List.of("gil", "hal"), ITEMS, "user", "item");
    Run.of("complete", x, "--rank", "1", "--validate", strangers, "--output", path("none"))
        .fails(2, "WEFT-300", "whose labels", "found none");
    assertThat(folder.resolve("none")).doesNotExist();
  }

  @Test
  void modesInAnotherOrderAreAnError() throws IOException {
    String x = table("x.weft", false, USERS, ITEMS, "user", "item");
    String turned = table("turned.weft", true, USERS, ITEMS, "item", "user");
    Run.of("complete", x, "--rank", "1", "--validate", turned, "--output", path("none"))
        .fails(2, "expected the modes in the order", "user, item");
    assertThat(folder.resolve("none")).doesNotExist();
  }
}
