package org.weft.it.nightly;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** {@code conf/nightly.yaml} with a checkpoint after each iteration, and its days. */
enum Sample {
  /** Days are tables with names in them, which Spark reads. */
  TABLES(".csv"),
  /** Days are tensors, which are added without Spark: so a night is shorter. */
  TENSORS(".tns");

  static final List<String> DAYS = List.of("2026-11-20", "2026-11-21");
  static final int EVENTS = 4_000;

  /** A tensor to which days as tensors are added: its two events set the shape. */
  static final String SEED = "1 1 1 1\n120 80 24 1\n";

  private final String ending;

  Sample(String ending) {
    this.ending = ending;
  }

  /** The text of the workflow. */
  String workflow() throws IOException {
    String sample =
        Files.readString(Path.of("..", "conf", "nightly.yaml"))
            .replace("--every 5m", "--every 1it --iterations 8")
            .replace("backoff: 30s", "backoff: 1s");
    assertThat(sample).contains("--every 1it", "backoff: 1s");
    if (this == TABLES) {
      return sample;
    }
    String tensors =
        sample
            .replaceAll(
                "ingest [^\n]*\n[^\n]*--append",
                "convert \\${events}\\${date}.tns \\${work}/events.weft --append")
            .replace(".csv", ending);
    assertThat(tensors).contains("convert ${events}${date}.tns");
    return tensors;
  }

  /** The name of a day's events. */
  String fileOf(int day) {
    return "events-" + DAYS.get(day) + ending;
  }

  /** Two groups of users who like two groups of items at two times of the day. */
  String events(int day) {
    Random random = new Random(day);
    StringBuilder text = new StringBuilder(this == TABLES ? "user,item,time\n" : "");
    for (int n = 0; n < EVENTS; n++) {
      int group = random.nextInt(2);
      int user = 60 * group + random.nextInt(50 + 10 * day);
      int item = 40 * group + random.nextInt(40);
      int hour = 12 * group + random.nextInt(6);
      text.append(
          this == TABLES
              ? "u%d,i%d,%sT%02d:00:00Z%n".formatted(user, item, DAYS.get(day), hour)
              : "%d %d %d 1%n".formatted(user + 1, item + 1, hour + 1));
    }
    return text.toString();
  }

  /** The number of events after all nights. */
  int total() {
    return DAYS.size() * EVENTS + (this == TABLES ? 0 : 2);
  }
}
