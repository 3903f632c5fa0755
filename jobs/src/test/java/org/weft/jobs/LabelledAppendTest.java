package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.weft.storage.ContainerOptions;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.container.Container;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** {@code weft convert --append} with labels, batches, and what does not go together. */
class LabelledAppendTest extends FolderCase {
  private static String wrong(String... command) {
    Run run = Run.of(command);
    assertThat(run.status()).as(run.err()).isEqualTo(2);
    return run.err();
  }

  /** A tensor of cells such as {@code ann mon 1}, with labels in the order in which they come. */
  private String tensor(String file, String names, String... cells) throws IOException {
    Map<Integer, List<String>> labels = new HashMap<>();
    int order = names.split(",").length;
    CooBlock.Builder block = new CooBlock.Builder(order, 8);
    for (String cell : cells) {
      String[] words = cell.split(" ");
      for (int mode = 0; mode < order; mode++) {
        List<String> known = labels.computeIfAbsent(mode, m -> new ArrayList<>());
        if (!known.contains(words[mode])) {
          known.add(words[mode]);
        }
        block.set(mode, known.indexOf(words[mode]));
      }
      block.finish(Double.parseDouble(words[order]));
    }
    Map<Integer, Labels> all = new HashMap<>();
    long[] sizes = new long[order];
    labels.forEach(
        (mode, known) -> {
          all.put(mode, Labels.of(known));
          sizes[mode] = known.size();
        });
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(TensorShape.of(sizes))
            .withLabels(all)
            .withContainer(
                ContainerOptions.defaults().withModeNames(Arrays.asList(names.split(","))));
    try (TensorOutput out =
        TensorFiles.create(FileAccess.local(), path(file), false, order, options)) {
      out.write(block.build());
      out.commit();
    }
    return path(file);
  }

  /** Sums by labels. */
  private static String read(String uri) {
    FileAccess files = FileAccess.local();
    Map<Integer, Labels> labels = TensorFiles.labels(files, uri);
    InputPlan plan = TensorFiles.open(files, uri, ReadOptions.defaults());
    TreeMap<String, Double> sums = new TreeMap<>();
    for (CooBlock block : TensorFiles.readAll(files, plan).blocks()) {
      for (int e = 0; e < block.size(); e++) {
        List<String> at = new ArrayList<>();
        for (int mode = 0; mode < block.order(); mode++) {
          at.add(labels.get(mode).label(block.coordinate(mode, e)));
        }
        sums.merge(String.join(" ", at), block.value(e), Double::sum);
      }
    }
    return sums.toString();
  }

  @Test
  void aSecondDayIsFoundByItsLabels() throws IOException {
    String x = tensor("x.weft", "user,day", "ann mon 1", "bob mon 2");
    String more = tensor("d2.weft", "user,day", "bob tue 4", "adam tue 8", "ann mon 16");
    assertThat(ok("convert", more, x, "--append")).contains(": 3 x 2, 3 entries added");
    assertThat(read(x)).isEqualTo("{adam tue=8.0, ann mon=17.0, bob mon=2.0, bob tue=4.0}");
    assertThat(read(x + "/manifest-1.json")).isEqualTo("{ann mon=1.0, bob mon=2.0}");
    assertThat(Container.open(FileAccess.local(), x).modeNames()).containsExactly("user", "day");
  }

  @Test
  void aBatchThatIsRetriedChangesNothing() throws IOException {
    String x = tensor("x.weft", "user,day", "ann mon 1");
    String more = tensor("d2.weft", "user,day", "bob tue 4");
    ok("convert", more, x, "--append", "--batch", "d2");
    assertThat(ok("convert", more, x, "--append", "--batch", "d2"))
        .contains("batch d2 is there already, in version 2; nothing is written");
    assertThat(Run.names(Path.of(x))).containsExactly("data", "manifest-1.json", "manifest-2.json");
    String other = tensor("d2b.weft", "user,day", "bob tue 5", "eve tue 6");
    ok("convert", other, x, "--append", "--batch", "d2", "--replace-batch");
    assertThat(read(x)).isEqualTo("{ann mon=1.0, bob tue=5.0, eve tue=6.0}");
    assertThat(wrong("convert", more, x, "--append", "--replace-batch")).contains("--batch KEY");
    assertThat(wrong("convert", more, path("m.tns"), "--batch", "1"))
        .contains("for a .weft tensor");
  }

  @Test
  void whatDoesNotGoTogetherSaysWhatToDo() throws IOException {
    String x = tensor("x.weft", "user,day", "ann mon 1");
    String swapped = tensor("s.weft", "day,user", "mon ann 1");
    String other = tensor("o.weft", "user,week", "ann w1 1");
    assertThat(wrong("convert", swapped, x, "--append")).contains("the same in another order");
    assertThat(wrong("convert", other, x, "--append")).contains("user, day", "user, week");
    Run.write(folder, "more.tns", "1 1 5\n");
    assertThat(wrong("convert", path("more.tns"), x, "--append"))
        .contains("expected labels for mode user", "--by-coordinates");
    ok("convert", path("more.tns"), path("plain.weft"), "--names", "user,day");
    assertThat(wrong("convert", x, path("plain.weft"), "--append"))
        .contains("expected entries without labels for mode user");
    assertThat(wrong("convert", path("more.tns"), x, "--append", "--names", "user,week"))
        .contains("user, week");
    assertThat(wrong("convert", path("more.tns"), x, "--by-coordinates")).contains("--append");
    assertThat(read(x)).isEqualTo("{ann mon=1.0}");
    ok("convert", path("more.tns"), x, "--append", "--by-coordinates");
    assertThat(read(x)).isEqualTo("{ann mon=6.0}");
    Run.write(folder, "far.tns", "2 1 5\n");
    assertThat(wrong("convert", path("far.tns"), x, "--append", "--by-coordinates"))
        .contains("expected coordinates below 1 in mode user");
    assertThat(Files.exists(folder.resolve("x.weft/manifest-3.json"))).isFalse();
  }
}
