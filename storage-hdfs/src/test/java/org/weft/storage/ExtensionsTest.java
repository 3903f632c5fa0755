package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.WeftException;

/** The extensions that errors list are those that are taken, for reading and for writing. */
class ExtensionsTest {
  private static final String WRITTEN =
      ".mtx, .npy, .tns, .weft, .wtb (.mtx, .tns also with .gz, .bz2 or .zst)";

  @TempDir Path folder;

  private String file(String extension) {
    return folder.resolve("x" + extension).toString();
  }

  @Test
  void whatTheErrorOfAnInputListsIsRead() {
    assertThat(TensorFiles.extensions()).contains(".tns", ".tns.gz", ".hb", ".rua");
    TensorFiles.extensions().forEach(name -> TensorFiles.requireKnownExtension("x" + name));
    assertThatThrownBy(() -> TensorFiles.requireKnownExtension("x.csv"))
        .hasMessageContaining("x.csv: expected a file name that ends in ")
        .hasMessageContaining(
            "ends in .mtx, .npy, .rb, .hb, .rua, .rra, .rsa, .rza, .pua, .pra, .psa, .pza, .tns,"
                + " .weft, .wtb (.mtx, .rb, .tns also with .gz, .bz2 or .zst);");
  }

  @ParameterizedTest
  @CsvSource({
    "x.csv, a table becomes a tensor by 'weft ingest'",
    "a.b/x.PARQUET, a table becomes a tensor by 'weft ingest'",
    "x.csv.gz, a table becomes a tensor by 'weft ingest'",
    "x.weft@yesterday, 'a version is a number, as in x.weft@3'",
    "x.weft@, 'a version is a number, as in x.weft@3'",
    "x.dat, rename the file or convert it",
    "csv, rename the file or convert it",
  })
  void theErrorOfAnInputSaysWhatToDo(String uri, String remedy) {
    assertThatThrownBy(() -> TensorFiles.requireKnownExtension(uri))
        .hasMessageStartingWith(uri + ": expected a file name that ends in ")
        .hasMessageEndingWith("; " + remedy);
  }

  @Test
  void whatTheErrorOfAnOutputListsIsWritten() {
    List<String> written = TensorFiles.writableExtensions();
    assertThat(TensorFiles.extensions()).containsAll(written);
    for (String name : TensorFiles.extensions()) {
      String uri = file(name);
      if (written.contains(name)) {
        assertThatCode(() -> TensorFiles.checkOutput(Entries.ACCESS, uri, false))
            .doesNotThrowAnyException();
      } else {
        assertThatThrownBy(() -> TensorFiles.checkOutput(Entries.ACCESS, uri, false))
            .isInstanceOf(WeftException.class)
            .hasMessageEndingWith("Harwell-Boeing text is read, but not written");
        assertThatThrownBy(
                () -> TensorFiles.create(Entries.ACCESS, uri, false, 2, WriteOptions.defaults()))
            .hasMessageContaining("ends in " + WRITTEN + ";");
      }
    }
    assertThat(folder).isEmptyDirectory();
    assertThatThrownBy(() -> TensorFiles.checkOutput(Entries.ACCESS, file(".csv"), false))
        .hasMessageEndingWith("ends in " + WRITTEN);
  }
}
