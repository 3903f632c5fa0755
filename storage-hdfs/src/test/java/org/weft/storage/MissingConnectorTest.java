package org.weft.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.file.FileAccess;

/** File systems that are not on the class path: one line that says what to add. */
class MissingConnectorTest {
  @ParameterizedTest
  @CsvSource({
    "s3a://bucket/x.tns, 'add Hadoop''s hadoop-aws'",
    "abfs://c@account.dfs.core.windows.net/x.weft, 'add Hadoop''s hadoop-azure'",
    "gs://bucket/x.tns, add its jars",
    "nosuch://host/x.tns, add its connector to the class path"
  })
  void isNamed(String uri, String remedy) {
    FileAccess files = FileAccess.local();
    assertThatThrownBy(() -> TensorFiles.open(files, uri, ReadOptions.defaults()))
        .isInstanceOfSatisfying(
            WeftException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.USAGE);
              assertThat(e.getMessage()).contains(uri, remedy).doesNotContain("\n");
            });
    assertThatThrownBy(() -> TensorFiles.checkOutput(files, uri, false))
        .isInstanceOf(WeftException.class)
        .hasMessageContaining(remedy);
  }
}
