package org.weft.spark.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.Workers;
import org.weft.spark.key.HeapLimit;
import org.weft.storage.file.FileAccess;

/** A table that does not fit the heap, or that needs Spark, leaves nothing for it to stumble on. */
class LocalIngestTest {
  @TempDir Path folder;

  private Optional<IngestReport> run(long heap, Map<String, String> options) throws IOException {
    StringBuilder text = new StringBuilder("a,b\n");
    for (int n = 0; n < 5000; n++) {
      text.append("a label of some length ").append(n).append(',').append(n % 7).append('\n');
    }
    Files.writeString(folder.resolve("t.csv"), text);
    IngestJob job = SampleJob.of(folder, options);
    try (LocalIngest ingest =
        new LocalIngest(FileAccess.local(), new Workers(2), new HeapLimit(heap))) {
      return ingest.run(job, ProgressListener.NONE);
    }
  }

  @Test
  void aTableThatFitsIsWritten() throws IOException {
    assertThat(run(64 << 20, Map.of()).orElseThrow().entries()).isEqualTo(5000);
    assertThat(folder.resolve("t.weft/manifest-1.json")).exists();
  }

  @Test
  void aLargerOneIsForSpark() throws IOException {
    assertThat(run(200_000, Map.of())).isEmpty();
    assertThat(folder.resolve("t.weft")).doesNotExist();
  }

  @Test
  void soIsOneWithOptionsOfSparksReader() throws IOException {
    assertThat(run(64 << 20, Map.of("comment", "#"))).isEmpty();
    assertThat(folder.resolve("t.weft")).doesNotExist();
  }
}
