package org.weft.storage.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.weft.storage.container.ContainerTest.assertCode;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.weft.error.ErrorCode;
import org.weft.statistics.TensorStatistics;
import org.weft.storage.ContainerOptions;
import org.weft.storage.Entries;
import org.weft.storage.InputPlan;
import org.weft.storage.Labels;
import org.weft.storage.ReadOptions;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/** Entries that are added to a labelled container are found by their labels. */
class AddedLabelsTest {
  private static final List<String> NAMES = List.of("user", "day");

  @TempDir Path folder;

  private String uri() {
    return folder.resolve("x.weft").toString();
  }

  private static Labels labels(String text) {
    return Labels.of(text.isEmpty() ? List.of() : List.of(text.split(" ")));
  }

  private static CooBlock entries(String text) {
    CooBlock.Builder block = new CooBlock.Builder(2, 4);
    for (String entry : text.split(" ")) {
      String[] cells = entry.split(",");
      block.add(
          new long[] {Long.parseLong(cells[0]), Long.parseLong(cells[1])},
          Double.parseDouble(cells[2]));
    }
    return block.build();
  }

  private static WriteOptions options(String users, String days, ContainerOptions container) {
    Labels rows = labels(users);
    Labels columns = labels(days);
    return WriteOptions.defaults()
        .withShape(TensorShape.of(rows.size(), columns.size()))
        .withLabels(Map.of(0, rows, 1, columns))
        .withContainer(container);
  }

  private boolean write(Existing existing, WriteOptions options, String entries) throws Exception {
    try (TensorOutput out = TensorFiles.create(Entries.ACCESS, uri(), existing, 2, options)) {
      out.write(entries(entries));
      return out.commit();
    }
  }

  private static ContainerOptions named() {
    return ContainerOptions.defaults().withModeNames(NAMES);
  }

  /** Sums by labels: {@code ann,mon=1.0}. */
  private static String read(String uri) throws Exception {
    Map<Integer, Labels> labels = TensorFiles.labels(Entries.ACCESS, uri);
    InputPlan plan = TensorFiles.open(Entries.ACCESS, uri, ReadOptions.defaults());
    TreeMap<String, Double> sums = new TreeMap<>();
    for (CooBlock block : TensorFiles.readAll(Entries.ACCESS, plan).blocks()) {
      for (int e = 0; e < block.size(); e++) {
        String at =
            labels.get(0).label(block.coordinate(0, e))
                + ","
                + labels.get(1).label(block.coordinate(1, e));
        sums.merge(at, block.value(e), Double::sum);
      }
    }
    List<String> lines = new ArrayList<>();
    sums.forEach((at, sum) -> lines.add(at + "=" + sum));
    return String.join(" ", lines);
  }

  @Test
  void newLabelsFollowAndOldOnesKeepTheirCoordinates() throws Exception {
    write(Existing.REFUSE, options("ann bob", "mon", named()), "0,0,1 1,0,2");
    write(Existing.APPEND, options("adam bob", "tue", named()), "0,0,3 1,0,4");
    assertThat(read(uri())).isEqualTo("adam,tue=3.0 ann,mon=1.0 bob,mon=2.0 bob,tue=4.0");
    Container x = Container.open(Entries.ACCESS, uri());
    assertThat(x.labels().original(0).toList()).containsExactly("ann", "bob", "adam");
    assertThat(x.labels().original(1).toList()).containsExactly("mon", "tue");
    assertThat(x.shape()).isEqualTo(TensorShape.of(3, 2));
    write(Existing.APPEND, options("bob", "tue mon", named()), "0,0,5 0,1,6");
    assertThat(read(uri())).isEqualTo("adam,tue=3.0 ann,mon=1.0 bob,mon=8.0 bob,tue=9.0");
    assertThat(read(uri() + "/manifest-1.json")).isEqualTo("ann,mon=1.0 bob,mon=2.0");
  }

  @Test
  void aReorderedContainerIsAddedToByLabels() throws Exception {
    ContainerOptions reordered = named().withPermutations(Map.of(0, new int[] {2, 0, 1}));
    // Labels of stored coordinates: c, a, b are stored where the permutation puts a, b, c.
    write(Existing.REFUSE, options("b c a", "mon", reordered), "2,0,1 0,0,2 1,0,3");
    assertThat(read(uri())).isEqualTo("a,mon=1.0 b,mon=2.0 c,mon=3.0");
    write(Existing.APPEND, options("d c", "tue", named()), "0,0,4 1,0,5");
    assertThat(read(uri())).isEqualTo("a,mon=1.0 b,mon=2.0 c,mon=3.0 c,tue=5.0 d,tue=4.0");
    write(Existing.APPEND, options("e d a", "mon", named()), "0,0,6 1,0,7 2,0,8");
    assertThat(read(uri()))
        .isEqualTo("a,mon=9.0 b,mon=2.0 c,mon=3.0 c,tue=5.0 d,mon=7.0 d,tue=4.0 e,mon=6.0");
  }

  @Test
  void coordinatesWithoutLabelsKeepTheirNumbers() throws Exception {
    WriteOptions few = options("ann", "mon", named()).withShape(TensorShape.of(3, 1));
    write(Existing.REFUSE, few, "0,0,1 2,0,2");
    write(Existing.APPEND, options("bob 3", "mon", named()), "0,0,3 1,0,4");
    assertThat(read(uri())).isEqualTo("3,mon=6.0 ann,mon=1.0 bob,mon=3.0");
    assertThat(Container.open(Entries.ACCESS, uri()).labels().original(0).toList())
        .containsExactly("ann", "2", "3", "bob");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "user,day | a   | mon | USAGE           | 0,0,1", // replaced below: labels left out
        "day,user | a   | mon | USAGE           | 0,0,1",
        "user,week| a   | mon | USAGE           | 0,0,1",
        "user,day | a a | mon | MALFORMED_INPUT | 0,0,1",
        "user,day | a   | mon | MALFORMED_INPUT | 1,0,1"
      })
  void whatDoesNotMatchIsRefused(
      String names, String users, String days, ErrorCode code, String entries) throws Exception {
    write(Existing.REFUSE, options("ann bob", "mon", named()), "0,0,1 1,0,2");
    ContainerOptions container =
        ContainerOptions.defaults().withModeNames(List.of(names.split(",")));
    WriteOptions labelled = options(users, days, container).withShape(TensorShape.of(2, 2));
    boolean without = names.equals("user,day") && code == ErrorCode.USAGE;
    WriteOptions options = without ? labelled.withLabels(Map.of(0, labels(users))) : labelled;
    assertCode(() -> write(Existing.APPEND, options, entries), code);
    assertThat(read(uri())).isEqualTo("ann,mon=1.0 bob,mon=2.0");
    assertThat(Container.open(Entries.ACCESS, uri()).version()).isEqualTo(1);
  }

  @Test
  void labelsOntoNoneAreRefused() throws Exception {
    write(Existing.REFUSE, options("a b c d e", "mon", named()).withLabels(Map.of()), "4,0,1");
    assertCode(
        () -> write(Existing.APPEND, options("ann", "mon", named()), "0,0,1"), ErrorCode.USAGE);
  }

  @Test
  void coordinatesGoNoFurtherThanLabels() throws Exception {
    write(Existing.REFUSE, options("ann bob", "mon", named()), "0,0,1 1,0,2");
    WriteOptions plain =
        WriteOptions.defaults().withContainer(ContainerOptions.defaults().withByCoordinates(true));
    write(Existing.APPEND, plain, "1,0,3");
    assertThat(read(uri())).isEqualTo("ann,mon=1.0 bob,mon=5.0");
    assertCode(() -> write(Existing.APPEND, plain, "2,0,3"), ErrorCode.COORDINATE_OUT_OF_RANGE);
  }

  @Test
  void aVersionThatIsNotThereIsToldFromATensorThatIsNot() throws Exception {
    write(Existing.REFUSE, options("ann", "mon", named()), "0,0,1");
    write(Existing.APPEND, options("bob", "mon", named()), "0,0,2");
    assertThat(read(uri() + "@1")).isEqualTo("ann,mon=1.0");
    assertThatThrownBy(() -> read(uri() + "@7"))
        .hasMessageContaining("expected version 7, found @1, @2");
    assertThatThrownBy(() -> read(uri().replace("x.weft", "y.weft")))
        .hasMessageContaining("expected a file, found nothing");
    assertThatThrownBy(
            () ->
                TensorFiles.create(
                    Entries.ACCESS, uri() + "@3", Existing.REFUSE, 2, WriteOptions.defaults()))
        .hasMessageContaining("versions do not change");
  }

  @Test
  void aBatchIsWrittenOnce() throws Exception {
    write(Existing.REFUSE, options("ann", "mon", named().withBatch("1", false)), "0,0,1");
    assertThat(
            write(Existing.APPEND, options("bob", "tue", named().withBatch("2", false)), "0,0,2"))
        .isTrue();
    List<String> files = ContainerTest.names(folder);
    for (String batch : List.of("1", "2")) {
      assertThat(
              write(
                  Existing.APPEND, options("eve", "wed", named().withBatch(batch, false)), "0,0,9"))
          .isFalse();
    }
    assertThat(ContainerTest.names(folder)).isEqualTo(files);
    assertThat(Container.open(Entries.ACCESS, uri()).batches()).containsExactly("1", "2");
    assertThat(read(uri())).isEqualTo("ann,mon=1.0 bob,tue=2.0");
  }

  @Test
  void aBatchIsReplacedWithItsStatistics() throws Exception {
    write(Existing.REFUSE, options("ann bob", "mon", named().withBatch("1", false)), "0,0,9 1,0,2");
    write(
        Existing.APPEND, options("bob eve", "tue", named().withBatch("2", false)), "0,0,3 1,0,-4");
    write(Existing.APPEND, options("bob", "mon", named()), "0,0,5");
    write(Existing.APPEND, options("ann", "wed", named().withBatch("1", true)), "0,0,1");
    assertThat(read(uri())).isEqualTo("ann,wed=1.0 bob,mon=5.0 bob,tue=3.0 eve,tue=-4.0");
    Container x = Container.open(Entries.ACCESS, uri());
    assertThat(x.batches()).containsExactly("2", "1");
    assertThat(x.manifest().files()).as("files of the replaced batch hold labels").isNotEmpty();
    InputPlan plan = TensorFiles.open(Entries.ACCESS, uri(), ReadOptions.defaults());
    TensorStatistics.Builder counted = TensorStatistics.builder(2);
    TensorFiles.readAll(Entries.ACCESS, plan).blocks().forEach(counted::add);
    assertThat(x.statistics()).isEqualTo(counted.build(x.shape()));
    write(Existing.APPEND, options("eve", "mon", named().withBatch("2", true)), "0,0,7");
    assertThat(read(uri())).isEqualTo("ann,wed=1.0 bob,mon=5.0 eve,mon=7.0");
    assertThat(read(uri() + "/manifest-2.json"))
        .isEqualTo("ann,mon=9.0 bob,mon=2.0 bob,tue=3.0 eve,tue=-4.0");
  }
}
