package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.BlockReader;
import org.weft.storage.ContainerOptions;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FaultyFileSystem;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * Random histories of a labelled container against a model in memory: appends with keys and
 * without, retries, replacements, writers that die at a random file operation, writers at the same
 * time, collections. After each step the container, read by labels, is what the model says, and
 * versions and coordinates that were there are what they were.
 */
class LabelledHistoriesTest {
  private static final int HISTORIES =
      Integer.getInteger("weft.histories", Boolean.getBoolean("weft.long") ? 2_000 : 10);
  private static final int STEPS = 6;
  private static final int MODES = 2;
  private static final List<String> NAMES = List.of("user", "day");
  private static final int OPERATIONS = 60;
  private static final int LEAST_OPERATIONS = 30;

  @TempDir Path folder;

  private final FileAccess files = FaultyFileSystem.access();

  @AfterEach
  void noFault() {
    FaultyFileSystem.operationsLeft = -1;
  }

  /** Cells by labels: {@code u3 d1}. */
  private record Batch(String key, boolean replace, Map<String, Double> cells) {}

  @Test
  void containersAreWhatTheModelSays() throws Exception {
    long seed = Long.getLong("weft.seed", 20261123);
    for (int history = 0; history < HISTORIES; history++) {
      try {
        new History(folder.resolve("h" + history), new Random(seed + history)).run();
      } catch (Exception | AssertionError e) {
        throw new AssertionError("-Dweft.seed=" + (seed + history) + " -Dweft.histories=1", e);
      }
    }
  }

  /** Each file operation of an append, a retry and a replacement is the last one once. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everyFileOperationMayBeTheLast(boolean replace) throws Exception {
    int step = Boolean.getBoolean("weft.long") ? 1 : 3;
    int operations = replace ? -1 : 0;
    boolean died = true;
    while (died) {
      operations += step;
      History history = new History(folder.resolve("o" + operations), new Random(1));
      try {
        history.begin();
        history.append(history.batch("key", false));
        history.check();
        died = history.crash(history.batch(replace ? "key" : "next", replace), operations);
        history.check();
        history.retry();
        history.check();
      } catch (Exception | AssertionError e) {
        throw new AssertionError("when operation " + operations + " is the last", e);
      }
    }
    assertThat(operations).isGreaterThan(LEAST_OPERATIONS);
    assertThat(operations).as("what random histories draw from").isLessThanOrEqualTo(OPERATIONS);
  }

  /** One container and what should be in it. */
  private final class History {
    private final String uri;
    private final Random random;

    /** What was written, by key; what has no key has a number. */
    private Map<String, Map<String, Double>> model = new LinkedHashMap<>();

    private final Map<Long, Map<String, Double>> versions = new HashMap<>();
    private List<List<String>> dictionary = List.of(List.of(), List.of());
    private int made;
    private boolean replaced; // a batch, after which there may be no samples

    History(Path path, Random random) {
      this.uri = "faulty:" + path + ".weft";
      this.random = random;
    }

    void run() throws Exception {
      begin();
      check();
      for (int step = 0; step < STEPS; step++) {
        switch (random.nextInt(8)) {
          case 0, 1 -> append(batch(fresh(), false));
          case 2 -> append(batch("", false));
          case 3 -> crash(batch(random.nextInt(4) == 0 ? "" : fresh(), false), anyOperation());
          case 4 -> retry();
          case 5 -> replace(false);
          case 6 -> replace(true);
          default -> together(batch(fresh(), false), batch(fresh(), false));
        }
        check();
        if (random.nextInt(6) == 0) {
          boolean expire = random.nextBoolean();
          ContainerGarbage.collect(files, uri, expire ? Duration.ZERO : null, Duration.ZERO, false);
          if (expire) {
            versions.keySet().retainAll(List.of(Container.open(files, uri).version()));
          }
          check();
        }
      }
    }

    private int anyOperation() {
      return 1 + random.nextInt(OPERATIONS);
    }

    private String fresh() {
      return "key" + made++;
    }

    private Batch batch(String key, boolean replace) {
      Map<String, Double> cells = new TreeMap<>();
      int base = random.nextInt(4) == 0 ? 6 : random.nextInt(2) * 3;
      for (int n = random.nextInt(7); n >= 0; n--) {
        String cell = "u" + (base + random.nextInt(6)) + " d" + random.nextInt(5);
        cells.put(cell, 1.0 + random.nextInt(9));
      }
      return new Batch(key, replace, cells);
    }

    /** The first version, under a key or none, in an order of its own or not. */
    private void begin() throws Exception {
      Batch first = batch(random.nextBoolean() ? fresh() : "", false);
      boolean reordered = random.nextInt(3) == 0;
      try (TensorOutput out = open(first, Existing.REFUSE, reordered)) {
        out.commit();
      }
      add(first);
    }

    private void add(Batch batch) {
      model.put(batch.key().isEmpty() ? "#" + made++ : batch.key(), batch.cells());
    }

    /** A writer that has written the entries, under labels in a random order. */
    private TensorOutput open(Batch batch, Existing existing, boolean reordered)
        throws IOException {
      replaced |= batch.replace();
      List<List<String>> labels = new ArrayList<>();
      for (int mode = 0; mode < MODES; mode++) {
        int m = mode;
        List<String> known =
            new ArrayList<>(
                batch.cells().keySet().stream().map(c -> c.split(" ")[m]).distinct().toList());
        Collections.shuffle(known, random);
        labels.add(known);
      }
      CooBlock.Builder block = new CooBlock.Builder(MODES, 8);
      batch
          .cells()
          .forEach(
              (cell, value) -> {
                for (int mode = 0; mode < MODES; mode++) {
                  block.set(mode, labels.get(mode).indexOf(cell.split(" ")[mode]));
                }
                block.finish(value);
              });
      ContainerOptions container =
          ContainerOptions.defaults()
              .withModeNames(NAMES)
              .withPartEntries(3)
              .withBatch(batch.key(), batch.replace());
      if (reordered) {
        container = container.withPermutations(Map.of(0, permutation(labels.get(0).size())));
      }
      WriteOptions options =
          WriteOptions.defaults()
              .withShape(TensorShape.of(labels.get(0).size(), labels.get(1).size()))
              .withLabels(Map.of(0, Labels.of(labels.get(0)), 1, Labels.of(labels.get(1))))
              .withContainer(container);
      TensorOutput out = TensorFiles.create(files, uri, existing, MODES, options);
      try {
        out.write(block.build());
        return out;
      } catch (IOException | RuntimeException e) {
        out.close();
        throw e;
      }
    }

    private int[] permutation(int size) {
      List<Integer> places = new ArrayList<>();
      for (int c = 0; c < size; c++) {
        places.add(c);
      }
      Collections.shuffle(places, random);
      return places.stream().mapToInt(c -> c).toArray();
    }

    private boolean write(Batch batch) throws IOException {
      try (TensorOutput out = open(batch, Existing.APPEND, false)) {
        return out.commit();
      }
    }

    private void append(Batch batch) throws IOException {
      assertThat(write(batch)).isTrue();
      add(batch);
    }

    /**
     * A writer dies; the container is as before or as after; then it is started again.
     *
     * @param operations of the file system until the writer dies
     * @return whether it came so far
     */
    private boolean crash(Batch batch, int operations) throws Exception {
      Map<String, Map<String, Double>> before = new LinkedHashMap<>(model);
      Map<String, Double> old = sums();
      boolean died = dies(batch, operations);
      model.remove(batch.key());
      add(batch);
      Map<String, Double> now = read(uri);
      assertThat(now).isIn(old, sums());
      if (!died) {
        assertThat(now).isEqualTo(sums());
      }
      if (batch.key().isEmpty()) {
        model = now.equals(sums()) ? model : before; // nobody can tell, so nobody retries
        return died;
      }
      boolean there = before.containsKey(batch.key());
      boolean written = write(batch);
      if (!there) {
        assertThat(written).as("written again").isEqualTo(now.equals(old) && !now.equals(sums()));
      }
      return died;
    }

    private boolean dies(Batch batch, int operations) throws IOException {
      FaultyFileSystem.operationsLeft = operations;
      try {
        write(batch);
        return false;
      } catch (WeftException | IOException e) {
        assertThat(FaultyFileSystem.operationsLeft).as(String.valueOf(e)).isZero();
        return true;
      } finally {
        FaultyFileSystem.operationsLeft = -1;
      }
    }

    private String known() {
      List<String> keys = model.keySet().stream().filter(k -> !k.startsWith("#")).toList();
      return keys.isEmpty() ? "" : keys.get(random.nextInt(keys.size()));
    }

    private void retry() throws IOException {
      String key = known();
      if (!key.isEmpty()) {
        long version = Container.open(files, uri).version();
        assertThat(write(batch(key, false))).as("a batch that is there").isFalse();
        assertThat(Container.open(files, uri).version()).isEqualTo(version);
      }
    }

    private void replace(boolean dies) throws Exception {
      Batch batch = batch(known(), true);
      if (batch.key().isEmpty()) {
        return;
      }
      if (dies) {
        crash(batch, anyOperation());
      } else {
        assertThat(write(batch)).isTrue();
        model.remove(batch.key());
        add(batch);
      }
    }

    /** Two writers go on from the same version: one is told, and tries again. */
    private void together(Batch one, Batch other) throws IOException {
      try (TensorOutput first = open(one, Existing.APPEND, false);
          TensorOutput second = open(other, Existing.APPEND, false)) {
        boolean swapped = random.nextBoolean();
        TensorOutput winner = swapped ? second : first;
        TensorOutput loser = swapped ? first : second;
        assertThat(winner.commit()).isTrue();
        add(swapped ? other : one);
        try {
          loser.commit();
          throw new AssertionError("two writers of one version");
        } catch (WeftException e) {
          assertThat(e.code()).isEqualTo(ErrorCode.COMMIT_CONFLICT);
        }
        append(swapped ? one : other);
      }
    }

    private Map<String, Double> sums() {
      Map<String, Double> sums = new TreeMap<>();
      model.values().forEach(cells -> cells.forEach((at, v) -> sums.merge(at, v, Double::sum)));
      return sums;
    }

    private void check() throws Exception {
      Container present = Container.open(files, uri);
      assertThat(read(uri)).isEqualTo(sums());
      assertThat(present.modeNames()).isEqualTo(NAMES);
      assertThat(present.batches())
          .containsExactlyInAnyOrderElementsOf(
              model.keySet().stream().filter(k -> !k.startsWith("#")).toList());
      List<List<String>> labels = new ArrayList<>();
      for (int mode = 0; mode < MODES; mode++) {
        List<String> all = List.copyOf(present.labels().original(mode).toList());
        List<String> before = dictionary.get(mode);
        assertThat(all).doesNotHaveDuplicates();
        assertThat(all.subList(0, before.size())).isEqualTo(before);
        assertThat(all).hasSize((int) present.shape().size(mode));
        labels.add(all);
      }
      dictionary = labels;
      if (!versions.isEmpty()) {
        List<Long> old = List.copyOf(versions.keySet());
        long one = old.get(random.nextInt(old.size()));
        assertThat(read(uri + "@" + one)).isEqualTo(versions.get(one));
      }
      versions.put(present.version(), sums());
      InputPlan plan = TensorFiles.open(files, uri, ReadOptions.defaults().withStoredOrder(true));
      TensorStatistics.Builder counted = TensorStatistics.builder(MODES).sampling();
      forEach(plan, counted::add);
      TensorStatistics expected = counted.build(present.shape());
      assertThat(present.statistics()).isEqualTo(expected.withSamples(List.of()));
      TensorStatistics sampled = present.sampled(present.statistics());
      if (!replaced || !sampled.samples().isEmpty()) {
        assertThat(sampled).isEqualTo(expected);
      }
    }

    private Map<String, Double> read(String name) throws IOException {
      Map<Integer, Labels> labels = TensorFiles.labels(files, name);
      InputPlan plan = TensorFiles.open(files, name, ReadOptions.defaults());
      Map<String, Double> sums = new TreeMap<>();
      forEach(
          plan,
          block -> {
            for (int e = 0; e < block.size(); e++) {
              String user = labels.get(0).label(block.coordinate(0, e));
              String day = labels.get(1).label(block.coordinate(1, e));
              sums.merge(user + " " + day, block.value(e), Double::sum);
            }
          });
      return sums;
    }

    private void forEach(InputPlan plan, Consumer<CooBlock> use) throws IOException {
      for (InputSplit split : plan.splits()) {
        try (BlockReader reader = TensorFiles.read(files, plan, split)) {
          reader.forEachRemaining(use);
        }
      }
    }
  }
}
