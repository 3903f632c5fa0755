package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.CooBlock;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;

/** Tensors that {@code weft reorder} stored: every command shows their original coordinates. */
class ReorderedContainerTest extends FolderCase {
  private static final TensorShape SHAPE = TensorShape.of(30, 20, 25);

  private static String[] with(String[] command, String... more) {
    String[] all = Arrays.copyOf(command, command.length + more.length);
    System.arraycopy(more, 0, all, command.length, more.length);
    return all;
  }

  /** A tensor of whole numbers with names, its reordered copy, and the permutations. */
  @BeforeEach
  void writeTensors() throws IOException {
    Random random = new Random(4);
    CooBlock.Builder block = new CooBlock.Builder(3, 600);
    int[] cells = random.ints(0, 30 * 20 * 25).distinct().limit(600).toArray();
    for (int cell : cells) {
      block.add(new long[] {cell / 500, cell / 25 % 20, cell % 25}, 1 + random.nextInt(9));
    }
    WriteOptions options =
        WriteOptions.defaults()
            .withShape(SHAPE)
            .withEntries(600)
            .withLabels(
                Map.of(0, Labels.of(IntStream.range(0, 30).mapToObj(i -> "row " + i).toList())));
    try (TensorOutput out =
        TensorFiles.create(FileAccess.local(), path("t.wtb"), false, 3, options)) {
      out.write(block.build());
      out.commit();
    }
    ok(
        "reorder",
        path("t.wtb"),
        path("t.weft"),
        "--method",
        "random:3",
        "--permutations",
        path("perms"));
  }

  private String original(String container) {
    ok("convert", path(container), path("back.tns"), "--overwrite");
    return Run.read(path("back.tns"));
  }

  @Test
  void convertGivesTheOriginalUnlessAskedForTheStored() throws IOException {
    ok("convert", path("t.wtb"), path("t.tns"));
    assertThat(original("t.weft")).isEqualTo(Run.read(path("t.tns")));
    ok("convert", path("t.weft"), path("stored.tns"), "--keep-order");
    assertThat(Run.read(path("stored.tns"))).isNotEqualTo(Run.read(path("t.tns")));
    ok("reorder", path("stored.tns"), path("u.tns"), "--apply", path("perms"), "--inverse");
    assertThat(original("u.tns")).isEqualTo(Run.read(path("t.tns")));
    ok("convert", path("t.weft"), path("kept.weft"), "--keep-order");
    assertThat(original("kept.weft")).isEqualTo(Run.read(path("t.tns")));
    ok("convert", path("kept.weft"), path("kept.tns"), "--keep-order");
    assertThat(Run.read(path("kept.tns"))).isEqualTo(Run.read(path("stored.tns")));
    assertThat(labels("kept.weft")).isEqualTo(labels("t.wtb"));
    ok("reorder", path("t.weft"), path("twice.weft"), "--method", "lexi");
    assertThat(original("twice.weft")).isEqualTo(Run.read(path("t.tns")));
    assertThat(labels("twice.weft")).isEqualTo(labels("t.wtb"));
    ok("spy", path("t.weft"), path("t.svg"));
    assertThat(Files.readString(folder.resolve("t.svg"))).contains("original", "as stored");
  }

  /** Added entries take the order that is there; coordinates beyond it come after it. */
  @Test
  void entriesAreAddedInOriginalCoordinates() {
    Run.write(folder, "labelled.tns", "1 1 1 0.5\n30 20 25 100\n");
    ok("convert", path("labelled.tns"), path("t.weft"), "--append", "--by-coordinates");
    assertThat(labels("t.weft")).isEqualTo(labels("t.wtb"));
    ok("convert", path("t.weft"), path("t.tns"));
    ok("convert", path("t.tns"), path("plain.weft"));
    ok("reorder", path("t.tns"), path("t.weft"), "--overwrite", "--method", "random:3");
    Run.write(folder, "more.tns", "1 1 1 0.5\n30 20 25 100\n33 2 27 7\n");
    ok("convert", path("more.tns"), path("plain.weft"), "--append");
    ok("convert", path("more.tns"), path("t.weft"), "--append");
    assertThat(original("t.weft")).isEqualTo(original("plain.weft")).contains("33 2 27 7\n");
    // Once more, where the permutations have been extended.
    Run.write(folder, "last.tns", "33 1 1 2\n40 1 1 1\n");
    ok("convert", path("last.tns"), path("t.weft"), "--append");
    ok("convert", path("last.tns"), path("plain.weft"), "--append");
    assertThat(original("t.weft")).isEqualTo(original("plain.weft")).contains("40 1 1 1\n");
    Run.of("convert", path("t.weft"), path("plain.weft"), "--append", "--keep-order")
        .fails(2, "WEFT-100", "leave out --keep-order");
    Run.write(folder, "far.tns", "3000000000 1 1 1\n");
    Run.of("convert", path("far.tns"), path("t.weft"), "--append")
        .fails(2, "below 2^31", "2999999999");
    assertThat(original("t.weft")).isEqualTo(original("plain.weft"));
  }

  private List<String> labels(String file) {
    return TensorFiles.labels(FileAccess.local(), path(file)).get(0).toList();
  }

  /** Whole numbers add exactly in any order, so that whole files agree. */
  @Test
  void resultsHaveOriginalCoordinatesInEveryJob() throws IOException {
    try (var out = Files.newOutputStream(folder.resolve("v.npy"))) {
      NpyFile.writeVector(out, IntStream.range(0, 20).asDoubleStream().toArray());
    }
    List<String[]> jobs =
        List.of(
            new String[] {"ttv", "--vector", path("v.npy"), "--mode", "1"},
            new String[] {"ttm", "--rank", "2", "--mode", "2"},
            new String[] {"mttkrp", "--rank", "3", "--mode", "0"});
    for (String[] job : jobs) {
      String end = job[0].equals("mttkrp") ? ".npy" : ".tns";
      List<String> outputs = new ArrayList<>();
      for (String tensor : List.of("t.wtb", "t.weft")) {
        String output = path(job[0] + outputs.size() + end);
        outputs.add(output);
        ok(with(job, path(tensor), "--output", output, "--master", "local[2]"));
      }
      if (job[0].equals("ttv")) {
        assertThat(Run.read(outputs.get(1))).isEqualTo(Run.read(outputs.get(0)));
      } else if (job[0].equals("ttm")) {
        assertSameEntries(Run.read(outputs.get(1)), Run.read(outputs.get(0)));
      } else {
        assertSameRows(outputs.get(1), outputs.get(0), IntStream.range(0, 30).toArray());
      }
    }
  }

  @Test
  void ordersOfAContainerAreComposedWithItsOwn() throws IOException {
    String[] job = {"mttkrp", path("t.weft"), "--mode", "0", "--rank", "3", "--master", "local[2]"};
    ok(with(job, "--output", path("plain.npy")));
    ok(with(job, "--output", path("lexi.npy"), "--reorder", "lexi", "--partitions", "3"));
    ok(with(job, "--output", path("given.npy"), "--reorder", path("perms")));
    String plain = path("plain.npy");
    int[] same = IntStream.range(0, 30).toArray();
    assertSameRows(path("lexi.npy"), plain, same);
    assertSameRows(path("given.npy"), plain, same);
    ok(
        with(
            job,
            "--output",
            path("kept.npy"),
            "--keep-order",
            "--permutations",
            path("kept-perms")));
    assertThat(Files.readAllLines(folder.resolve("kept-perms/mode0.perm")))
        .isEqualTo(Files.readAllLines(folder.resolve("perms/mode0.perm")));
    assertSameRows(path("kept.npy"), plain, permutation("perms"));
    ok(
        with(
            job,
            "--output",
            path("both.npy"),
            "--keep-order",
            "--reorder",
            "lexi",
            "--permutations",
            path("both-perms")));
    assertSameRows(path("both.npy"), plain, permutation("both-perms"));
  }

  private int[] permutation(String perms) throws IOException {
    return Files.readAllLines(folder.resolve(perms).resolve("mode0.perm")).stream()
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  /** Factors and their labels; an expression reads the same tensor. */
  @Test
  void factorsLabelsAndExpressionsAreThoseOfTheOriginal() throws IOException {
    for (String tensor : List.of("t.wtb", "t.weft")) {
      ok(
          "cpd",
          path(tensor),
          "--rank",
          "2",
          "--iterations",
          "3",
          "--tolerance",
          "0",
          "--output",
          path("cpd " + tensor),
          "--master",
          "local[2]");
      ok(
          "eval",
          "s(i,k) = T(i,j,k)",
          "--input",
          "T=" + path(tensor),
          "--output",
          path(tensor + ".mtx"));
    }
    int[] same = IntStream.range(0, 30).toArray();
    assertSameRows(path("cpd t.weft/mode0.npy"), path("cpd t.wtb/mode0.npy"), same);
    List<String> names = new ArrayList<>();
    for (String line : Files.readAllLines(folder.resolve("cpd t.weft/mode0.tsv"))) {
      names.add(line.substring(0, line.indexOf('\t')));
    }
    assertThat(names.subList(names.size() - 30, names.size())).isEqualTo(labels("t.wtb"));
    assertThat(Run.read(path("t.weft.mtx"))).isEqualTo(Run.read(path("t.wtb.mtx")));
  }

  /** Random starts and samples are drawn by original coordinates: the same in every order. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd --rank 2",
        "cpd --rank 2 --nonnegative",
        "cpd --rank 2 --init nvecs",
        "cpd --append MODEL",
        "cpapr --rank 2",
        "cpapr --rank 2 --method pqnr",
        "gcp --rank 2 --loss poisson --zeros 2",
        "complete --rank 2",
        "complete --rank 2 --method sgd --batches 3"
      })
  void everyMethodMakesTheModelOfTheOriginal(String method) {
    if (method.contains("MODEL")) {
      Run.write(folder, "old.tns", "1 1 1 2\n8 9 7 3\n2 3 5 1\n4 4 4 5\n");
      ok("cpd", path("old.tns"), "--rank", "1", "--iterations", "3", "--output", path("old"));
    }
    Run.write(folder, "validation.tns", "1 1 1 2\n30 20 25 3\n");
    ok("reorder", path("validation.tns"), path("VALIDATION t.weft"), "--method", "random:5");
    ok("convert", path("validation.tns"), path("VALIDATION t.wtb"));
    for (String tensor : List.of("t.wtb", "t.weft")) {
      String[] words = method.split(" ");
      for (int word = 0; word < words.length; word++) {
        words[word] = words[word].replace("MODEL", path("old"));
        words[word] = words[word].replace("VALIDATION", path("VALIDATION " + tensor));
      }
      String[] run = with(words, path(tensor), "--output", path("of " + tensor));
      ok(with(run, "--iterations", "3", "--" + stop(method), "0"));
    }
    for (int mode = 0; mode < SHAPE.order(); mode++) {
      int[] same = IntStream.range(0, (int) SHAPE.size(mode)).toArray();
      String file = "/mode" + mode + ".npy";
      assertSameRows(path("of t.weft" + file), path("of t.wtb" + file), same);
    }
  }

  /** The other cases of {@link #everyMethodMakesTheModelOfTheOriginal}. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd --rank 2 --starts 2",
        "cpd --rank 1 --method arls --sample 0.3",
        "cpd --rank 2 --constrain 0=nonneg,2=smooth:0.1",
        "tucker --ranks 2,2,2",
        "cpapr --rank 2 --method pdnr",
        "gcp --rank 2 --loss gaussian",
        "gcp --rank 2 --loss gamma --zeros 0 --optimizer lbfgs",
        "complete --rank 2 --method ccd",
        "complete --rank 2 --validate VALIDATION"
      })
  void moreMethodsMakeTheModelOfTheOriginal(String method) {
    everyMethodMakesTheModelOfTheOriginal(method);
  }

  /** A reordered container has the sums of entries that a file has apart. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "cpd --rank 2",
        "gcp --rank 2 --loss poisson --zeros 2",
        "complete --rank 2 --method sgd --batches 3",
      })
  void duplicatesAreOneEntryInEveryMethod(String method) {
    Random random = new Random(9);
    StringBuilder text = new StringBuilder();
    for (int entry = 0; entry < 500; entry++) {
      String cell = "";
      for (long size : SHAPE.toArray()) {
        cell += 1 + (int) (size * Math.pow(random.nextDouble(), 2)) + " ";
      }
      for (int copy = 0; copy <= random.nextInt(4); copy++) {
        text.append(cell).append(1 + random.nextInt(5)).append('\n');
      }
    }
    text.append("30 20 25 1\n");
    Run.write(folder, "d.tns", text.toString());
    ok("reorder", path("d.tns"), path("d.weft"), "--method", "random:3");
    for (String tensor : List.of("d.tns", "d.weft")) {
      String[] run = with(method.split(" "), path(tensor), "--output", path("of " + tensor));
      ok(with(run, "--iterations", "3", "--" + stop(method), "0"));
    }
    for (int mode = 0; mode < SHAPE.order(); mode++) {
      int[] same = IntStream.range(0, (int) SHAPE.size(mode)).toArray();
      String file = "/mode" + mode + ".npy";
      assertSameRows(path("of d.weft" + file), path("of d.tns" + file), same);
    }
  }

  /** The other cases of {@link #duplicatesAreOneEntryInEveryMethod}. */
  @Tag("long")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "tucker --ranks 2,2,2",
        "cpapr --rank 2",
        "gcp --rank 2 --loss poisson --zeros all",
        "gcp --rank 2 --loss gamma --zeros 0",
        "complete --rank 2",
      })
  void duplicatesAreOneEntryInOtherMethods(String method) {
    duplicatesAreOneEntryInEveryMethod(method);
  }

  private static String stop(String method) {
    return method.startsWith("cpapr") ? "kkt" : "tolerance";
  }

  @ParameterizedTest
  @ValueSource(strings = {"cpapr --rank 1", "gcp --rank 1 --loss poisson --zeros 0"})
  void anEntryThatIsNotAllowedIsNamedByOriginalCoordinates(String method) {
    Run.write(folder, "wrong.tns", "1 1 1 2\n8 9 7 3\n2 3 5 -6\n4 4 4 5\n");
    ok("reorder", path("wrong.tns"), path("wrong.weft"), "--method", "random:3");
    Run.of(with(method.split(" "), path("wrong.weft"), "--output", path("none")))
        .fails(2, "-6.0 at the coordinates 2 3 5 (from 1)");
    assertThat(folder.resolve("none")).doesNotExist();
  }

  private static void assertSameEntries(String found, String expected) {
    String[] a = found.split("\\s+");
    String[] b = expected.split("\\s+");
    assertThat(a).hasSameSizeAs(b);
    for (int n = 0; n < a.length; n++) {
      assertThat(Double.parseDouble(a[n])).isCloseTo(Double.parseDouble(b[n]), within(1e-9));
    }
  }

  /** Row i of {@code expected} is row {@code rows[i]} of {@code found}. */
  private static void assertSameRows(String found, String expected, int[] rows) {
    DenseMatrix a = NpyFile.read(FileAccess.local(), found);
    DenseMatrix b = NpyFile.read(FileAccess.local(), expected);
    assertThat(a.rows()).isEqualTo(b.rows());
    for (int i = 0; i < b.rows(); i++) {
      for (int r = 0; r < b.columns(); r++) {
        assertThat(a.get(rows[i], r)).isCloseTo(b.get(i, r), within(1e-9));
      }
    }
  }
}
