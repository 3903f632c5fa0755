package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.storage.file.FileAccess;
import org.weft.storage.npy.NpyFile;
import org.weft.tensor.DenseMatrix;

/** {@code --reorder} on the commands that run on Spark. */
class ReorderedJobsTest extends FolderCase {
  private String tensor() {
    StringBuilder text = new StringBuilder();
    Random random = new Random(4);
    for (int e = 0; e < 400; e++) {
      text.append(1 + random.nextInt(30)).append(' ').append(1 + random.nextInt(20)).append(' ');
      text.append(1 + random.nextInt(25)).append(' ').append(1 + random.nextInt(9)).append('\n');
    }
    return Run.write(folder, "t.tns", text + "30 20 25 1\n");
  }

  private static DenseMatrix npy(String file) {
    return NpyFile.read(FileAccess.local(), file);
  }

  private static void assertRows(DenseMatrix expected, DenseMatrix found, List<String> rows) {
    assertThat(found.rows()).isEqualTo(expected.rows());
    for (int i = 0; i < expected.rows(); i++) {
      for (int r = 0; r < expected.columns(); r++) {
        assertThat(found.get(Long.parseLong(rows.get(i)), r))
            .isCloseTo(expected.get(i, r), within(1e-9));
      }
    }
  }

  /** Integers add exactly in any order, so that whole files agree. */
  @Test
  void sparseResultsAreTheSameFiles() throws IOException {
    String tensor = tensor();
    try (var out = Files.newOutputStream(folder.resolve("v.npy"))) {
      double[] vector = new double[25];
      for (int k = 0; k < vector.length; k++) {
        vector[k] = k + 1;
      }
      NpyFile.writeVector(out, vector);
    }
    String[] names = {"none", "lexi", "partition"};
    for (String method : names) {
      Run.line(
              "ttv %s --mode 2 --vector %s --output %s --reorder %s --reorder-entries %s"
                  + " --partitions 3 --master local[2]",
              tensor,
              path("v.npy"),
              path(method + ".tns"),
              method,
              method.equals("lexi") ? "100" : "0")
          .succeeds();
    }
    for (String method : names) {
      assertThat(Run.read(path(method + ".tns"))).isEqualTo(Run.read(path("none.tns")));
    }
  }

  @Test
  void keptOrderComesWithItsPermutationsWhichGoIn() throws IOException {
    String tensor = tensor();
    String[] job = {"mttkrp", tensor, "--mode", "0", "--rank", "3", "--master", "local[2]"};
    Run.of(with(job, "--output", path("plain.npy"))).succeeds();
    Run.of(
            with(
                job,
                "--output",
                path("kept.npy"),
                "--reorder",
                "random:3",
                "--keep-order",
                "--permutations",
                path("perms")))
        .succeeds();
    Run.of(with(job, "--output", path("back.npy"), "--reorder", path("perms"))).succeeds();
    DenseMatrix plain = npy(path("plain.npy"));
    assertRows(
        plain, npy(path("kept.npy")), Files.readAllLines(folder.resolve("perms/mode0.perm")));
    List<String> same = java.util.stream.IntStream.range(0, 30).mapToObj(i -> "" + i).toList();
    assertRows(plain, npy(path("back.npy")), same);
  }

  private static String[] with(String[] command, String... more) {
    String[] all = java.util.Arrays.copyOf(command, command.length + more.length);
    System.arraycopy(more, 0, all, command.length, more.length);
    return all;
  }

  /** Whole numbers, so that the order of sums does not show. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "C(i,k) = A(i,j) * B(j,k)",
        "C(i,k) = A(i,j) @(min,+) B(j,k)",
        "C(i,j) = A(i,j) + B(j,i)",
        "y(i) = A(i,j) * x(j)",
        "t = A(i,i)",
        "C(i,k) = A(i,j) * A(j,k)",
        "C(i,j) = A(i,j) + A(j,i)",
        "C(i,j) = A(j,i) - A(i,i)",
        "C(i,k)<A(k,i)> = A(i,j) * B(j,k)",
        "C(i,l) = B(i,j) * A(j,k) * A(k,l)",
      })
  void expressionsMeanTheSameUnderAnyOrder(String expression) {
    StringBuilder a = new StringBuilder();
    StringBuilder b = new StringBuilder();
    StringBuilder x = new StringBuilder();
    Random random = new Random(8);
    for (int e = 0; e < 60; e++) {
      a.append(1 + random.nextInt(12)).append(' ').append(1 + random.nextInt(9)).append(" 2\n");
      if (e % 2 == 0) {
        b.append(1 + random.nextInt(12)).append(' ').append(1 + random.nextInt(12)).append(" 3\n");
      }
    }
    for (int i = 1; i <= 12; i++) {
      x.append(i).append(' ').append(i * i).append('\n');
    }
    List<String> command = new java.util.ArrayList<>(List.of("eval", expression));
    String[] files = {"A", a + "12 9 1\n", "B", b + "7 12 1\n", "x", x.toString()};
    for (int f = 0; f < files.length; f += 2) {
      if (expression.contains(files[f] + "(")) {
        String file = Run.write(folder, files[f] + ".tns", files[f + 1]);
        command.addAll(List.of("--input", files[f] + "=" + file));
      }
    }
    Run plain = Run.of(command.toArray(String[]::new)).succeeds();
    for (String method : List.of("random:4", "A=lexi")) {
      Run run = Run.of(with(command.toArray(String[]::new), "--reorder", method));
      assertThat(run.err()).contains("reorder: labels of A by");
      assertThat(run.out()).isEqualTo(plain.out());
    }
  }

  @Test
  void whatCannotWorkIsSaidBeforeTheTensorIsRead() {
    String missing = path("missing.tns");
    String[] job = {"ttv", missing, "--mode", "0", "--output", path("y.tns")};
    Run.of(with(job, "--reorder", "lexy"))
        .fails(2, "--reorder", "lexi, bfs-mcs", "a folder of permutations");
    Run.of(with(job, "--keep-order")).fails(2, "expected --reorder METHOD with --keep-order");
  }
}
