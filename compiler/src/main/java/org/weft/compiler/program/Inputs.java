package org.weft.compiler.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.weft.compiler.lang.Program;
import org.weft.compiler.program.space.CommonModes;
import org.weft.compiler.program.space.Diagonals;
import org.weft.compiler.program.space.ProgramFiles;
import org.weft.compiler.program.space.SizedCoordinates;
import org.weft.compiler.program.space.StoredAs;
import org.weft.compiler.program.space.TensorSpace;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.tensor.ValueType;

/** What the reading steps of a program read, and from where. */
final class Inputs {
  private static final String VARIABLE = "SPARSE_FILE_NAME";

  private final ProgramFiles files;
  private final Map<String, String> environment;
  private final ComparedModes compared;
  private final CommonModes common;

  Inputs(Program program, ProgramFiles files, Map<String, String> environment) {
    this.files = files;
    this.environment = environment;
    this.compared = new ComparedModes(program);
    this.common = files.common(compared.classes(this::uri));
  }

  private Optional<String> uri(Program.Step read) {
    return read instanceof Program.ReadUri uri
        ? Optional.of(uri.uri())
        : Optional.ofNullable(environment.get(VARIABLE + ((Program.ReadNumbered) read).file()));
  }

  ProgramFiles files() {
    return files;
  }

  /**
   * Reads the file of a {@code ReadNumbered} or {@code ReadUri}, for {@code stored}, at coordinates
   * that it has in common with what the program compares it with.
   */
  TensorSpace.Input read(TensorSpace space, Program.Step step, StoredAs stored) {
    TensorSpace.Input input = file(space, step, stored);
    return common
        .of(compared.number(step), input.shape(), input.modes())
        .map(input::at)
        .orElse(input);
  }

  private TensorSpace.Input file(TensorSpace space, Program.Step step, StoredAs stored) {
    if (step instanceof Program.ReadUri uri) {
      return space.read(uri.uri(), Diagonals.ALL, stored);
    }
    Program.ReadNumbered numbered = (Program.ReadNumbered) step;
    Diagonals part = Diagonals.of(numbered.part());
    String uri = environment.get(VARIABLE + numbered.file());
    if (uri == null || uri.isBlank()) {
      throw new WeftException(
          ErrorCode.INPUT_NOT_FOUND,
          "expected the path of file "
              + numbered.file()
              + " in the environment variable "
              + VARIABLE
              + numbered.file()
              + ", which is not set; run with "
              + VARIABLE
              + numbered.file()
              + "=file.mtx");
    }
    return text(uri)
        ? space.entries(coordinates(uri, stored.valueType()).part(part))
        : space.read(uri, part, stored);
  }

  private static boolean text(String uri) {
    String name = uri.toLowerCase(Locale.ROOT);
    return name.endsWith(".tns") || name.endsWith(".tns.gz");
  }

  /** {@code comet_read} has its own {@code .tns}: sizes and count first, 0-based coordinates. */
  private ProgramFiles.Entries coordinates(String uri, ValueType type) {
    try (BufferedReader lines = files.openText(uri)) {
      return new SizedCoordinates(uri, lines).read(type);
    } catch (IOException e) {
      throw new WeftException(
          ErrorCode.STORAGE_UNAVAILABLE, uri + ": reading failed: " + e.getMessage(), e);
    }
  }
}
