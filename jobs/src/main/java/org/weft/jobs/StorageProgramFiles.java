package org.weft.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.weft.compiler.program.ProgramFiles;
import org.weft.error.ErrorCode;
import org.weft.error.WeftException;
import org.weft.storage.BlockReader;
import org.weft.storage.FileAccess;
import org.weft.storage.InputPlan;
import org.weft.storage.InputSplit;
import org.weft.storage.OutputCommit;
import org.weft.storage.ReadSummary;
import org.weft.storage.SourceFile;
import org.weft.storage.TensorFiles;
import org.weft.storage.TensorWriter;
import org.weft.storage.WriteOptions;
import org.weft.tensor.CooBlock;
import org.weft.tensor.TensorStorage;

/** The files of programs through the storage layer: any path and format that it knows. */
final class StorageProgramFiles implements ProgramFiles {
  private final FileAccess files;
  private final CommonOptions options;

  StorageProgramFiles(FileAccess files, CommonOptions options) {
    this.files = files;
    this.options = options;
  }

  @Override
  public Entries read(String uri) {
    InputPlan plan = TensorFiles.open(files, uri, options.readOptions());
    List<CooBlock> blocks = new ArrayList<>();
    ReadSummary all = null;
    for (InputSplit split : plan.splits()) {
      try (BlockReader reader = TensorFiles.read(files, plan, split)) {
        reader.forEachRemaining(blocks::add);
        all = all == null ? reader.summary() : all.merge(reader.summary());
      } catch (IOException e) {
        throw FileAccess.unavailable(uri, e);
      }
    }
    if (all == null) {
      throw new IllegalStateException("a plan without splits: " + uri);
    }
    plan.verify(all);
    return new Entries(all.shape(plan.header()), blocks);
  }

  @Override
  public BufferedReader openText(String uri) {
    try {
      return reader(SourceFile.find(files, uri));
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    }
  }

  /** The characters of {@code file}; the caller closes the reader. */
  static BufferedReader reader(SourceFile file) throws IOException {
    return new BufferedReader(new InputStreamReader(file.open(0), StandardCharsets.UTF_8));
  }

  @Override
  public void checkOutput(String uri) {
    TensorFiles.requireKnownExtension(uri);
    OutputCommit.begin(files, uri, options.overwrite).close();
  }

  @Override
  public void write(String uri, TensorStorage tensor) {
    int order = tensor.shape().order();
    if (order == 0) {
      throw new WeftException(
          ErrorCode.UNSUPPORTED_OPERATION,
          uri + ": expected a tensor with modes, found a scalar; print it instead");
    }
    TensorFiles.requireKnownExtension(uri);
    WriteOptions write =
        WriteOptions.defaults().withShape(tensor.shape()).withZeroBased(options.zeroBased);
    try (OutputCommit commit = OutputCommit.begin(files, uri, options.overwrite)) {
      try (TensorWriter writer = TensorFiles.write(commit, order, write)) {
        TensorSink sink = new TensorSink(writer, order);
        tensor.forEachEntry(sink);
        sink.flush();
      }
      commit.commit();
    } catch (IOException e) {
      throw FileAccess.unavailable(uri, e);
    } catch (UncheckedIOException e) {
      throw FileAccess.unavailable(uri, new IOException(e.getMessage(), e));
    }
  }
}
