package org.weft.spark.ingest;

import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.weft.spark.ingest.cell.TimeFormat;

/** A job that counts rows of the columns {@code a} and {@code b}. */
final class SampleJob {
  private SampleJob() {}

  /** Of {@code t.csv} in a folder, which gets {@code t.weft}. */
  static IngestJob of(Path folder, Map<String, String> options) {
    String table = folder.resolve("t.csv").toString();
    TimeFormat times = new TimeFormat("iso", ZoneId.of("UTC"));
    return new IngestJob(
        new IngestJob.Table(List.of(table), "csv", List.of(), null, false, options, Map.of(), null),
        List.of(ModeSpec.parse("a", times), ModeSpec.parse("b", times)),
        null,
        IngestJob.Aggregate.SUM,
        IngestJob.Transform.NONE,
        null,
        false,
        false,
        folder.resolve("t.weft").toString(),
        false,
        false,
        "",
        false,
        null,
        0,
        "t.csv",
        "test",
        "test");
  }
}
