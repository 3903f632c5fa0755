package org.weft.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.weft.decomposition.cp.Cpd;
import org.weft.decomposition.rows.RowSource;
import org.weft.storage.Labels;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.ValueType;

/** Runs from several seeds, of which the best is kept, and from an earlier model. */
class SeveralStartsTest {
  @TempDir java.nio.file.Path folder;

  /** Noise, of which every start finds another local optimum. */
  private static Tensor noise(Weft weft) {
    Random random = new Random(7);
    long[][] at = new long[3][90];
    double[] values = new double[90];
    for (int e = 0; e < values.length; e++) {
      at[0][e] = e % 6;
      at[1][e] = e / 6 % 5;
      at[2][e] = e / 30;
      values[e] = 1 + random.nextGaussian();
    }
    return weft.tensor(at, values, 6, 5, 3);
  }

  private static TensorModel best(LongFunction<TensorModel> run) {
    return LongStream.range(3, 7)
        .mapToObj(run)
        .max(Comparator.comparingDouble(TensorModel::fit))
        .orElseThrow();
  }

  @SuppressWarnings("unchecked")
  private static List<Map<String, Object>> starts(TensorModel model) {
    return (List<Map<String, Object>>) model.summary().content().get("starts");
  }

  @Test
  void theBestFitIsKept() {
    try (Weft weft = Weft.local()) {
      Tensor x = noise(weft);
      TensorModel cp = x.cpd(2).iterations(4).seed(3).starts(4).run();
      TensorModel bestCp = best(seed -> x.cpd(2).iterations(4).seed(seed).run());
      TensorModel tucker = x.tucker(2, 2, 2).iterations(1).seed(3).starts(4).run();
      TensorModel bestTucker = best(seed -> x.tucker(2, 2, 2).iterations(1).seed(seed).run());
      assertThat(cp.fit()).isEqualTo(bestCp.fit());
      assertThat(cp.matrix("m1")).isDeepEqualTo(bestCp.matrix("m1"));
      assertThat(tucker.matrix("m1")).isDeepEqualTo(bestTucker.matrix("m1"));
      assertThat(starts(cp)).extracting(start -> start.get("seed")).containsExactly(3L, 4L, 5L, 6L);
      assertThat(starts(cp)).extracting(start -> start.get("fit")).doesNotHaveDuplicates();
      assertThat(starts(cp)).extracting(start -> start.get("fits")).contains(cp.fits());
      assertThat(starts(cp))
          .allSatisfy(start -> assertThat((List<?>) start.get("fits")).hasSize(4));
      cp.save(folder + "/cp");
      assertThat(starts(weft.model(folder + "/cp"))).hasSize(4);
    }
  }

  /** All starts of a completion are judged by the same entries. */
  @Test
  void theLeastErrorAtTheSameEntriesIsKept() {
    try (Weft weft = Weft.local()) {
      Tensor x = noise(weft);
      CompletionModel one = x.complete(2).iterations(6).seed(3).heldOut(0.3).run();
      CompletionModel best = x.complete(2).iterations(6).seed(3).heldOut(0.3).starts(4).run();
      List<Object> errors = starts(best).stream().map(start -> start.get("rmse")).toList();
      assertThat(errors).hasSize(4).doesNotHaveDuplicates().first().isEqualTo(one.rmse());
      assertThat(errors).contains(best.rmse()).allMatch(error -> (double) error >= best.rmse());
      assertThat(best.mean()).isEqualTo(one.mean());
    }
  }

  /** A tensor of rank 1 with labels, in the order that is given and with more at the end. */
  private String labelled(String name, List<String> users, List<String> items) throws IOException {
    CooBlock.Builder block = new CooBlock.Builder(2, 100);
    for (int user = 0; user < users.size(); user++) {
      for (int item = 0; item < items.size(); item++) {
        double value = users.get(user).length() * (1.0 + items.get(item).charAt(0) - 'a');
        block.add(new long[] {user, item}, value);
      }
    }
    String uri = folder.resolve(name).toString();
    WriteOptions options =
        WriteOptions.defaults().withLabels(Map.of(0, Labels.of(users), 1, Labels.of(items)));
    try (TensorOutput output = TensorFiles.create(FileAccess.local(), uri, false, 2, options)) {
      output.write(block.build());
      output.commit();
    }
    return uri;
  }

  @Test
  void filesWhoseLabelsDifferAreNotComparedByNumber() throws IOException {
    List<String> users = List.of("a", "bbb");
    try (Weft weft = Weft.local()) {
      Tensor x = weft.tensor(labelled("x.weft", users, List.of("ant", "bee")));
      Tensor same = weft.tensor(labelled("same.weft", users, List.of("ant", "bee")));
      Tensor other = weft.tensor(labelled("other.weft", users, List.of("bee", "ant")));
      String text = "S(u) = X(u,i) * Y(u,i)";
      assertThat(weft.eval(text, Map.of("X", x, "Y", same)).size()).isEqualTo(2);
      assertThatThrownBy(() -> weft.eval(text, Map.of("X", x, "Y", other)))
          .hasMessageContaining("label i: expected modes with the same labels")
          .hasMessageContaining("make a Dataset of its entries()");
    }
  }

  /** The tensor has the model's labels in another order, and then some of them and others. */
  @Test
  void aModelIsStartedFromByItsLabels() throws IOException {
    List<String> users = List.of("a", "bbb", "cccc", "dd");
    List<String> items = List.of("ant", "bee", "eel");
    List<String> turned = List.of("dd", "bbb", "a", "cccc");
    try (Weft weft = Weft.local()) {
      CpModel before = weft.tensor(labelled("x.weft", users, items)).cpd(1).run();
      Tensor after = weft.tensor(labelled("y.weft", turned, List.of("eel", "ant", "bee")));
      Cpd cpd = new Cpd(1, 1, 0, false, 1, ValueType.DOUBLE);
      List<RowSource> rows = before.rowsFor(after, cpd);
      for (int user = 0; user < turned.size(); user++) {
        assertThat(rows.get(0).collect().get(user, 0))
            .isEqualTo(before.matrix("mode0")[users.indexOf(turned.get(user))][0]);
      }
      CpModel again = after.cpd(1).from(before).run();
      assertThat(again.fits().get(0)).isCloseTo(1, within(1e-7));
      Tensor more = weft.tensor(labelled("z.weft", List.of("f", "dd"), List.of("eel", "zebra")));
      List<RowSource> some = before.rowsFor(more, cpd);
      assertThat(some.get(0).collect().get(1, 0)).isEqualTo(before.matrix("mode0")[3][0]);
      assertThat(some.get(1).collect().get(0, 0)).isEqualTo(before.matrix("mode1")[2][0]);
      assertThat(some.get(0).rows()).isEqualTo(2);
      assertThatThrownBy(() -> after.cpd(2).from(before).run())
          .hasMessageContaining("expected a model of rank 2 and 2 modes, found rank 1");
      assertThatThrownBy(() -> noise(weft).cpd(1).from(before).run())
          .hasMessageContaining("and 3 modes, found rank 1 and 2 modes");
      assertThatThrownBy(() -> weft.tensor(new double[][] {{1, 2}}).cpd(1).from(before).run())
          .hasMessageContaining("at most 1 row in mode mode0");
    }
  }

  @Test
  void noStartIsAnError() {
    try (Weft weft = Weft.local()) {
      assertThatThrownBy(() -> noise(weft).cpd(1).starts(0).run())
          .hasMessageContaining("expected at least 1 start, found 0");
    }
  }

  @Test
  void aCellIsNamedByItsLabels() {
    try (Weft weft = Weft.local()) {
      TensorModel model = noise(weft).cpd(2).run();
      assertThat(model.predict(Map.of("m0", 4, "m1", 1L, "m2", 2)))
          .isEqualTo(model.predict(4, 1, 2));
      assertThatThrownBy(() -> model.predict(Map.of("m0", 4, "m1", 1)))
          .hasMessageContaining("found none of m2");
      assertThatThrownBy(() -> model.predict(Map.of("m0", 4, "m3", 1)))
          .hasMessageContaining("expected a mode of [m0, m1, m2], found 'm3'");
      assertThatThrownBy(() -> model.predict(Map.of("m0", "x", "m1", 1, "m2", 1)))
          .hasMessageContaining("m0: expected a label of the model, found 'x'");
    }
  }
}
