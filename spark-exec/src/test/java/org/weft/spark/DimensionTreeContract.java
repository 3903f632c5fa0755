package org.weft.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.weft.decomposition.constraint.FactorConstraint;
import org.weft.decomposition.cp.Cpd;
import org.weft.engine.CpdResult;
import org.weft.engine.Engine;
import org.weft.engine.EngineOptions;
import org.weft.engine.EngineTensor;
import org.weft.engine.Ordering;
import org.weft.engine.ProgressListener;
import org.weft.engine.local.LocalBackend;
import org.weft.planner.DimensionTree;
import org.weft.planner.job.ModeGroup;
import org.weft.reorder.Relabelling;
import org.weft.reorder.Reorderers;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.DenseMatrix;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/** Decompositions whose modes share products are those of MTTKRPs that read all entries. */
abstract class DimensionTreeContract {
  @TempDir Path folder;

  /** An engine on the backend under test. */
  abstract Engine open(EngineOptions options);

  private static EngineOptions options(DimensionTree tree) {
    return EngineOptions.defaults().planning(p -> p.withPartitions(3).withTree(tree));
  }

  private static Engine local() {
    return LocalBackend.engine(FileAccess.local(), options(DimensionTree.OFF));
  }

  /** Some slices are empty, and some entries repeat the coordinates of others. */
  private static SparseEntries entries(long... sizes) {
    SparseEntries entries = SparseEntries.random(71, 3_000, sizes);
    for (int e = 0; e < 200; e++) {
      entries.add(0.25 * e, entries.coordinates().get(7 * e));
    }
    return entries;
  }

  private static CpdResult shuffled(
      Engine engine, EngineTensor file, SparseEntries entries, Cpd cpd) {
    Relabelling order =
        new Relabelling(
            Reorderers.named("random:3").reorder(TensorShape.of(entries.sizes()), List.of()));
    EngineTensor moved = engine.orders().apply(file, Ordering.given("a test", order), false);
    return engine.cpd(moved, cpd, ProgressListener.NONE);
  }

  private void assertSharedIsSame(SparseEntries entries, Cpd cpd, double tolerance)
      throws IOException {
    CpdResult expected;
    try (Engine engine = local()) {
      EngineTensor file = entries.read(engine, folder, cpd.valueType());
      expected = engine.cpd(file, cpd, ProgressListener.NONE);
    }
    try (Engine engine = open(options(DimensionTree.ON))) {
      EngineTensor file = entries.read(engine, folder, cpd.valueType());
      CpdResult one = engine.cpd(file, cpd, ProgressListener.NONE);
      assertSame(expected, one, tolerance);
      assertSame(one, engine.cpd(file, cpd, ProgressListener.NONE), 0);
      assertSame(expected, shuffled(engine, file, entries, cpd), tolerance);
    }
  }

  private static void assertSame(CpdResult one, CpdResult other, double tolerance) {
    assertThat(other.fits()).hasSameSizeAs(one.fits());
    for (int sweep = 0; sweep < one.fits().size(); sweep++) {
      assertThat(other.fits().get(sweep)).isCloseTo(one.fits().get(sweep), within(tolerance));
    }
    for (int m = 0; m < one.factors().size(); m++) {
      DenseMatrix expected = one.factors().get(m);
      for (int i = 0; i < expected.rows(); i++) {
        for (int r = 0; r < expected.columns(); r++) {
          assertThat(other.factors().get(m).get(i, r))
              .as("mode %d, row %d, column %d", m, i, r)
              .isCloseTo(expected.get(i, r), within(tolerance));
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "9 1 6 50 200, DOUBLE, true, 1e-10",
    "4 5 30 3 6 70, FLOAT, false, 1e-4",
  })
  void sharedProductsGiveTheSameFactors(
      String shape, ValueType type, boolean nonnegative, double tolerance) throws IOException {
    long[] sizes = Arrays.stream(shape.split(" ")).mapToLong(Long::parseLong).toArray();
    assertSharedIsSame(
        entries(sizes), new Cpd(5, Planted.LONG ? 4 : 3, 0, nonnegative, 9, type), tolerance);
  }

  /** Other groups of modes. */
  @ParameterizedTest
  @ValueSource(strings = {"30 7 400", "7 30 60 400", "4 5 6 300 3 6"})
  void otherShapesGiveTheSameFactors(String shape) throws IOException {
    sharedProductsGiveTheSameFactors(shape, ValueType.DOUBLE, false, 1e-10);
  }

  /** In a group of three modes, each constraint once on the root and once on another mode. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void constrainedModesShareProducts(int first) throws IOException {
    List<String> all = List.of("simplex", "smooth:0.1", "nonneg-l1:0.1");
    Map<Integer, FactorConstraint> constraints = new TreeMap<>();
    for (int mode = 0; mode < 3; mode++) {
      constraints.put(mode, FactorConstraint.parse(all.get((first + mode) % 3)));
    }
    Cpd cpd = new Cpd(4, 3, 0, false, 9, ValueType.DOUBLE, constraints, 0);
    assertSharedIsSame(entries(12, 7, 9, 500), cpd, 1e-9);
  }

  /** The modes of a plan are cut into groups, some of which have products. */
  @Test
  void plansHaveGroups() throws IOException {
    SparseEntries entries = entries(12, 7, 9, 500);
    Cpd cpd = new Cpd(4, 3, 0, false, 9, ValueType.DOUBLE);
    try (Engine engine = open(options(DimensionTree.ON))) {
      EngineTensor tensor = entries.read(engine, folder, ValueType.DOUBLE);
      List<ModeGroup> groups = engine.plan(tensor, cpd.job(tensor.statistics().shape())).groups();
      assertThat(groups).anyMatch(ModeGroup::shares);
      assertThat(groups.stream().flatMap(group -> group.modes().stream()))
          .containsExactly(0, 1, 2, 3);
    }
  }
}
