package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Models with numbers that no method makes, by the commands that read models. */
class DamagedModelTest extends FolderCase {
  private static final String[] COMMANDS = {
    "diagnose DIR/MODEL DIR/x.tns",
    "top DIR/MODEL",
    "report DIR/MODEL DIR/r.html",
    "predict DIR/MODEL DIR/x.tns DIR/p.tns"
  };

  @BeforeEach
  void decompose() {
    Run.write(folder, "x.tns", "1 1 1 1\n2 2 2 2\n3 1 2 3\n1 3 3 4\n");
    run("cpd DIR/x.tns --rank 2 --output DIR/cp", "").succeeds();
    run("tucker DIR/x.tns --ranks 2,2,2 --output DIR/tucker", "").succeeds();
  }

  private Run run(String line, String model) {
    return weft(line.replace("MODEL", model));
  }

  @ParameterizedTest
  @CsvSource({
    "cp, lambda, NaN",
    "cp, mode1, -Infinity",
    "tucker, core, Infinity",
    "tucker, mode2, NaN"
  })
  void numbersAreFinite(String model, String array, double number) throws IOException {
    Path file = folder.resolve(model).resolve(array + ".npy");
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer.wrap(bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putDouble(bytes.length - Double.BYTES, number);
    Files.write(file, bytes);
    for (String command : COMMANDS) {
      Run run = run(command, model);
      assertThat(run.status()).as(command).isEqualTo(2);
      assertThat(run.err())
          .as(command)
          .contains("WEFT-301", array + ".npy: expected finite numbers, found " + number);
    }
    assertThat(Files.exists(folder.resolve("r.html"))).isFalse();
    assertThat(Files.exists(folder.resolve("p.tns"))).isFalse();
  }

  /** To run the command again would find it missing again. */
  @ParameterizedTest
  @CsvSource({"cp, lambda.npy", "cp, mode0.npy", "cp, mode2.npy", "tucker, core.npy"})
  void aMissingArrayIsAMistakeOfTheInput(String model, String array) throws IOException {
    Files.delete(folder.resolve(model).resolve(array));
    List<String> commands = new ArrayList<>(List.of(COMMANDS));
    commands.add("compare DIR/MODEL DIR/MODEL");
    if (model.equals("cp")) {
      commands.add("cpd DIR/x.tns --rank 2 --init DIR/MODEL --output DIR/next");
      commands.add("cpd DIR/x.tns --append DIR/MODEL --output DIR/next");
    }
    for (String command : commands) {
      Run run = run(command, model);
      assertThat(run.status()).as(command + ": " + run.err()).isEqualTo(2);
      assertThat(run.err()).as(command).contains("WEFT-10", array);
    }
    assertThat(folder.resolve("next")).doesNotExist();
  }

  @ParameterizedTest
  @CsvSource({"cp, mode0.npy", "cp, mode1.tsv", "cp, summary.json", "tucker, core.npy"})
  void aFolderInThePlaceOfAFileIsAMistakeOfTheInput(String model, String file) throws IOException {
    Files.deleteIfExists(folder.resolve(model).resolve(file));
    Files.createDirectory(folder.resolve(model).resolve(file));
    for (String command : COMMANDS) {
      Run run = run(command, model);
      assertThat(run.status()).as(command + ": " + run.err()).isEqualTo(2);
      assertThat(run.err()).as(command).contains(file);
    }
  }

  @Test
  void theOrderOfACoreIsNamed() throws IOException {
    Path file = folder.resolve("tucker/core.npy");
    String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    Files.write(
        file,
        text.replace("'fortran_order': False", "'fortran_order': True ")
            .getBytes(StandardCharsets.ISO_8859_1));
    assertThat(run("top DIR/MODEL", "tucker").err())
        .contains(
            "core.npy: expected an array in C order of shape [2, 2, 2], found one in Fortran");
  }
}
