package org.weft.jobs.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.jobs.generate.Generated;
import org.weft.jobs.generate.MatrixModel;
import org.weft.jobs.generate.Scatter;
import org.weft.jobs.generate.SyntheticModel;
import org.weft.statistics.TensorStatistics;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorShape;

/**
 * A tensor of the suite, on this process's heap.
 *
 * @param name as it was asked for
 * @param partner for a matrix: one of the same shape, for products and sums of two
 */
public record BenchTensor(
    String name,
    TensorShape shape,
    List<CooBlock> blocks,
    Optional<Supplier<List<CooBlock>>> partner) {
  private static final int BLOCK = 1 << 20;
  private static final String HALF_SLICE = "half-slice";

  /** The names that {@link #named} knows, tensors first. */
  public static List<String> names() {
    List<String> names =
        new ArrayList<>(List.of("nell-2", "nell-1", "vast", "uber", "lbnl", HALF_SLICE));
    names.addAll(MatrixModel.names());
    return names;
  }

  /** The names of those that one of {@code kernels} is for. */
  public static List<String> names(List<BenchKernel> kernels) {
    return names().stream()
        .filter(name -> kernels.stream().anyMatch(kernel -> kernel.appliesTo(order(name))))
        .toList();
  }

  private static int order(String name) {
    return model(name).sizes().order();
  }

  /**
   * A generated tensor of the suite; coordinates are scattered, so that frequent slices do not lie
   * side by side.
   *
   * <p>In full size: nell-2 12092 x 9184 x 28818 with 8.0 million entries, nell-1 a tenth of each
   * mode with 10.1 million, vast 165427 x 11374 x 2 with 5.1 million, uber and lbnl (order 5) as
   * they are, half-slice 20000 x 2000 x 2000 with 4 million of which half lie in one slice of mode
   * 0; and the matrix kinds.
   *
   * @param scale times the entries; mode sizes of tensors shrink by its root, rows of matrices by
   *     it
   * @throws WeftException {@code USAGE} for a name that is not of the suite
   */
  public static BenchTensor named(String name, double scale, long seed) {
    Generated model = model(name.toLowerCase(Locale.ROOT)).scaled(scale);
    boolean scattered = model instanceof SyntheticModel;
    List<CooBlock> blocks = generate(model, seed, scattered);
    if (name.equalsIgnoreCase(HALF_SLICE)) {
      blocks = halfInOneSlice(blocks);
    }
    return new BenchTensor(
        name,
        model.sizes(),
        blocks,
        model.sizes().order() == 2
            ? Optional.of(() -> generate(model, seed + 1, scattered))
            : Optional.empty());
  }

  private static Generated model(String name) {
    return switch (name) {
      case "nell-2" -> SyntheticModel.of("nell-2").withNonzeros(8_000_000);
      case "nell-1" ->
          resized(
              SyntheticModel.of("nell-1"), 10_100_000, TensorShape.of(290_233, 214_337, 2_549_539));
      case "vast" -> SyntheticModel.of("vast-2015-mc1-3d").withNonzeros(5_100_000);
      case "uber" -> SyntheticModel.of("uber");
      case "lbnl" -> SyntheticModel.of("lbnl-network");
      case HALF_SLICE -> SyntheticModel.of("20000x2000x2000").withNonzeros(4_000_000);
      default ->
          MatrixModel.of(name)
              .orElseThrow(
                  () ->
                      new WeftException(
                          ErrorCode.USAGE,
                          "expected a tensor of the suite or a file, found '"
                              + name
                              + "'; the suite has "
                              + String.join(", ", names())));
    };
  }

  private static SyntheticModel resized(SyntheticModel model, long nonzeros, TensorShape sizes) {
    return new SyntheticModel(model.name(), sizes, nonzeros, model.exponents());
  }

  /** A tensor that was read; the partner of a square matrix is its transpose. */
  public static BenchTensor of(String name, TensorShape shape, List<CooBlock> blocks) {
    boolean square = shape.order() == 2 && shape.size(0) == shape.size(1);
    return new BenchTensor(
        name, shape, blocks, square ? Optional.of(() -> transposed(blocks)) : Optional.empty());
  }

  /** The same with another matrix for products and sums of two. */
  public BenchTensor withPartner(List<CooBlock> other) {
    return new BenchTensor(name, shape, blocks, Optional.of(() -> other));
  }

  private static List<CooBlock> transposed(List<CooBlock> blocks) {
    return blocks.stream().map(block -> mapped(block, at -> swap(at))).toList();
  }

  private static void swap(long[] at) {
    long first = at[0];
    at[0] = at[1];
    at[1] = first;
  }

  /** Every other entry moves to the middle slice of mode 0. */
  private static List<CooBlock> halfInOneSlice(List<CooBlock> blocks) {
    long[] count = {0};
    return blocks.stream()
        .map(block -> mapped(block, at -> at[0] = count[0]++ % 2 == 0 ? at[0] : 0))
        .toList();
  }

  private interface Move {
    void apply(long[] coordinates);
  }

  private static CooBlock mapped(CooBlock block, Move move) {
    CooBlock.Builder made = new CooBlock.Builder(block.order(), block.size());
    long[] at = new long[block.order()];
    for (int e = 0; e < block.size(); e++) {
      for (int mode = 0; mode < at.length; mode++) {
        at[mode] = block.coordinate(mode, e);
      }
      move.apply(at);
      made.add(at, block.value(e));
    }
    return made.build();
  }

  private static List<CooBlock> generate(Generated model, long seed, boolean scattered) {
    int order = model.sizes().order();
    Scatter[] places = new Scatter[order];
    for (int mode = 0; mode < order; mode++) {
      places[mode] = new Scatter(model.sizes().size(mode), seed + mode);
    }
    List<CooBlock> blocks = new ArrayList<>();
    CooBlock.Builder block = new CooBlock.Builder(order, BLOCK);
    long[] place = new long[order];
    model.generate(
        seed,
        (at, value) -> {
          for (int mode = 0; mode < order; mode++) {
            place[mode] = scattered ? places[mode].place(at[mode]) : at[mode];
          }
          block.add(place, value);
          if (block.size() == BLOCK) {
            blocks.add(block.build());
          }
        });
    blocks.add(block.build());
    return blocks;
  }

  public long entries() {
    return blocks.stream().mapToLong(CooBlock::size).sum();
  }

  /** What a planner asks of a tensor. */
  public TensorStatistics statistics() {
    TensorStatistics.Builder statistics = TensorStatistics.builder(shape.order());
    blocks.forEach(statistics::add);
    return statistics.build(shape);
  }
}
