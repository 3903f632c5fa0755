package org.weft.compiler.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.lang.SourceText;

/**
 * Random statements with all that may stand on the left of a program's assignment: repeated labels,
 * ranges, masks, {@code =}, {@code +=} and {@code -=}, into sparse and dense tensors, against
 * arrays in memory. {@code -Dweft.seed} draws others.
 */
class RandomTargetsTest {
  private static final int SIZE = 8;
  private static final int PROGRAMS = Boolean.getBoolean("weft.long") ? 2_000 : 10;
  private static final List<String> FORMATS =
      List.of("Dense", "CSR", "CSC", "COO", "DCSR", "{CU, D}", "CSF@1,0", "HashMatrix");

  /** Labels with the coordinates that they mean in a mode of {@value #SIZE}. */
  private record Label(String name, int start, int step, int count) {}

  private static final List<Label> WHOLE =
      List.of(new Label("i", 0, 1, SIZE), new Label("j", 0, 1, SIZE));
  private static final List<Label> RANGES =
      List.of(new Label("s", 1, 1, 3), new Label("t", 0, 2, 3), new Label("r", 2, 1, 5));

  @AutoClose
  private static final TensorCompiler COMPILER =
      TensorCompiler.create(CompilerOptions.forThisHost().withOptimisation(0));

  @TempDir Path folder;

  @Test
  void targetsHoldWhatTheDefinitionSays() throws IOException {
    long seed = Long.getLong("weft.seed", 20261123);
    for (int number = 0; number < PROGRAMS; number++) {
      check(new Random(seed * 1_000_003 + number), "program " + number + " of seed " + seed);
    }
  }

  private void check(Random random, String name) throws IOException {
    double[][] z = cells(random, "z.mtx");
    double[][] v = cells(random, "v.mtx");
    double[][] m = cells(random, "m.mtx");
    StringBuilder text = new StringBuilder();
    text.append("def main() {\n  IndexLabel [i, j] = [8];\n  IndexLabel [s] = [1:4];\n");
    text.append("  IndexLabel [t] = [0:6:2];\n  IndexLabel [r] = [2:7];\n");
    String format = FORMATS.get(random.nextInt(FORMATS.size()));
    for (String tensor : List.of("Z:" + format, "V:CSR", "M:COO", "D:Dense")) {
      String[] parts = tensor.split(":");
      text.append("  Tensor<double> ").append(parts[0]).append("([i, j], ");
      text.append(parts[1].startsWith("{") ? parts[1] : "{" + parts[1] + "}").append(");\n");
    }
    text.append("  Z[i,j] = read(\"z.mtx\");\n  V[i,j] = read(\"v.mtx\");\n");
    text.append("  M[i,j] = read(\"m.mtx\");\n");
    for (int steps = 1 + random.nextInt(3); steps > 0; steps--) {
      text.append("  ").append(step(random, z, v, m)).append('\n');
    }
    text.append("  D[i,j] = Z[i,j];\n  print(D);\n}\n");
    StringBuilder printed = new StringBuilder();
    new ProgramRunner(new LocalFiles(folder), Map.of(), printed::append)
        .run(
            ProgramRunner.parse(new SourceText("random.ta", text.toString())),
            new Evaluator(COMPILER, 2));
    assertThat(printed.toString()).as("%s:\n%s", name, text).isEqualTo(dense(z));
  }

  /** Draws a statement and does to {@code z} what it means. */
  private static String step(Random random, double[][] z, double[][] v, double[][] m) {
    boolean ranges = random.nextBoolean();
    Label x = pick(random, ranges ? RANGES : WHOLE);
    Label y = random.nextInt(3) == 0 ? x : pick(random, ranges ? RANGES : WHOLE);
    boolean turned = random.nextInt(3) == 0;
    boolean masked = random.nextInt(4) == 0;
    String assignment = List.of("=", "+=", "-=").get(random.nextInt(3));
    boolean assigns = assignment.equals("=");
    double[][] before = new double[SIZE][];
    for (int row = 0; row < SIZE; row++) {
      before[row] = z[row].clone();
    }
    for (int a = 0; a < x.count(); a++) {
      for (int b = 0; b < y.count(); b++) {
        int row = x.start() + a * x.step();
        int column = y.start() + b * y.step();
        boolean addressed = (!x.equals(y) || a == b) && (!masked || m[row][column] != 0);
        double value = turned ? v[column][row] : v[row][column];
        if (assigns) {
          z[row][column] = addressed ? value : 0;
        } else if (addressed) {
          z[row][column] = before[row][column] + (assignment.equals("+=") ? value : -value);
        }
      }
    }
    String labels = x.name() + "," + y.name();
    return "Z["
        + labels
        + "]"
        + (masked ? "<M[" + labels + "]>" : "")
        + " "
        + assignment
        + " 1 * V["
        + (turned ? y.name() + "," + x.name() : labels)
        + "];";
  }

  private static Label pick(Random random, List<Label> labels) {
    return labels.get(random.nextInt(labels.size()));
  }

  /** A matrix with some entries, which is also in {@code file}. */
  private double[][] cells(Random random, String file) throws IOException {
    double[][] cells = new double[SIZE][SIZE];
    StringBuilder text = new StringBuilder();
    int entries = 0;
    for (int row = 0; row < SIZE; row++) {
      for (int column = 0; column < SIZE; column++) {
        if (random.nextInt(3) == 0) {
          cells[row][column] = 1 + random.nextInt(9);
          entries++;
          text.append(row + 1).append(' ').append(column + 1).append(' ');
          text.append(cells[row][column]).append('\n');
        }
      }
    }
    Files.writeString(folder.resolve(file), SIZE + " " + SIZE + " " + entries + "\n" + text);
    return cells;
  }

  private static String dense(double[][] cells) {
    StringBuilder text = new StringBuilder("data = \n");
    for (double[] row : cells) {
      for (double cell : row) {
        text.append((long) cell).append(',');
      }
    }
    return text.append('\n').toString();
  }
}
