package org.weft.jobs.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.weft.memory.MemoryScope;
import org.weft.memory.MemorySource;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorOutput;
import org.weft.storage.WriteOptions;
import org.weft.storage.file.FileAccess;
import org.weft.tensor.CooBlock;
import org.weft.tensor.Packing;
import org.weft.tensor.TensorFormat;
import org.weft.tensor.TensorStorage;

/** Writes what this process has computed to a file, in whatever format it is stored. */
public final class ResultOutput {
  private static final int BLOCK = 1 << 16;

  private ResultOutput() {}

  /**
   * Writes all entries and publishes the file. Memory: a block, or all entries once more for an
   * array of a result that is not stored in the order of the array's cells.
   *
   * @param options without the shape
   * @return the number of entries
   * @throws org.weft.error.WeftException {@code OUTPUT_EXISTS}, {@code STORAGE_UNAVAILABLE}, ...
   */
  public static long write(
      FileAccess files, String uri, boolean overwrite, TensorStorage result, WriteOptions options) {
    int order = result.shape().order();
    WriteOptions shaped = options.withShape(result.shape());
    try (MemoryScope scope = MemoryScope.root("sorted result", MemorySource.system());
        TensorOutput made = TensorFiles.create(files, uri, overwrite, order, shaped)) {
      boolean array = TensorFiles.extensionOf(uri).equals(".npy");
      TensorSink sink = new TensorSink(made, order);
      sink.write(array && !isInOrder(result.format()) ? sorted(scope, result) : result);
      sink.flush();
      made.commit();
      return sink.entries();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    } catch (UncheckedIOException e) {
      throw FileAccess.unavailable(uri, new IOException(e.getMessage(), e));
    }
  }

  /** Whether entries are stored in the order of their coordinates. */
  private static boolean isInOrder(TensorFormat format) {
    int[] modes = format.modeOrder();
    return format.isOrdinary()
        && IntStream.range(0, modes.length).allMatch(mode -> modes[mode] == mode)
        && format.levels().stream().allMatch(level -> level.properties().ordered());
  }

  private static TensorStorage sorted(MemoryScope scope, TensorStorage result) {
    List<CooBlock> blocks = new ArrayList<>();
    Packing.unpackBlocks(result, BLOCK).forEachRemaining(blocks::add);
    TensorFormat format = TensorFormat.csf(result.shape().order(), result.format().valueType());
    return Packing.pack(scope, result.shape(), format, blocks);
  }
}
