package org.weft.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.file.FileAccess;

/** {@code weft ingest} on Spark or without it, with small tables, and what it then holds. */
abstract class IngestCase extends FolderCase {
  private final List<String> settings = new ArrayList<>();

  final void set(String name, String value) {
    settings.add(name);
    System.setProperty(name, value);
  }

  @BeforeEach
  void startSpark() {
    JoinedSpark.start();
  }

  @AfterAll
  static void stopSpark() {
    JoinedSpark.stop();
  }

  @AfterEach
  void reset() {
    settings.forEach(System::clearProperty);
  }

  /** Whether Spark does all jobs; else it does those that one process does not. */
  boolean isOnSpark() {
    return true;
  }

  final Run ingest(String... arguments) {
    List<String> all = new ArrayList<>(List.of("ingest"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("--partitions", "3"));
    if (isOnSpark()) {
      all.addAll(List.of("--master", "local[2,2]"));
    }
    return Run.of(all.toArray(String[]::new));
  }

  /** The entries of a container by their labels: {@code a|b=1.0}. */
  final Map<String, Double> entries(String container) {
    FileAccess files = FileAccess.local();
    InputPlan plan = TensorFiles.open(files, path(container), ReadOptions.defaults());
    Map<Integer, Labels> labels = TensorFiles.labels(files, path(container));
    Map<String, Double> entries = new TreeMap<>();
    TensorFiles.readAll(files, plan)
        .blocks()
        .forEach(
            block -> {
              for (int e = 0; e < block.size(); e++) {
                List<String> at = new ArrayList<>();
                for (int mode = 0; mode < block.order(); mode++) {
                  at.add(labels.get(mode).label(block.coordinate(mode, e)));
                }
                assertThat(entries.put(String.join("|", at), block.value(e))).isNull();
              }
            });
    return entries;
  }

  final List<String> labels(String container, int mode) {
    return TensorFiles.labels(FileAccess.local(), path(container)).get(mode).toList();
  }

  static final String SALES =
      """
      shop,article,sold,price
      B,"x, ""new""\",2024-01-01,1.5
      A,z,2024-01-08 10:00,2
      B,"x, ""new""\",2024-01-07T23:59:59Z,2.5

      C,,2024-01-02,1
      C,q,yesterday,1
      C,q,2024-01-01,abc
      A,b
      Ä,z,2023-12-31,1e2
      """;
}
