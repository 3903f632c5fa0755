package org.weft.storage.container;

import java.io.IOException;
import java.io.Serializable;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.weft.storage.ContainerOptions;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.Existing;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.TensorShape;
import org.weft.tensor.ValueType;

/**
 * A new version of a container that many tasks write: the driver's side. Nothing is visible before
 * {@link #commit}; closing without it leaves nothing.
 *
 * <pre>{@code
 * try (ParallelContainer made = ParallelContainer.begin(files, "hdfs:/x.weft", Existing.REFUSE)) {
 *   ParallelContainer.Target target = made.target(options);
 *   ContainerPiece pieces = // on executors, merged
 *       PieceWriter.labels(target, 0, task, "", labels)
 *           .merge(PieceWriter.entries(target, task, "")...finish());
 *   made.commit(options, pieces);
 * }
 * }</pre>
 */
public final class ParallelContainer implements AutoCloseable {
  private final ContainerTransaction transaction;
  private boolean closed;

  private ParallelContainer(ContainerTransaction transaction) {
    this.transaction = transaction;
  }

  /**
   * Claims the next version.
   *
   * @param existing not {@code KEEP}
   * @throws org.weft.error.WeftException {@code OUTPUT_EXISTS} if there is a version and it is to
   *     be refused
   */
  public static ParallelContainer begin(FileAccess access, String uri, Existing existing) {
    if (existing == Existing.KEEP) {
      throw new IllegalArgumentException("a new version that others write: " + existing);
    }
    return new ParallelContainer(ContainerTransaction.begin(access, uri, existing));
  }

  /** What tasks need to write their share; travels to them. */
  public static final class Target implements Serializable {
    private static final long serialVersionUID = 1L;

    private final DataFolder folder;
    private final @Nullable Container base;
    private final int[] modeOrder;
    private final @Nullable TensorShape shape;
    private final ValueType type;
    private final long entries;
    private final boolean compressed;
    private final int partEntries;

    private Target(
        DataFolder folder,
        @Nullable Container base,
        int[] modeOrder,
        ValueType type,
        WriteOptions options) {
      this.folder = folder;
      this.base = base;
      this.modeOrder = modeOrder;
      this.type = type;
      this.shape = options.shape().orElse(null);
      this.entries = options.entries().orElse(-1);
      this.compressed = options.container().compressed();
      this.partEntries = options.container().partEntries();
    }

    /** Modes from the outermost level to the innermost: the order in which to sort entries. */
    public int[] modeOrder() {
      return modeOrder.clone();
    }

    PartsWriter writer(String stem) {
      WriteOptions options =
          WriteOptions.defaults()
              .withEntries(entries)
              .withContainer(
                  ContainerOptions.defaults()
                      .withCompressed(compressed)
                      .withPartEntries(partEntries));
      return new PartsWriter(
          folder, stem, 0, type, modeOrder, shape == null ? options : options.withShape(shape), 1);
    }

    String uri() {
      return folder.uri();
    }

    /** The version that is added to, if it was reordered: entries are stored in its order. */
    @Nullable Container base() {
      return base;
    }
  }

  /** The version that is added to, if one is. */
  public Optional<Container> base() {
    return Optional.ofNullable(transaction.base());
  }

  /** For tasks; {@code options} have the shape. */
  public Target target(WriteOptions options) {
    return target(options, options.shape().orElseThrow().order());
  }

  /** For tasks that write entries of {@code order} modes; options without shape are fine. */
  public Target target(WriteOptions options, int order) {
    int[] modeOrder =
        base()
            .map(b -> b.format().modeOrder())
            .orElseGet(() -> ContainerOutput.modeOrder(order, options));
    ValueType type = base().map(Container::valueType).orElse(options.container().valueType());
    Container reordered =
        base()
            .filter(b -> IntStream.range(0, modeOrder.length).anyMatch(b::isReordered))
            .orElse(null);
    return new Target(
        transaction.folder(), reordered, modeOrder, type, StoredOrder.covering(options, reordered));
  }

  /**
   * Publishes what the tasks have written.
   *
   * @param options those of the target; labels are numbered already, so they are those of pieces
   * @return false if the batch is there already, and nothing is published
   * @throws org.weft.error.WeftException as {@link org.weft.storage.file.OutputCommit#commit}
   */
  public boolean commit(WriteOptions options, ContainerPiece pieces) throws IOException {
    int order = pieces.order();
    closed = true;
    try (ContainerOutput output = new ContainerOutput(transaction, order, options, pieces)) {
      return output.commit();
    }
  }

  /** Removes what was not committed. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      transaction.close();
    }
  }
}
