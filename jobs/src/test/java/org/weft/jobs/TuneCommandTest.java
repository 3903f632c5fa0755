package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.compiler.CompilerOptions;
import org.weft.compiler.Schedule;
import org.weft.compiler.TensorCompiler;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.eval.StatementInput;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.planner.tune.Timings;
import org.weft.planner.tune.TunedStore;
import org.weft.planner.tune.TuningResult;
import org.weft.planner.tune.TuningTask;
import org.weft.planner.tune.Variant;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorShape;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** {@code weft tune}, and that {@code weft eval} uses what it kept. */
class TuneCommandTest extends FolderCase {
  private static final String CACHE = "weft.kernel-cache";
  private static final String PRODUCT = "y(i) = A(i,j) * x(j)";

  @TempDir Path cache;

  private String a = "";
  private String x = "";

  @BeforeEach
  void files() {
    System.setProperty(CACHE, cache.toString());
    a =
        Run.write(
            folder,
            "a.mtx",
            "%%MatrixMarket matrix coordinate real general\n3 4 4\n1 1 2\n2 3 5\n3 4 1.5\n3 1 7\n");
    x = Run.write(folder, "x.tns", "1 2\n3 1\n4 4\n");
  }

  @AfterEach
  void defaults() {
    System.clearProperty(CACHE);
  }

  private Run tune(String... more) {
    return product("tune", more);
  }

  private Run eval(String... more) {
    return product("eval", more);
  }

  private Run product(String command, String... more) {
    Stream<String> first = Stream.of(command, PRODUCT, "--input", "A=" + a, "--input", "x=" + x);
    return Run.of(Stream.concat(first, Stream.of(more)).toArray(String[]::new));
  }

  /** Keeps a variant of the product of {@code files()} as faster; returns the file. */
  private Path keep() throws IOException {
    int threads = Runtime.getRuntime().availableProcessors();
    try (MemoryScope scope = MemoryScope.root("tuned", MemorySource.system());
        TensorCompiler compiler = TensorCompiler.create(CompilerOptions.forThisHost())) {
      CooBlock.Builder matrix = new CooBlock.Builder(2, 4);
      matrix.add(new long[] {0, 0}, 2);
      matrix.add(new long[] {1, 2}, 5);
      matrix.add(new long[] {2, 3}, 1.5);
      matrix.add(new long[] {2, 0}, 7);
      CooBlock.Builder vector = new CooBlock.Builder(1, 3);
      vector.add(new long[] {0}, 2);
      vector.add(new long[] {2}, 1);
      vector.add(new long[] {3}, 4);
      TensorFormat csr = TensorFormat.parse("CSR", 2, ValueType.DOUBLE);
      TensorFormat list = TensorFormat.parse("{CU}", 1, ValueType.DOUBLE);
      Map<String, TensorStorage> operands =
          Map.of(
              "A",
              Packing.pack(scope, TensorShape.of(3, 4), csr, List.of(matrix.build())),
              "x",
              Packing.pack(scope, TensorShape.of(4), list, List.of(vector.build())));
      StatementInput input =
          StatementInput.of(PRODUCT, operands, TensorFormat.dense(1, ValueType.DOUBLE));
      TensorFormat result = new Evaluator(compiler, threads).resultFormat(input);
      TuningTask task = new TuningTask(PRODUCT, operands, Set.of(), result, Map.of(), threads);
      Map<String, TensorFormat> formats = Map.of("A", csr, "x", list);
      TuningResult found =
          new TuningResult(
              PRODUCT,
              List.of(
                  new TuningResult.Trial(
                      new Variant(formats, Schedule.sequential()), false, 1, runs(1)),
                  new TuningResult.Trial(
                      new Variant(formats, Schedule.parallel()), true, 1, runs(2))),
              2,
              0,
              0);
      return new TunedStore(cache).store(task, found).orElseThrow();
    }
  }

  private static Timings runs(double seconds) {
    return new Timings(Collections.nCopies(7, seconds));
  }

  @Test
  void variantsAreTimedPlottedAndJudged() {
    String plot = folder.resolve("t.svg").toString();
    Run tuned = tune("--trials", "3", "--plot", plot).succeeds();
    assertThat(tuned.out()).contains("3 timed and verified", "(without tuning)");
    assertThat(tuned.out()).contains("14 runs without tuning: fastest ");
    assertThat(tuned.err()).containsAnyOf("nothing is kept", "kept for expressions");
    assertThat(Run.read(plot))
        .doesNotContainPattern("([1-9]\\d*\\.\\d\\d+|0\\.0*[1-9]\\d\\d+) ms") // few digits
        .startsWith("<svg")
        .endsWith("</svg>\n")
        .contains("predicted by the cost model", "(without tuning)");
  }

  @Test
  void whatWasKeptIsUsed() throws IOException {
    keep();
    Run used = eval();
    assertThat(used.out()).isEqualTo("1 4\n2 5\n3 20\n");
    assertThat(used.err()).contains("tuned: ").doesNotContain("another machine");
    Run plain = eval("--no-tuned");
    assertThat(plain.out()).isEqualTo(used.out());
    assertThat(plain.err()).doesNotContain("tuned: ");
  }

  /** Once: then it is kept as measured here, or not at all. */
  @Test
  void whatAnotherMachineKeptIsMeasuredAgain() throws IOException {
    Path kept = keep();
    String text = Files.readString(kept).replaceAll("(?m)^machine=.*$", "machine=another one");
    Files.writeString(kept, text);
    Run used = eval();
    assertThat(used.out()).isEqualTo("1 4\n2 5\n3 20\n");
    assertThat(used.err())
        .contains("tuned on another machine (another one), measured again here")
        .contains("14 runs without tuning");
    Run again = eval();
    assertThat(again.out()).isEqualTo(used.out());
    assertThat(again.err()).doesNotContain("another machine");
  }

  @Test
  void aDryRunAndWrongOptionsSearchNothing() {
    assertThat(tune("--dry-run").out()).contains("would search");
    assertThat(tune("--trials", "0").status()).isEqualTo(2);
    assertThat(tune("--schedule", "parallel(i)").err()).contains("tune chooses the schedule");
    assertThat(tune("--plot", folder.resolve("t.gif").toString()).err()).contains(".svg");
    assertThat(Run.names(folder)).containsExactly("a.mtx", "x.tns");
    assertThat(Run.names(cache)).isEmpty();
  }
}
