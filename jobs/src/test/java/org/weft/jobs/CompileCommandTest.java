package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files of {@code weft compile}; what they do is tested in the compiler. */
class CompileCommandTest {
  private static final String SPMV = "y(i) = A(i,j) * x(j)";

  @TempDir private Path folder;

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  @Test
  void makesALibraryAHeaderAndAModule() throws Exception {
    Path library = folder.resolve("libk.so");
    Run run =
        Run.line(
            "compile %s --format %s -o %s --header %s --python %s --cpu x86-64-v2 " + "--threads 2",
            SPMV, "A={D, CU}@1,0,x=Dense", library.toString(), file("k.h"), file("k.py"));
    assertThat(run.err()).contains("wrote " + library, "x86-64-v2");
    assertThat(run.status()).isZero();
    assertThat(Run.names(folder)).containsExactly("k.h", "k.py", "libk.so");
    assertThat(Files.readAllBytes(library)).startsWith('\u007f', 'E', 'L', 'F');
    assertThat(Run.read(file("k.h")))
        .contains("int32_t k_run(weft_tensor *y_, const weft_tensor *A_, const weft_tensor *x_,")
        .contains("A(i,j), dense (mode 1), compressed (mode 0)")
        .doesNotContainPattern("@[A-Z]+@");
    assertThat(Run.read(file("k.py")))
        .contains("\"libk.so\"", "y = k.run(A=A, x=x)", "(\"A\", \"csc\"")
        .doesNotContainPattern("@[A-Z]+@");
  }

  @Test
  void aLibraryWithTheNameOfItsModuleCanBeImported() throws Exception {
    Run.of("compile", SPMV, "-o", file("k.so"), "--python", file("k.py"));
    Run.of("compile", SPMV, "-o", file("other.so"), "--python", file("third.py"));
    assertThat(symbols("k.so")).contains("PyInit_k");
    assertThat(symbols("other.so")).doesNotContain("PyInit_");
  }

  @Test
  void makesTheFoldersOfItsFiles() {
    Run.of("compile", SPMV, "-o", file("a/b/k.so"), "--header", file("c/k.h")).succeeds();
    assertThat(folder.resolve("a/b/k.so")).isNotEmptyFile();
    assertThat(folder.resolve("c/k.h")).isNotEmptyFile();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--format A=CSR --format A=CSC | expected --format of A once, found 'CSR' and 'CSC'",
        "--size i=3 --size i=4         | expected --size of i once, found 'i=3' and 'i=4'",
        "--size i=-1                   | expected a size of the label i of at least 0, found -1"
      })
  void pairsThatCannotBeMeantAreErrors(String options, String message) {
    String line = "compile y(i)=A(i,j)*x(j) -o " + file("k.so") + " " + options.strip();
    Run.of(line.split(" +")).fails(2, "WEFT-100", message);
  }

  @Test
  void oneFileForTwoOutputsIsRefused() {
    Run.of("compile", SPMV, "-o", file("k.so"), "--python", file("./k.so"))
        .fails(2, "WEFT-100", "k.so: expected different files for the library");
    assertThat(folder).isEmptyDirectory();
  }

  private String symbols(String name) throws Exception {
    return new String(Files.readAllBytes(folder.resolve(name)), StandardCharsets.ISO_8859_1);
  }

  @Test
  void theProgramOfThePagePrintsWhatThePageSays() throws Exception {
    assumeTrue(shell("command -v cc").startsWith("/"), "no C compiler here");
    String page = Pages.text(Pages.ROOT.resolve("conf/reference/libraries.md"));
    String line = "cc main.c ./k.so -o main && ./main";
    assertThat(page).contains("`" + line + "` prints `21 30`");
    for (Pages.Block block : Pages.blocks(page)) {
      if (block.name().equals("main.c")) {
        Run.write(folder, block.name(), block.text());
      }
    }
    Run.of("compile", SPMV, "--format", "A=CSR", "-o", file("k.so"), "--header", file("k.h"));
    assertThat(shell(line)).isEqualTo("21 30\n");
  }

  private String shell(String line) throws Exception {
    Process process =
        new ProcessBuilder("sh", "-c", line)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }

  @Test
  void existingFilesStay() {
    Run.write(folder, "k.h", "mine");
    String[] line = {"compile", SPMV, "-o", file("k.so"), "--header", file("k.h"), "--overwrite"};
    Run.of(Arrays.copyOf(line, 6)).fails(2, "WEFT-104", "k.h: the output exists");
    assertThat(Run.names(folder)).containsExactly("k.h");
    Run.of(line).succeeds();
    assertThat(Run.read(file("k.h"))).contains("k_run");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--cpu | pentium | WEFT-100: expected --cpu native, x86-64-v2, x86-64-v3, x86-64-v4, found",
        "--name | a-b | C identifier",
        "--format | CSR | NAME=FORMAT",
        "--format | A= | NAME=FORMAT",
        "--format | A=CSX | WEFT-102",
        "--threads | -1 | at least 0 threads",
        "--schedule | nope(i) | WEFT-110",
      })
  void mistakesAreNamed(String option, String value, String words) {
    Run run = Run.of("compile", SPMV, "-o", file("k.so"), option, value);
    assertThat(run.status()).isEqualTo(2);
    assertThat(run.err().lines().findFirst().orElseThrow()).contains(words);
    assertThat(Run.names(folder)).isEmpty();
  }
}
