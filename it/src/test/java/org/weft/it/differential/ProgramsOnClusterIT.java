package org.weft.it.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.weft.compiler.eval.Evaluator;
import org.weft.compiler.lang.Program;
import org.weft.compiler.lang.SourceText;
import org.weft.compiler.program.ProgramRunner;
import org.weft.compiler.program.TestedPrograms;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.engine.EngineOptions;
import org.weft.engine.program.PartedSpace;
import org.weft.it.cluster.ClusterExtension;
import org.weft.it.cluster.ClusterSession;
import org.weft.it.cluster.TestCluster;
import org.weft.jobs.option.CommonOptions;
import org.weft.jobs.output.Console;
import org.weft.jobs.run.StorageProgramFiles;

/**
 * The programs of {@code conf} and those of the compiler's tests, COMET's among them, print on two
 * executors what they print in one process.
 */
@ExtendWith(ClusterExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ProgramsOnClusterIT {
  private static final Path OWN = Path.of("../conf/programs");
  private static final int PARTITIONS = 2;

  private final TestCluster cluster;
  private Path folder = Path.of("");
  @AutoClose private ClusterSession session;

  ProgramsOnClusterIT(TestCluster cluster) {
    this.cluster = cluster;
  }

  @BeforeAll
  void start(@TempDir Path temp) {
    folder = temp;
    session =
        new ClusterSession(
            cluster, EngineOptions.defaults().planning(p -> p.withPartitions(PARTITIONS)));
  }

  static List<Path> programs() throws IOException {
    List<Path> programs = new ArrayList<>();
    for (Path from : List.of(OWN, TestedPrograms.FOLDER)) {
      try (Stream<Path> files = Files.list(from)) {
        files.filter(file -> file.toString().endsWith(".ta")).sorted().forEach(programs::add);
      }
    }
    assertThat(programs).hasSizeGreaterThan(10);
    return programs;
  }

  static List<Path> someOfThem() throws IOException {
    List<Path> all = programs();
    return IntStream.range(0, all.size()).filter(n -> n % 4 == 0).mapToObj(all::get).toList();
  }

  @Tag("long")
  @ParameterizedTest
  @MethodSource("programs")
  void allPrintTheSame(Path program) throws IOException {
    printTheSame(program);
  }

  @ParameterizedTest
  @MethodSource("someOfThem")
  void printTheSame(Path program) throws IOException {
    String expected;
    Map<String, String> inputs;
    if (program.startsWith(OWN)) {
      Path graph = Files.writeString(folder.resolve("graph.mtx"), graph());
      inputs = Map.of("SPARSE_FILE_NAME0", graph.toString());
      expected = inThisProcess(program, inputs);
    } else {
      String name = program.getFileName().toString();
      inputs = TestedPrograms.files(name);
      expected = Files.readString(TestedPrograms.printed(name));
    }
    assertThat(timeless(onExecutors(program, inputs))).isEqualTo(timeless(expected));
  }

  private static String timeless(String printed) {
    return printed.replaceAll("(?m)^ELAPSED_TIME.*\n", "");
  }

  private String inThisProcess(Path program, Map<String, String> inputs) throws IOException {
    StringBuilder printed = new StringBuilder();
    new ProgramRunner(files(), inputs, printed::append)
        .run(parsed(program), new Evaluator(session.engine().compiler(), 2));
    return printed.toString();
  }

  private static ProgramFiles files() {
    Console console = new Console(System.out, System.err);
    return new StorageProgramFiles(CommonOptions.files(), new CommonOptions(), console);
  }

  private Program parsed(Path program) throws IOException {
    String text =
        Files.readString(program)
            .replace("copy.mtx", folder.resolve("copy.mtx").toUri().toString());
    return ProgramRunner.parse(new SourceText(program.getFileName().toString(), text));
  }

  private String onExecutors(Path program, Map<String, String> inputs) throws IOException {
    StringBuilder printed = new StringBuilder();
    new ProgramRunner(files(), inputs, printed::append)
        .run(
            parsed(program),
            new PartedSpace(session.engine(), PartedSpace.Files.PLAIN, PartedSpace.Plans.NONE));
    return printed.toString();
  }

  /** A ring of 40 vertices with a chord from every third one, in both directions. */
  private static String graph() {
    List<String> lines = new ArrayList<>();
    for (int v = 0; v < 40; v++) {
      for (int w : v % 3 == 0 ? new int[] {(v + 1) % 40, (v + 2) % 40} : new int[] {(v + 1) % 40}) {
        lines.add((v + 1) + " " + (w + 1) + " " + (1 + (v + w) % 5));
        lines.add((w + 1) + " " + (v + 1) + " " + (1 + (v + w) % 5));
      }
    }
    return "%%MatrixMarket matrix coordinate real general\n40 40 "
        + lines.size()
        + "\n"
        + String.join("\n", lines)
        + "\n";
  }
}
