package org.weft.compiler.program.space;

import java.io.BufferedReader;
import java.util.List;
import java.util.Optional;
import org.weft.tensor.TensorStorage;
import org.weft.tensor.ValueType;

/** Files that are read as usual and never written. */
public final class ReadOnlyFiles implements ProgramFiles {
  private final ProgramFiles files;

  public ReadOnlyFiles(ProgramFiles files) {
    this.files = files;
  }

  @Override
  public Entries read(String uri, ValueType type) {
    return files.read(uri, type);
  }

  @Override
  public BufferedReader openText(String uri) {
    return files.openText(uri);
  }

  @Override
  public void write(String uri, TensorStorage tensor, List<Optional<ModeIdentity>> modes) {}

  @Override
  public void checkOutput(String uri) {
    files.checkOutput(uri);
  }
}
